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
)

const listFile = "internal/proof/mutate/survivors.txt"

const head = `# Changes of one instruction for which the proof still holds, and why they compute the same.
# Written by: go run ./internal/proof/mutate -write; the reasons, after a tab, by people.
`

// reasons gives, for each undetected change, the reason why the change is harmless.
type reasons map[string]string

const unexplained = "?"

func readSurvivors() (reasons, error) {
	data, err := os.ReadFile(listFile)
	r := reasons{}
	for line := range strings.Lines(string(data)) {
		if line[0] == '#' {
			continue
		}
		name, reason, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if reason == "" || strings.Count(name, " ") < 2 {
			return nil, fmt.Errorf("%s: %q", listFile, line)
		}
		r[name] = reason
	}
	return r, err
}

func (r reasons) write() error {
	var out strings.Builder
	out.WriteString(head)
	for _, name := range slices.SortedFunc(maps.Keys(r), inOrder) {
		fmt.Fprintf(&out, "%s\t%s\n", name, r[name])
	}
	return os.WriteFile(listFile, []byte(out.String()), 0o666)
}

func (r reasons) survive(kernel string) string {
	survive := 0
	for name := range r {
		if strings.HasPrefix(name, kernel+" ") {
			survive++
		}
	}
	return fmt.Sprintf(" caught, %d survive", survive)
}

func inOrder(a, b string) int {
	x, y := strings.SplitN(a, " ", 3), strings.SplitN(b, " ", 3)
	return cmp.Or(slices.Compare(x[:2], y[:2]), strings.Index(a, ":")-strings.Index(b, ":"), strings.Compare(a, b))
}
