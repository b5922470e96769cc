// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"cmp"
	"fmt"
	"slices"

	layout "github.com/unimac/unimac/internal/layout/umac"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// This file specifies AES encryption, as a kernel and as a segment of other kernels.

var aesRounds = []string{"10 rounds", "12 rounds", "14 rounds"}

func roundsOf(c *engine.Case) int { return 10 + 2*slices.Index(aesRounds, c.Variant) }

// A padBlock contains the words of a block whose encryption contains a message's pad.
type padBlock struct {
	in  []term.Term // the words to encrypt
	out []term.Term // unknowns that represent the encrypted words
}

func newPadBlock(c *engine.Case) padBlock {
	return padBlock{
		in:  []term.Term{c.Input("lo", false), c.Input("hi", false)},
		out: []term.Term{c.Input("pad", false), c.Input("pad", false)},
	}
}

// An encryption describes code that encrypts a block in each of several registers.
type encryption struct {
	keys   string   // register that contains the address of the keys
	blocks []string // vector registers
}

// The encryption begins at encryptLabel and ends at encryptedLabel.
const encryptLabel, encryptedLabel = "encrypt", "padded"

// before returns the assertion that the registers contain the blocks to encrypt.
func (e encryption) before(c *engine.Case, keys *machine.Object, blocks []padBlock) *engine.Assertion {
	a := &engine.Assertion{Has: []engine.Has{c.Register(e.keys).Has(keys.Base)}}
	for i, b := range blocks {
		a.Has = append(a.Has, c.Lane(e.blocks[i], 0).Has(b.in[0]), c.Lane(e.blocks[i], 1).Has(b.in[1]))
	}
	return a
}

// call calls the segment for the blocks of messages with the same keys.
func (e encryption) call(c *engine.Case, messages ...umacSum) *engine.Assertion {
	var blocks []padBlock
	call := &engine.Call{To: encryptedLabel, Buffers: map[string]engine.Place{"keys": engine.In(messages[0].keys, 0)}}
	for _, m := range messages {
		blocks, call.Results = append(blocks, m.block), append(call.Results, m.block.out...)
	}
	for i, variant := range aesRounds {
		inputs := map[term.Term]engine.Values{messages[0].rounds: engine.One(uint64(i))}
		call.Cases = append(call.Cases, engine.Entry{Variant: variant, Inputs: inputs})
	}
	a := e.before(c, messages[0].keys, blocks)
	a.Call = call
	return a
}

// segment returns the segment that encrypts the blocks.
func (e encryption) segment(file, name string) engine.Kernel {
	var keys *machine.Object
	blocks := make([]padBlock, len(e.blocks))
	return engine.Kernel{
		File: file, Func: name, Variants: aesRounds,
		Setup: func(c *engine.Case) {
			keys = c.Buffer("keys", layout.SizeofKeys)
			keys.Set(layout.KeysPadRounds, c.Const(64, uint64(roundsOf(c))))
			for i := range blocks {
				blocks[i] = newPadBlock(c)
			}
		},
		Spec: func(*engine.Case, int64, bool) {},
		Segment: engine.Segment{
			From: encryptLabel, To: encryptedLabel,
			Enter: func(c *engine.Case) *engine.Assertion { return e.before(c, keys, blocks) },
			Exit: func(c *engine.Case) *engine.Assertion {
				a := &engine.Assertion{Where: func(s engine.View) (err error) {
					for i, b := range blocks {
						want := encrypted(c, b.in, keys, layout.KeysPadKeys)
						err = cmp.Or(err, represent(s, fmt.Sprint("encrypted block ", i), b.out, []term.Term{c.Gather(want[:8]), c.Gather(want[8:])}))
					}
					return err
				}}
				for i, b := range blocks {
					a.HasUnknown(c.Lane(e.blocks[i], 0), b.out[0])
					a.HasUnknown(c.Lane(e.blocks[i], 1), b.out[1])
				}
				return a
			},
		},
	}
}

// encrypted returns the encryption of two words with the keys at keys[at:].
func encrypted(c *engine.Case, words []term.Term, keys *machine.Object, at int64) spec.Block {
	return spec.AESEncrypt(c.Store, spec.BlockOf(c.Store, words...), keys, at, roundsOf(c))
}

func encryptAMD64(name string) engine.Kernel {
	const size = 8 * 16
	var blocks, keys *machine.Object
	return engine.Kernel{
		File: sumAMD64, Func: name,
		Claim:    "each of eight blocks is encrypted by AES, in its place",
		Variants: aesRounds,
		Setup: func(c *engine.Case) {
			blocks, keys = engine.Writable(c.Buffer("blocks", size)), c.Buffer("keys", layout.SizeofRoundKeys)
			keys.Set(layout.RoundKeysRounds, c.Const(64, uint64(roundsOf(c))))
			c.Arg(blocks.Base, keys.Base)
		},
		Spec: func(c *engine.Case, _ int64, _ bool) {
			for at := int64(0); at < size; at += 16 {
				block := encrypted(c, blocks.Words(at, 2, 8, 8), keys, layout.RoundKeysKeys)
				c.ExpectBytes(blocks, at, block[:]...)
			}
		},
	}
}

func subWord(file, name, claim string) engine.Kernel {
	var w term.Term
	var to *machine.Object
	var at int64
	return engine.Kernel{
		File: file, Func: name, Claim: claim,
		Setup: func(c *engine.Case) {
			if file == sumAMD64 {
				w, to, at = c.Arg32("w"), c.Arguments, c.Result(4)
				return
			}
			to = engine.Writable(c.Buffer("w", 4))
			w = to.Load(0, 4)
			c.Arg(to.Base)
		},
		Spec: func(c *engine.Case, _ int64, _ bool) {
			var b [4]term.Byte
			c.Store.Bytes(b[:], w)
			c.SubBytes(b[:], b[:])
			c.ExpectBytes(to, at, b[:]...)
		},
	}
}
