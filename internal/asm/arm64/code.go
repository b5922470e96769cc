// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package arm64

import "fmt"

// Code is a sequence of mnemonics and operands, without labels.
type Code [][2]string

// Record returns the instructions that write would add to the file.
func (f *File) Record(write func()) Code {
	before := f.block
	f.block = nil
	write()
	recorded := f.block
	f.block = before
	return recorded
}

// Write adds the sequences to the file, merged as by Spread.
func (f *File) Write(sequences ...Code) { f.block = append(f.block, Spread(sequences...)...) }

// Spread merges sequences evenly and keeps the order within each.
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
			// Compare the positions of the next instructions: (at + 1/2) / len.
			if at[i] < len(c) && (next < 0 || (2*at[i]+1)*len(sequences[next]) < (2*at[next]+1)*len(c)) {
				next = i
			}
		}
		merged = append(merged, sequences[next][at[next]])
		at[next]++
	}
	return merged
}

// frameBase is the first local's offset, above the saved link register.
const frameBase = 16

// A Frame allocates a function's locals.
type Frame struct{ size int }

// A Local is a stack offset, a multiple of 16.
type Local int

// Local allocates size bytes.
func (f *Frame) Local(size int) Local {
	l := Local(frameBase + f.size)
	f.size += (size + 15) &^ 15
	return l
}

// Size returns the size of all locals, for Function.
func (f *Frame) Size() int {
	if f.size == 0 {
		return 0
	}
	return f.size + frameBase - 8
}

func (l Local) At(offset int) string { return fmt.Sprintf("%d(RSP)", int(l)+offset) }

func (f *File) Address(l Local, to R) { f.Op("ADD", int(l), "RSP", to) }
