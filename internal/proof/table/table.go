// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package table reads and writes the table of proofs in PROVEN.md.
package table

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Row is what the table says about a kernel.
type Row struct {
	Kernel       string // its name, as engine.Kernel.Name returns it
	Claim        string
	Lengths      string
	Invariant    string
	Mutants      string // how many changes of an instruction were detected and how many were not
	Instructions string
	Seconds      string
}

// NotTried is the content of the Mutants cell for a kernel whose instructions have not
// been changed yet.
const NotTried = "not yet"

// A Table is the file PROVEN.md.
type Table struct {
	before string // the text before the table
	rows   []Row
}

const head = `| kernel | what is proven | lengths | at the loop's head, registers and frame are | mutants | instructions | seconds |
|---|---|---|---|---|---|---|
`

func file(root string) string { return filepath.Join(root, "internal", "proof", "PROVEN.md") }

// Read reads the table of the module in folder root.
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
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 7 {
			return nil, fmt.Errorf("PROVEN.md: a row of %d cells, want 7: %s", len(cells), line)
		}
		t.rows = append(t.rows, Row{strings.TrimPrefix(cells[0], "| "), cells[1], cells[2], cells[3], cells[4], cells[5], strings.TrimSuffix(cells[6], " |")})
	}
	return t, nil
}

// Find returns the row of a kernel, or nil if there is none. The caller may change it.
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

// Rows returns all rows.
func (t *Table) Rows() []Row { return slices.Clone(t.rows) }

// Write writes the table with the rows of the named kernels, in the order of the names.
// It drops all other rows.
func (t *Table) Write(root string, kernels []string) error {
	var text strings.Builder
	text.WriteString(t.before + head)
	for _, name := range kernels {
		if r := t.Find(name); r != nil {
			fmt.Fprintf(&text, "| %s |\n", strings.Join([]string{r.Kernel, r.Claim, r.Lengths, r.Invariant, r.Mutants, r.Instructions, r.Seconds}, " | "))
		}
	}
	return os.WriteFile(file(root), []byte(text.String()), 0o666)
}
