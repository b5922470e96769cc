// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package arm64

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
