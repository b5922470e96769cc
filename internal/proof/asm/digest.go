// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package asm

import (
	"crypto/sha256"
	"fmt"
)

// Digest returns 16 hexadecimal digits that change when a function of the file does: its frame, an
// instruction, or a byte of the data that it names. Comments, lines, and the names of labels and of
// data have no part in it.
func (f *File) Digest(fn *Func) string {
	h := sha256.New()
	fmt.Fprintf(h, "frame %d arguments %d split %t\n", fn.Frame, fn.Args, fn.Split)
	for i := range fn.Code {
		in := &fn.Code[i]
		fmt.Fprint(h, in.Op)
		for j := range in.Args {
			fmt.Fprint(h, ", ", f.meaning(fn, &in.Args[j]))
		}
		fmt.Fprintln(h)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// meaning returns an operand with what its names stand for. String has less.
func (f *File) meaning(fn *Func, o *Operand) string {
	switch o.Kind {
	case Label:
		return fmt.Sprintf("to %d", fn.Labels[o.Name])
	case Argument:
		return fmt.Sprintf("kind %d %s%+d", o.Kind, o.Name, o.Imm)
	case Symbol, AddressOf:
		return fmt.Sprintf("kind %d %x%+d", o.Kind, f.Data[o.Name], o.Imm)
	}
	return o.String()
}
