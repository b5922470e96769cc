// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import "github.com/mmcloughlin/avo/build"

// Code is a sequence of instructions that are yet to be written.
type Code []func()

// Write writes the instructions.
func (c Code) Write() {
	for _, instruction := range c {
		instruction()
	}
}

// Place labels the place after the code, as the function Place does. It changes no schedule.
func (c Code) Place(context *build.Context, name string) Code {
	last := len(c) - 1
	end := c[last]
	c[last] = func() { end(); Place(context, name) }
	return c
}

// Spread returns c with the other instructions, in their order, in between.
func (c Code) Spread(other Code) Code {
	var out Code
	at := 0
	for i, instruction := range c {
		for ; at*len(c) < (i+1)*len(other)-len(c)/2; at++ {
			out = append(out, other[at])
		}
		out = append(out, instruction)
	}
	return append(out, other[at:]...)
}
