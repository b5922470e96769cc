// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package aegis generates the kernels of AEGIS (RFC 10032).
//
// A lane's state is eight blocks, or six. A vector holds one block of one, two or four
// neighbouring lanes, which never meet, so that one generator writes every width.
//
// An Update replaces each block S(i) by R(S(i-1), S(i)), where R is AES's round and its second
// operand the round key. From the last block down each takes its old place, so that nothing is
// moved. S0 comes last, with R(S(last), M), which was computed first: a round key is only
// added, so R(S(last), S0 ^ M) = R(S(last), M) ^ S0. So S0 waits for itself for an
// addition instead of a round and an addition, and M may come from memory.
// In the family with eight blocks this is so of S4, too.
package aegis

import "github.com/unimac/unimac/internal/asm/layout"

// A family is one of the two: what differs between them.
type family struct {
	name   string
	blocks int
	inputs []int // the blocks to which an Update adds a block of the message
	finish int   // the block that Finish begins with

	// The key stream, of each block of the message: the first two are added to the product of the others.
	stream [][4]int

	contexts [2]int   // the blocks to which Init adds the lane's context
	first    [][]int  // what they are at first: one of the blocks that follow, or the sum of two
	turn     [][2]int // what each Update of a turn of Init gets: in the family with one input the first
	turns    int
}

// What a message begins with: the parts of the key and of the nonce, and the constants.
const k0, k1, n0, n1, c0, c1 = 0, 1, 2, 3, 4, 5

var families = []*family{
	{
		name: "128", blocks: 8, inputs: []int{0, 4}, finish: 2,
		stream: [][4]int{{1, 6, 2, 3}, {2, 5, 6, 7}}, contexts: [2]int{3, 7},
		first: [][]int{{k0, n0}, {c1}, {c0}, {c1}, {k0, n0}, {c0, k0}, {c1, k0}, {c0, k0}},
		turn:  [][2]int{{n0, k0}}, turns: 10,
	},
	{
		name: "256", blocks: 6, inputs: []int{0}, finish: 3,
		stream: [][4]int{{1, 4, 2, 3}}, contexts: [2]int{3, 5},
		first: [][]int{{k0, n0}, {k1, n1}, {c1}, {c0}, {c0, k0}, {c1, k1}},
		turn:  [][2]int{{k0, k0}, {k1, k1}}, turns: 8,
	},
}

// fibonacci has C0 and C1, the Fibonacci numbers modulo 256.
var fibonacci = []uint64{0x0d08050302010100, 0x6279e99059372215, 0xf12fc26d55183ddb, 0xdd28b57342311120}

// words is how many blocks of the message a lane takes at once.
func (f *family) words() int { return len(f.inputs) }

// parts is how many blocks the key has, and the nonce.
func (f *family) parts() int { return 3 - len(f.inputs) }

// Where the assembly finds the blocks of neighbouring lanes: a word of a State has room for four lanes.
const (
	block   = 16
	word    = 4 * block
	maxRate = 2 * word // the longest piece
)

// What a call does, in the field mode: it absorbs unless it encrypts or decrypts.
const (
	modeInit  = 1 << iota // begins with the key and the nonce, not with a state
	modeSeal              // encrypts
	modeOpen              // decrypts
	modeSums              // finishes, with the sums of each lane
	modeTag               // finishes, with the tag
	modeStore             // stores the state in the end
	modeCode              // finishes twice, with the tag that is a code, in a kernel with all lanes
	modeData              // absorbs a piece of additional data before the message, if it begins
)

// An operation is what is done with the message.
type operation struct {
	name       string
	mode       int
	text, open bool // it has a key stream, which is added to a ciphertext
}

// operations has absorb last: it is what no mode asks for.
var operations = []operation{
	{name: "seal", mode: modeSeal, text: true},
	{name: "open", mode: modeOpen, text: true, open: true},
	{name: "absorb"},
}

// operate writes the loop over whole pieces of each operation, the right one of which runs. It does not go on after it.
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

// Where a message's fields are.
const (
	messageDst = 8 * iota
	messageSrc
	messageLen
	messageStride
	messageAt
	messageFrom
	messageTo
	messageKey
	messageNonce
	messageContext
	messageOut
	messageMode
	messageX
	messageY
	messageSize
)

// Layout is what the assembly knows of the package's structs.
var Layout = []layout.Field{
	{Name: "message.dst", Offset: messageDst}, {Name: "message.src", Offset: messageSrc},
	{Name: "message.n", Offset: messageLen}, {Name: "message.stride", Offset: messageStride},
	{Name: "message.at", Offset: messageAt}, {Name: "message.from", Offset: messageFrom},
	{Name: "message.to", Offset: messageTo}, {Name: "message.key", Offset: messageKey},
	{Name: "message.nonce", Offset: messageNonce}, {Name: "message.context", Offset: messageContext},
	{Name: "message.out", Offset: messageOut}, {Name: "message.mode", Offset: messageMode},
	{Name: "message.x", Offset: messageX}, {Name: "message.y", Offset: messageY},
	{Name: "message.size", Offset: messageSize}, {Name: "State.blocks", Offset: 0},
}
