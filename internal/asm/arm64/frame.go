// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package arm64

import "fmt"

// frameBase is the offset of the first local from the stack pointer, which is a multiple
// of 16. Go's assembler keeps the link register below it.
const frameBase = 16

// A Frame is where a function has its locals.
type Frame struct{ size int }

// A Local is memory in a frame; its address is a multiple of 16.
type Local int

// Local adds a local of so many bytes.
func (f *Frame) Local(size int) Local {
	l := Local(frameBase + f.size)
	f.size += (size + 15) &^ 15
	return l
}

// Size is what Function needs to know.
func (f *Frame) Size() int {
	if f.size == 0 {
		return 0
	}
	return f.size + frameBase - 8
}

// At is the memory at an offset from the beginning of the local.
func (l Local) At(offset int) string { return fmt.Sprintf("%d(RSP)", int(l)+offset) }

// Address puts the local's address in a register.
func (f *File) Address(l Local, to R) { f.Op("ADD", int(l), "RSP", to) }
