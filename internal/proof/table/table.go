// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package table reads and writes the table of proofs in PROVEN.md.
package table

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A Row contains the cells of a kernel's row.
type Row struct {
	Kernel       string // name, as returned by engine.Kernel.Name
	Claim        string
	Lengths      string
	Mutants      string // numbers of instruction changes that were detected and that were not
	Instructions string
	Digest       string // as returned by engine.Kernel.Digest: one half for the code, one for the statement
}

// NotTried fills the cell before the first count. The others mark outdated counts.
const (
	NotTried         = "not yet"
	EarlierCode      = ", in earlier code"
	EarlierStatement = ", under an earlier statement"
)

// Since returns the Mutants cell, marked as outdated if digest differs from r.Digest.
func (r *Row) Since(digest string) string {
	code, _, _ := strings.Cut(digest, "-")
	switch before, _, _ := strings.Cut(r.Digest, "-"); {
	case r.Mutants == NotTried || r.Digest == digest || strings.HasSuffix(r.Mutants, EarlierCode):
		return r.Mutants
	case before != code:
		return strings.TrimSuffix(r.Mutants, EarlierStatement) + EarlierCode
	}
	return strings.TrimSuffix(r.Mutants, EarlierStatement) + EarlierStatement
}

func (r *Row) cells() []*string {
	return []*string{&r.Kernel, &r.Claim, &r.Lengths, &r.Mutants, &r.Instructions, &r.Digest}
}

// A Table contains the file PROVEN.md.
type Table struct {
	before string // the text before the table
	rows   []Row
}

const head = `| kernel | what is proven | lengths | mutants | instructions | digest |
|---|---|---|---|---|---|
`

func file(root string) string { return filepath.Join(root, "internal", "proof", "PROVEN.md") }

// Read reads the table of the module in the directory root.
func Read(root string) (*Table, error) {
	text, err := os.ReadFile(file(root))
	if err != nil {
		return nil, err
	}
	before, rows, ok := strings.Cut(string(text), head)
	if !ok {
		return nil, errors.New("PROVEN.md has no table")
	}
	t := &Table{before: before}
	for line := range strings.Lines(rows) {
		var row Row
		to := row.cells()
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if len(cells) != len(to) {
			return nil, fmt.Errorf("PROVEN.md: a row of %d cells, want %d: %s", len(cells), len(to), line)
		}
		for i, cell := range cells {
			*to[i] = cell
		}
		t.rows = append(t.rows, row)
	}
	return t, nil
}

// Find returns a pointer to a kernel's row, or nil if none exists.
func (t *Table) Find(kernel string) *Row {
	for i := range t.rows {
		if t.rows[i].Kernel == kernel {
			return &t.rows[i]
		}
	}
	return nil
}

// Set replaces the row of a kernel or adds one.
func (t *Table) Set(row Row) {
	if old := t.Find(row.Kernel); old != nil {
		*old = row
	} else {
		t.rows = append(t.rows, row)
	}
}

// Write writes the table to PROVEN.md in root, the module's directory. If kernels is
// not nil, it writes only the rows for those kernels, in that order.
func (t *Table) Write(root string, kernels []string) error {
	if kernels == nil {
		for _, row := range t.rows {
			kernels = append(kernels, row.Kernel)
		}
	}
	var text strings.Builder
	text.WriteString(t.before + head)
	for _, name := range kernels {
		if r := t.Find(name); r != nil {
			for _, cell := range r.cells() {
				fmt.Fprintf(&text, "| %s ", *cell)
			}
			text.WriteString("|\n")
		}
	}
	return os.WriteFile(file(root), []byte(text.String()), 0o666)
}
