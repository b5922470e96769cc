// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/table"
)

const listFile = "internal/proof/mutate/survivors.txt"

const head = `# Changes of one instruction for which the proof still holds, and why they compute the same.
# Written by: go run ./internal/proof/mutate -write; the reasons, after a tab, by people.
# A line that begins with @ says how many changes of a kernel were caught, of all its instructions, and
# which kernel that was: the first 8 bytes of SHA-256 of its instructions, of what its statement says, and of what
# that compares and claims on the way.
`

// A record contains the entries of survivors.txt by name. For the name of a change
// (subject.name), the entry is the reason why the change survives. For a kernel whose
// instructions were all changed (tally), the entry contains the number of detected
// changes, and the digests of the function and the statement at the time:
// asm.File.Digest, Kernel.Digest and Kernel.Compared.
type record map[string][]string

func tally(kernel string) string { return "@ " + kernel }

// unexplained is the reason of survivors that have no reason yet.
const unexplained = "?"

func readSurvivors() (record, error) {
	data, err := os.ReadFile(listFile)
	r := record{}
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		want := 2
		if line[0] == '@' {
			want = 5
		}
		if line[0] == '#' {
			continue
		}
		if len(fields) != want || strings.Count(fields[0], " ") < 2 || fields[1] == "" {
			return nil, fmt.Errorf("%s: %q", listFile, line)
		}
		r[fields[0]] = fields[1:]
	}
	return r, err
}

func (r record) write() error {
	var out strings.Builder
	out.WriteString(head)
	for _, name := range slices.SortedFunc(maps.Keys(r), inOrder) {
		fmt.Fprintf(&out, "%s\t%s\n", name, strings.Join(r[name], "\t"))
	}
	return os.WriteFile(listFile, []byte(out.String()), 0o666)
}

// cell returns the Mutants cell of a kernel in the table of proofs.
func (r record) cell(kernel string) string {
	counted, ok := r[tally(kernel)]
	if !ok {
		return table.NotTried
	}
	survive := 0
	for name := range r {
		if strings.HasPrefix(name, kernel+" ") {
			survive++
		}
	}
	return fmt.Sprintf("%s caught, %d survive", counted[0], survive)
}

// writeCell writes the Mutants cell of a kernel if the table of proofs has a row for
// the kernel.
func (r record) writeCell(kernel string) error {
	t, err := table.Read(".")
	if err != nil {
		return err
	}
	row := t.Find(kernel)
	if row == nil {
		return fmt.Errorf("the table of proofs has no row for %s yet: write it with the proof's -update", kernel)
	}
	row.Mutants = r.cell(kernel)
	var names []string
	for _, row := range t.Rows() {
		names = append(names, row.Kernel)
	}
	return t.Write(".", names)
}

// inOrder compares names by kernel, then by the number of the instruction.
func inOrder(a, b string) int {
	x, y := strings.SplitN(a, " ", 3), strings.SplitN(b, " ", 3)
	return cmp.Or(slices.Compare(x[:2], y[:2]), strings.Index(a, ":")-strings.Index(b, ":"), strings.Compare(a, b))
}
