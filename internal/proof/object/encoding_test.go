// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/gocommand"
)

// harmless matches bit changes that the disassembler does not show, by operation and
// bit. Each gives another encoding of the same operation, which every processor of the
// architecture executes in the same way.
var harmless = map[string]*regexp.Regexp{
	"amd64": regexp.MustCompile(`^(?:add|sub|and|or|xor|adc|sbb|mov)[lq] bit (?:1|9)$` + // the other direction, between registers
		`|^vmovdq[au]\w* bit (?:20|28|36)$`), // the same
	"arm64": regexp.MustCompile(`^(?:ld|st)r[bh]? bit 24$` + // LDR and LDUR with offset 0
		`|^(?:and|orr|eor) bit 21$`), // the high bit of a rotation within an element of 32 bits or less
}

// TestHidden changes each of the first 64 bits of instructions and adds prefixes. If an instruction's text remains the
// same, the encoding must be refused or be harmless.
func TestHidden(t *testing.T) {
	gocommand.Need(t)
	if _, err := exec.LookPath(disassembler); err != nil {
		t.Skipf("skipping: encodings are NOT tried: %v", err)
	}
	perForm := 1
	if os.Getenv("UNIMAC_TEST") == "whole" {
		perForm = 8
	}
	for _, a := range architectures {
		t.Run(a.name, func(t *testing.T) {
			if a.name != runtime.GOARCH {
				mactest.NeedWhole(t)
			}
			t.Parallel()
			h := hidden{arch: a, forms: map[string]int{}}
			for _, l := range h.instructions(t) {
				h.change(l, perForm)
			}
			h.compare(t)
		})
	}
}

// A hidden collects changed encodings of one architecture's instructions.
type hidden struct {
	arch  *architecture
	forms map[string]int // number of instructions tried, by operation and kinds of operands
	tries []encoding
}

// An encoding is a changed instruction.
type encoding struct {
	of    line
	bytes []byte
	what  string
}

// instructions returns the distinct instructions of all kernels.
func (h *hidden) instructions(t *testing.T) []line {
	name, err := h.arch.build(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p, err := open(name)
	if err != nil {
		t.Fatal(err)
	}
	code, err := p.disassemble(h.arch.kernels())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]line{}
	for _, f := range code {
		for _, l := range f.lines {
			seen[string(l.bytes)] = l
		}
	}
	var list []line
	for _, key := range slices.Sorted(maps.Keys(seen)) {
		list = append(list, seen[key])
	}
	return list
}

var (
	numbers = regexp.MustCompile(`-?\d+`)
	names   = regexp.MustCompile(`%(?:[re]?[abcd][xlh]|[re]?[sd]il?|r|[re]?[sb]p)`)
)

var legacyPrefixes = []byte{0x66, 0xf2, 0xf3, 0xf0, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65, 0x67}

// change adds changed encodings of an instruction, unless its form has been tried often
// enough.
func (h *hidden) change(l line, perForm int) {
	form := numbers.ReplaceAllString(names.ReplaceAllString(l.text, "%r"), "")
	if h.arch == amd64 {
		form += fmt.Sprint(l.bytes[0])
	}
	if h.forms[form]++; h.forms[form] > perForm {
		return
	}
	op, _, _ := strings.Cut(l.text, " ")
	for bit := range 8 * min(len(l.bytes), 8) {
		b := bytes.Clone(l.bytes)
		b[bit/8] ^= 1 << (bit % 8)
		h.tries = append(h.tries, encoding{l, b, fmt.Sprint(op, " bit ", bit)})
	}
	if h.arch != amd64 {
		return
	}
	for _, prefix := range append([]byte{0x40, 0x41, 0x42, 0x44, 0x48, 0xd5}, legacyPrefixes...) {
		// Insert the prefix before the instruction, and after an existing prefix.
		for at := range 2 {
			if at == 0 || slices.Contains(legacyPrefixes, l.bytes[0]) {
				h.tries = append(h.tries, encoding{l, slices.Insert(bytes.Clone(l.bytes), at, prefix), fmt.Sprintf("%s prefix %#x", op, prefix)})
			}
		}
	}
}

// compare disassembles the changed encodings.
func (h *hidden) compare(t *testing.T) {
	var all []*routine
	for _, e := range h.tries {
		all = append(all, &routine{at: e.of.at, rest: e.bytes})
	}
	if err := h.arch.disassemble(all); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for i, e := range h.tries {
		if f := all[i]; f.err != nil {
			refused++
		} else if l := f.lines[0]; len(f.lines) == 1 && h.arch.normal(l.text) == h.arch.normal(e.of.text) &&
			(l.to == e.of.to || l.to == 0) && !harmless[h.arch.name].MatchString(e.what) {
			t.Errorf("%s: % x and % x are both %q", e.what, e.of.bytes, e.bytes, l.text)
		}
	}
	if t.Logf("%d changes, of which %d were refused for what the text does not show", len(h.tries), refused); refused == 0 {
		t.Error("no change was refused")
	}
}
