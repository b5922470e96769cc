// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A survivor is a change for which the proof holds.
type survivor struct {
	file, function string
	index          int // of the instruction in its function
	instruction    string
	change         string
}

func (s survivor) String() string {
	return fmt.Sprintf("%s %s %d: %s: %s", s.file, s.function, s.index, s.instruction, s.change)
}

// unexplained is the reason that writeSurvivors gives.
const unexplained = "?"

// readSurvivors reads the list: a line for each, and after a tab the reason.
func readSurvivors(name string) (map[survivor]string, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	list := map[survivor]string{}
	for i, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		s, reason, ok := parse(line)
		if !ok || reason == "" {
			return nil, fmt.Errorf("%s:%d: %q", name, i+1, line)
		}
		list[s] = reason
	}
	return list, nil
}

func parse(line string) (s survivor, reason string, ok bool) {
	line, reason, _ = strings.Cut(line, "\t")
	parts := strings.SplitN(line, ": ", 3)
	if len(parts) != 3 {
		return s, "", false
	}
	place := strings.Split(parts[0], " ")
	if len(place) != 3 {
		return s, "", false
	}
	index, err := strconv.Atoi(place[2])
	return survivor{place[0], place[1], index, parts[1], parts[2]}, reason, err == nil
}

const head = `# Changes of one instruction for which the proof still holds, and why they compute the same.
# Written by: go run ./internal/proof/mutate -write; the reasons, after a tab, by people.
`

// writeSurvivors writes the list, with what it has of other kernels.
func writeSurvivors(name, kernel string, listed, found map[survivor]string) error {
	for s, reason := range listed {
		if !strings.Contains(s.function, kernel) {
			found[s] = reason
		}
	}
	var all []survivor
	for s := range found {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b survivor) int {
		return cmp.Or(strings.Compare(a.file, b.file), strings.Compare(a.function, b.function), a.index-b.index, strings.Compare(a.change, b.change))
	})
	var out strings.Builder
	out.WriteString(head)
	for _, s := range all {
		fmt.Fprintf(&out, "%s\t%s\n", s, cmp.Or(found[s], unexplained))
	}
	return os.WriteFile(name, []byte(out.String()), 0o666)
}
