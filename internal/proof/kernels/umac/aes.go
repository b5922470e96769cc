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

var aesRounds = []string{"10 rounds", "12 rounds", "14 rounds"}

func roundsOf(c *engine.Case) int { return 10 + 2*slices.Index(aesRounds, c.Variant) }

// An encryption describes code that encrypts a block in each of several registers.
type encryption struct {
	keys   string   // register that contains the address of the keys
	blocks []string // vector registers
}

// The encryption begins at encryptLabel and ends at encryptedLabel.
const encryptLabel, encryptedLabel = "encrypt", "padded"

// before returns the assertion that the registers contain the blocks to encrypt.
func (e encryption) before(c *engine.Case, messages ...message) *engine.Assertion {
	a := &engine.Assertion{Has: []engine.Has{c.Register(e.keys).Has(messages[0].keys.Base)}}
	for i, m := range messages {
		a.Has = append(a.Has, c.Lane(e.blocks[i], 0).Has(m.block[0]), c.Lane(e.blocks[i], 1).Has(m.block[1]))
	}
	return a
}

// call calls the segment for the blocks of messages with the same keys.
func (e encryption) call(c *engine.Case, messages ...message) *engine.Assertion {
	a := e.before(c, messages...)
	a.Call = &engine.Call{To: encryptedLabel, Buffers: map[string]engine.Place{"keys": engine.In(messages[0].keys, 0)}}
	for i, variant := range aesRounds {
		inputs := map[term.Term]engine.Values{messages[0].rounds: engine.One(uint64(i))}
		a.Call.Cases = append(a.Call.Cases, engine.Entry{Variant: variant, Inputs: inputs})
	}
	for _, m := range messages {
		a.Call.Results = append(a.Call.Results, m.pad...)
	}
	return a
}

// segment returns the segment that encrypts the blocks.
func (e encryption) segment(file, name string) engine.Kernel {
	messages := make([]message, len(e.blocks))
	return engine.Kernel{
		File: file, Func: name, Variants: aesRounds,
		Setup: func(c *engine.Case) {
			keys := c.Buffer("keys", layout.SizeofKeys)
			keys.Set(layout.KeysPadRounds, c.Const(64, uint64(roundsOf(c))))
			for i := range messages {
				messages[i].keys = keys
				messages[i].declareBlock(c)
			}
		},
		Spec: func(*engine.Case, int64, bool) {},
		Segment: engine.Segment{
			From: encryptLabel, To: encryptedLabel,
			Enter: func(c *engine.Case) *engine.Assertion { return e.before(c, messages...) },
			Exit: func(c *engine.Case) *engine.Assertion {
				a := &engine.Assertion{Where: func(s engine.View) (err error) {
					for i, m := range messages {
						b := encrypted(c, m.block, m.keys, layout.KeysPadKeys)
						want := []term.Term{c.Gather(b[:8]), c.Gather(b[8:])}
						err = cmp.Or(err, represent(s, fmt.Sprint("encrypted block ", i), m.pad, want))
					}
					return err
				}}
				for i, m := range messages {
					a.HasUnknown(c.Lane(e.blocks[i], 0), m.pad[0])
					a.HasUnknown(c.Lane(e.blocks[i], 1), m.pad[1])
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
