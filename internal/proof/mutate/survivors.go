// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A survivor is a change for which the proof holds.
type survivor struct {
	kernel      string // by Kernel.Name
	index       int    // of the instruction in its function
	instruction string
	change      string
}

func (s survivor) String() string {
	return fmt.Sprintf("%s %d: %s: %s", s.kernel, s.index, s.instruction, s.change)
}

// unexplained is the reason that writeSurvivors gives.
const unexplained = "?"

// A record is what survivors.txt says.
type record struct {
	reasons map[survivor]string
	tried   map[string]tally // by Kernel.Name: of all instructions
}

// A tally is how many changes were caught, and of which function and statement: by asm.File.Digest and
// Kernel.Digest.
type tally struct {
	caught    int
	digest    string
	statement string
}

// readSurvivors reads the list: a line for each, and after a tab the reason; and for each
// kernel of which every instruction was changed, after an @, how many changes were caught and the
// digests of the kernel and its statement as they were then.
func readSurvivors(name string) (r record, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return r, err
	}
	r.reasons, r.tried = map[survivor]string{}, map[string]tally{}
	for i, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		if kernel, ok := strings.CutPrefix(line, "@ "); ok {
			fields := strings.Split(kernel, "\t")
			if len(fields) != 4 {
				return r, fmt.Errorf("%s:%d: %q", name, i+1, line)
			}
			caught, err := strconv.Atoi(fields[1])
			if err != nil {
				return r, fmt.Errorf("%s:%d: %w", name, i+1, err)
			}
			r.tried[fields[0]] = tally{caught, fields[2], fields[3]}
			continue
		}
		s, reason, ok := parse(line)
		if !ok || reason == "" {
			return r, fmt.Errorf("%s:%d: %q", name, i+1, line)
		}
		r.reasons[s] = reason
	}
	return r, nil
}

func parse(line string) (s survivor, reason string, ok bool) {
	line, reason, _ = strings.Cut(line, "\t")
	parts := strings.SplitN(line, ": ", 3)
	if len(parts) != 3 {
		return s, "", false
	}
	space := strings.LastIndexByte(parts[0], ' ')
	if space < 0 {
		return s, "", false
	}
	index, err := strconv.Atoi(parts[0][space+1:])
	return survivor{parts[0][:space], index, parts[1], parts[2]}, reason, err == nil
}

const head = `# Changes of one instruction for which the proof still holds, and why they compute the same.
# Written by: go run ./internal/proof/mutate -write; the reasons, after a tab, by people.
# A line that begins with @ says how many changes of a kernel were caught, of all its instructions, and
# which kernel that was: the first 8 bytes of SHA-256 of its instructions, and of what its statement says.
`

// writeSurvivors writes the list.
func writeSurvivors(name string, r record) error {
	var out strings.Builder
	out.WriteString(head)
	for _, kernel := range slices.Sorted(maps.Keys(r.tried)) {
		t := r.tried[kernel]
		fmt.Fprintf(&out, "@ %s\t%d\t%s\t%s\n", kernel, t.caught, t.digest, t.statement)
	}
	all := slices.SortedFunc(maps.Keys(r.reasons), func(a, b survivor) int {
		return cmp.Or(strings.Compare(a.kernel, b.kernel), a.index-b.index, strings.Compare(a.change, b.change))
	})
	for _, s := range all {
		fmt.Fprintf(&out, "%s\t%s\n", s, cmp.Or(r.reasons[s], unexplained))
	}
	return os.WriteFile(name, []byte(out.String()), 0o666)
}
