// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package arm64

import "fmt"

// Code is a sequence of instructions, each a mnemonic and its operands, that are yet to
// be written. It has no labels.
type Code [][2]string

// Record returns the instructions that write would have added to the file.
func (f *File) Record(write func()) Code {
	before := f.block
	f.block = nil
	write()
	recorded := f.block
	f.block = before
	return recorded
}

// Write adds the instructions of several sequences to the file, each in its order and
// spread evenly over the whole.
func (f *File) Write(sequences ...Code) { f.block = append(f.block, Spread(sequences...)...) }

// Spread merges sequences as Write does: next comes always the sequence of which the
// smallest part was taken.
func Spread(sequences ...Code) Code {
	total := 0
	for _, c := range sequences {
		total += len(c)
	}
	merged := make(Code, 0, total)
	at := make([]int, len(sequences))
	for len(merged) < total {
		next := -1
		for i, c := range sequences {
			// The middles of instructions are compared: (at + 1/2) / len.
			if at[i] < len(c) && (next < 0 || (2*at[i]+1)*len(sequences[next]) < (2*at[next]+1)*len(c)) {
				next = i
			}
		}
		merged = append(merged, sequences[next][at[next]])
		at[next]++
	}
	return merged
}

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
