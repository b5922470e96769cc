// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"fmt"

	layout "github.com/unimac/unimac/internal/layout/umac"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// This file specifies AES encryption, as a kernel and as a segment of other kernels.

var aesRounds = []string{"10 rounds", "12 rounds", "14 rounds"}

func roundsOf(variant string) (rounds int) {
	fmt.Sscan(variant, &rounds)
	return rounds
}

// A padBlock contains the words of a block whose encryption contains a message's pad.
type padBlock struct {
	in  [2]term.Term // the words to encrypt
	out [2]term.Term // unknowns that represent the encrypted words
}

func newPadBlock(c *engine.Case) (b padBlock) {
	b.in = [2]term.Term{c.Input("lo", false), c.Input("hi", false)}
	b.out = [2]term.Term{c.Input("pad", false), c.Input("pad", false)}
	return b
}

func blockOf(c *engine.Case, words [2]term.Term) (b spec.Block) {
	c.Store.Bytes(b[:8], words[0])
	c.Store.Bytes(b[8:], words[1])
	return b
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

// call calls the segment. The number of rounds is 10 + 2·rounds.
func (e encryption) call(c *engine.Case, keys *machine.Object, rounds term.Term, blocks ...padBlock) *engine.Assertion {
	a := e.before(c, keys, blocks)
	a.Call = &engine.Call{To: encryptedLabel, Buffers: map[string]engine.Place{"keys": engine.In(keys, 0)}}
	for i, variant := range aesRounds {
		a.Call.Cases = append(a.Call.Cases, engine.Entry{Variant: variant, Inputs: map[term.Term]engine.Values{rounds: engine.One(uint64(i))}})
	}
	for _, b := range blocks {
		a.Call.Results = append(a.Call.Results, b.out[:]...)
	}
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
			keys.Set(layout.KeysPadRounds, c.Const(64, uint64(roundsOf(c.Variant))))
			for i := range blocks {
				blocks[i] = newPadBlock(c)
			}
		},
		Spec: func(*engine.Case, int64, bool) {},
		Segment: engine.Segment{
			From: encryptLabel, To: encryptedLabel,
			Enter: func(c *engine.Case) *engine.Assertion { return e.before(c, keys, blocks) },
			Exit: func(c *engine.Case) *engine.Assertion {
				a := &engine.Assertion{}
				for i, b := range blocks {
					a.HasUnknown(c.Lane(e.blocks[i], 0), b.out[0])
					a.HasUnknown(c.Lane(e.blocks[i], 1), b.out[1])
				}
				a.Where = func(s engine.View) error {
					for i, b := range blocks {
						want := spec.AESEncrypt(c.Store, blockOf(c, b.in), keys, layout.KeysPadKeys, roundsOf(c.Variant))
						for j, got := range s.Of(b.out[:]...) {
							if err := s.Is(fmt.Sprintf("word %d of encrypted block %d", j, i), got, c.Gather(want[8*j:8*j+8])); err != nil {
								return err
							}
						}
					}
					return nil
				}
				return a
			},
		},
	}
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
			keys.Set(layout.RoundKeysRounds, c.Const(64, uint64(roundsOf(c.Variant))))
			c.Arg(blocks.Base, keys.Base)
		},
		Spec: func(c *engine.Case, _ int64, _ bool) {
			for at := int64(0); at < size; at += 16 {
				var block [16]term.Byte
				for i := range block {
					block[i] = blocks.Initial(at + int64(i))
				}
				block = spec.AESEncrypt(c.Store, block, keys, layout.RoundKeysKeys, roundsOf(c.Variant))
				c.ExpectBytes(blocks, at, block[:]...)
			}
		},
	}
}
