// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package aegis generates the kernels of AEGIS (RFC 10032). Begin with kernel.generate
// in aegis.go. For arm64, aegis_neon.go mirrors this code.
//
// AEGIS variants have one, two or four lanes, whose states consist of eight or six
// blocks. A vector contains the same block of one, two or four adjacent lanes. A word
// consists of one block for each lane. An Update processes a piece of the message, one
// or two words.
//
// An Update replaces each block S(i) by R(S(i-1), S(i)), where R is an AES round whose
// second operand, the round key, is only added. The last block is replaced first, so
// that none has to be moved. S0 becomes R(S(last), M) ^ S0, so S0 is off the critical
// path and M may be a memory operand.
package aegis

import layout "github.com/unimac/unimac/internal/layout/aegis"

// A family describes the differences between AEGIS-128 and AEGIS-256.
type family struct {
	name   string
	blocks int
	inputs []int // indices of the state blocks to which an Update adds message blocks
	finish int   // index of the state block with which Finish begins

	// stream[i] contains the indices of the state blocks that form keystream block i.
	stream [][4]int

	contexts   [2]int   // indices of the state blocks to which Init adds the lane's context
	first      [][]int  // initial state blocks: one or two inputs, which are added
	updates    [][2]int // inputs of each Update in Init; AEGIS-256 uses only the first
	iterations int
}

// Inputs of Init: key and nonce halves, C0 and C1.
const k0, k1, n0, n1, c0, c1 = 0, 1, 2, 3, 4, 5

var families = []*family{
	{
		name: "128", blocks: 8, inputs: []int{0, 4}, finish: 2,
		stream: [][4]int{{1, 6, 2, 3}, {2, 5, 6, 7}}, contexts: [2]int{3, 7},
		first:   [][]int{{k0, n0}, {c1}, {c0}, {c1}, {k0, n0}, {c0, k0}, {c1, k0}, {c0, k0}},
		updates: [][2]int{{n0, k0}}, iterations: 10,
	},
	{
		name: "256", blocks: 6, inputs: []int{0}, finish: 3,
		stream: [][4]int{{1, 4, 2, 3}}, contexts: [2]int{3, 5},
		first:   [][]int{{k0, n0}, {k1, n1}, {c1}, {c0}, {c0, k0}, {c1, k1}},
		updates: [][2]int{{k0, k0}, {k1, k1}}, iterations: 8,
	},
}

// fibonacci contains C0 and C1, which are Fibonacci numbers modulo 256.
var fibonacci = []uint64{0x0d08050302010100, 0x6279e99059372215, 0xf12fc26d55183ddb, 0xdd28b57342311120}

func (f *family) words() int { return len(f.inputs) }

func (f *family) parts() int { return 3 - len(f.inputs) }

// Sizes in bytes. In a State, each word has space for four lanes.
const (
	block   = 16
	word    = layout.WordStride
	maxRate = 2 * word // size of the longest piece
)

type operation struct {
	name       string
	mode       int
	text, open bool // text: XOR with the keystream; open: decrypt
}

// operations ends with absorb, because absorb is the default.
var operations = []operation{
	{name: "seal", mode: layout.ModeSeal, text: true},
	{name: "open", mode: layout.ModeOpen, text: true, open: true},
	{name: "absorb"},
}

func operate(k interface {
	unless(bits int, to string)
	Label(name string)
}, write func(op operation, loop string)) {
	for _, op := range operations {
		loop, next := op.name+"Piece", op.name+"NoPiece"
		if op.text {
			k.unless(op.mode, next)
		}
		k.Label(loop)
		write(op, loop)
		if op.text {
			k.Label(next)
		}
	}
}
