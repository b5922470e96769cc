// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package umac contains the proof statements for the assembly kernels of UMAC.
package umac

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	layout "github.com/unimac/unimac/internal/layout/umac"
	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// Kernels contains the statements of package umac's kernels.
var Kernels = engine.Constructed(func() []engine.Kernel {
	return []engine.Kernel{
		hashNH(nhAMD64, "nhSSE41"), hashNH(nhAMD64, "nhAVX2"), hashNH(nhAMD64, "nhAVX512"), hashNH(nhARM64, "nhNEON"),
		hashNHPoly(nhAMD64, "nhPolySSE41"), hashNHPoly(nhAMD64, "nhPolyAVX2"), hashNHPoly(nhAMD64, "nhPolyAVX512"), hashNHPoly(nhARM64, "nhPolyNEON"),
		subWord(sumAMD64, "subWordAVX2AES"), subWord(sumAMD64, "subWordSSE41AES"), subWord(sumARM64, "subWordNEONAES"),
		encryptAMD64("encryptAVX2AES"), encryptAMD64("encryptSSE41AES"),
		new(message).kernel(sumARM64, "sumNEONAES", spec.NHChunk, encryption{"R12", []string{"V28"}}),
		sumLong("sumAVX2AES", encryption{"CX", []string{"Z0"}}), sumLong("sumAVX512AES", encryption{"CX", []string{"Z0"}}),
		sumLong("sumSSE41AES", encryption{"SI", []string{"Z1"}}),
		sumFour(),
	}
})

const (
	nhAMD64, nhARM64   = "internal/umac/nh_amd64.s", "internal/umac/nh_arm64.s"
	sumAMD64, sumARM64 = "internal/umac/sum_amd64.s", "internal/umac/sum_arm64.s"
	batchAMD64         = "internal/umac/batch_amd64.s"
)

// A message describes what a kernel computes for one message, and the keys.
type message struct {
	streams               int
	tag, msg, keys, nhKey *machine.Object

	k, square []term.Term            // the POLY-64 keys of the streams
	state     func() *machine.Object // returns memory that begins with the state of POLY-64
	words     []term.Term            // y of each stream, followed by the streams' last values

	k1 [][4]term.Term // the last four words of L3-HASH's keys; 8-byte values do not use the others
	k2 []term.Term

	rounds     term.Term   // half the number of AES rounds above 10
	block, pad []term.Term // the words to encrypt, and unknowns that represent the encrypted words
	at         int64       // offset of the message's pad in the encrypted block

	from    int64        // offset of the message's tag
	fields  engine.Place // of the struct that describes one of several messages
	results []term.Term  // unknowns that represent its NH values
}

// newMessage returns a message with the streams and the pad's offset, if any, of the
// case's variant.
func newMessage(c *engine.Case) *message {
	m := &message{}
	if n, err := fmt.Sscanf(c.Variant, "%d streams, pad at %d", &m.streams, &m.at); n == 0 {
		panic(err)
	}
	return m
}

// values returns the streams' NH values of n message bytes at offset at.
func (m *message) values(c *engine.Case, at, n int64) (values []term.Term) {
	for stream := range m.streams {
		values = append(values, spec.NHValue(c.Store, m.nhKey, m.msg, at, n, stream))
	}
	return values
}

// declareNH declares the NH key at stored[offset:].
func (m *message) declareNH(c *engine.Case, stored *machine.Object, offset int64) {
	const row = spec.NHChunk / 2
	// Only specifications use this object, which no kernel can access.
	m.nhKey = c.Buffer("pieces", int64(spec.NHChunk+16*m.streams))
	// Row j holds every second 16-byte piece, starting with piece j.
	for j := range int64(m.streams + 1) {
		for at := int64(0); at < row; at += 4 {
			piece := 2*(at/16) + j
			stored.Set(offset+j*row+at, m.nhKey.Load(16*piece+at%16, 4))
		}
	}
}

var nhVariants = []string{"1 stream", "2 streams", "3 streams", "4 streams"}

func hashNH(file, name string) engine.Kernel {
	var m *message
	var values *machine.Object
	return engine.Kernel{
		File: file, Func: name,
		Claim:    "the NH values of a chunk, padded with zeros, plus its length in bits",
		Variants: nhVariants,
		Range:    engine.Range{Unit: 1, Min: 0, Max: spec.NHChunk},
		Setup: func(c *engine.Case) {
			m, values = newMessage(c), engine.Writable(c.Buffer("values", 8*spec.NHStreams))
			m.keys, m.msg = c.Buffer("key", spec.NHKeySize), c.Bytes("chunk", c.N)
			m.declareNH(c, m.keys, 0)
			c.Arg(values.Base, m.keys.Base, m.msg.Base, c.N, c.Const(64, uint64(m.streams)))
		},
		Spec: func(c *engine.Case, n int64, _ bool) { c.Expect(values, 0, m.values(c, 0, n)...) },
	}
}

func hashNHPoly(file, name string) engine.Kernel {
	var m *message
	var state *machine.Object
	var begun []term.Term
	return engine.Kernel{
		File: file, Func: name,
		Claim:    "y of POLY-64 (modulo 2^64 - 59, any word that is it) after the last value and all NH values but the last, which is stored; the words of other streams, which are secret, may have anything",
		Variants: nhVariants,
		Range:    engine.Range{Unit: spec.NHChunk, Min: 0, Max: 64 << 10},
		Loop: engine.Loop{
			Step:      spec.NHChunk,
			Invariant: func(c *engine.Case) *engine.Assertion { return m.invariant(c, begun, m.values(c, 0, spec.NHChunk)) },
		},
		Setup: func(c *engine.Case) {
			m, state = newMessage(c), engine.Writable(c.Buffer("st", layout.SizeofPolyState))
			m.keys, m.msg = c.Buffer("key", spec.NHKeySize), c.Bytes("msg", c.N)
			poly := c.Buffer("poly", layout.SizeofPoly64Key)
			m.declareNH(c, m.keys, 0)
			m.declarePoly(c, poly, 0)
			m.state = func() *machine.Object { return state }
			c.Head = fmt.Sprintf("chunk%d", m.streams)
			begun = m.begin(c)
			state.Set(layout.PolyStateY, begun[:m.streams]...)
			state.Set(layout.PolyStateLast, begun[m.streams:]...)
			c.Arg(state.Base, m.keys.Base, poly.Base, m.msg.Base, c.N, c.Const(64, uint64(m.streams)))
		},
		Spec: func(c *engine.Case, n int64, _ bool) {
			if n == 0 {
				return
			}
			c.Secret(state, 0, layout.SizeofPolyState)
			for i := range begun {
				c.Checked(state, m.place(i).At, m.place(i).At+8)
			}
		},
		Left: func(c *engine.Case, s engine.View, n int64) error {
			if n == 0 {
				return nil
			}
			return m.checkTurn(c, s, m.values(c, 0, spec.NHChunk))
		},
	}
}

// once returns the result of check, which runs only once per key.
func once(c *engine.Case, key any, check func() error) error {
	type result struct{ error }
	return term.Memo(c.Store, key, func() result { return result{check()} }).error
}

// represent returns an error unless unknowns represent the words of what.
func represent(s engine.View, what string, unknowns, words []term.Term) (err error) {
	for i, got := range s.Of(unknowns...) {
		err = cmp.Or(err, s.Is(fmt.Sprintf("word %d of %s", i, what), got, words[i]))
	}
	return err
}

// declareL3 declares L3-HASH's keys, which m.keys holds both separately and interleaved.
func (m *message) declareL3(c *engine.Case) {
	for stream := range m.streams {
		at := layout.KeysUhashL3 + layout.SizeofL3Key*int64(stream)
		var k1 [4]term.Term
		for i := range k1 {
			k1[i] = c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("k1[%d][%d]", stream, 4+i), Max: spec.L3Prime.Uint64() - 1})
			m.keys.Set(layout.KeysL3K1+8*int64(spec.NHStreams*i+stream), k1[i])
		}
		k2 := c.NewLeaf(32, term.LeafInfo{Name: fmt.Sprintf("k2[%d]", stream)})
		m.keys.Set(at+layout.L3KeyK1+32, k1[:]...)
		m.keys.Set(at+layout.L3KeyK2, k2)
		var mask [4]term.Byte
		c.Store.Bytes(mask[:], k2)
		slices.Reverse(mask[:])
		m.keys.Set(layout.KeysL3K2+4*int64(stream), c.Gather(mask[:]))
		m.k1, m.k2 = append(m.k1, k1), append(m.k2, k2)
	}
}

// checkL3 compares bytes with a stream's L3-HASH of value, without the mask.
func (m *message) checkL3(c *engine.Case, s engine.View, bytes [4]term.Byte, value term.Term, stream int) error {
	hash, _ := bytes[0].Of()
	for i, b := range bytes {
		if of, j := b.Of(); of != hash || j != i {
			return fmt.Errorf("the hash is put together from several numbers: %s", c.Format(c.Gather(bytes[:])))
		}
	}
	some := term.Memo(c.Store, [...]any{"some value"}, func() term.Term { return c.Input("value", false) }) // represents any value
	hash = c.Replace(map[term.Term]term.Term{value: some}).Term(hash)
	return once(c, [...]any{"hash", m.k1[stream], hash}, func() error {
		return algebra.Cases(c.Store, hash, func(a *algebra.Algebra, hash term.Term) error {
			if !s.Congruent(a, a.Value(hash), spec.L3Product(c.Store, a, some, m.k1[stream]), spec.L3Prime) {
				return errors.New("the hash is another number modulo 2^36 - 5")
			}
			return s.AtMost(a, hash, spec.L3Prime.Uint64()-1)
		})
	})
}

// declarePoly declares the POLY-64 key at o[at:], in package umac's layout.
func (m *message) declarePoly(c *engine.Case, o *machine.Object, at int64) {
	squares := algebra.New(c.Store)
	c.Rings = append(c.Rings, engine.Congruence{Algebra: squares, Prime: spec.Poly64Prime})
	for s := range m.streams {
		k := c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("k%d", s), Max: spec.Poly64Mask})
		square := c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("k%d²", s), Max: spec.Poly64Prime.Uint64() - 1})
		m.k, m.square = append(m.k, k), append(m.square, square)
		squares.Let(square, squares.Value(k).Power(2))
		o.Set(at+layout.Poly64KeyK+8*int64(s), k)
		o.Set(at+layout.Poly64KeySquare+8*int64(s), square)
		o.Set(at+layout.Poly64KeyOffset+8*int64(s), c.AddConst(k, 59))
	}
}

// place returns the place of word i of the state.
func (m *message) place(i int) engine.Place {
	at := [2]int64{layout.PolyStateY, layout.PolyStateLast}[i/m.streams]
	return engine.In(m.state(), at+8*int64(i%m.streams))
}

// begin replaces the words of the state with new ones and returns them.
func (m *message) begin(c *engine.Case) []term.Term {
	m.words = nil
	for i := range 2 * m.streams {
		m.words = append(m.words, c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("word%d", i)}))
	}
	return m.words
}

// invariant compares the state with begun on entry, and calls checkTurn afterwards.
func (m *message) invariant(c *engine.Case, begun, values []term.Term) *engine.Assertion {
	a := &engine.Assertion{Where: func(s engine.View) error {
		if c.Looped {
			return m.checkTurn(c, s, values)
		}
		return represent(s, "the state", m.words, begun)
	}}
	for i, word := range m.begin(c) {
		a.HasUnknown(m.place(i), word)
	}
	return a
}

// checkTurn checks y and the last values after an iteration.
func (m *message) checkTurn(c *engine.Case, s engine.View, values []term.Term) (err error) {
	for stream := range m.streams {
		last := s.At(m.place(m.streams + stream))
		err = cmp.Or(err, s.Is(fmt.Sprintf("the last value of stream %d", stream), last, values[stream]))
	}
	return cmp.Or(err, m.checkAbsorbed(c, s))
}

// checkAbsorbed checks that each stream's y has absorbed the stream's last value.
func (m *message) checkAbsorbed(c *engine.Case, s engine.View) (err error) {
	for stream := range m.streams {
		y, last := c.Begun(s, m.words[stream]), m.words[m.streams+stream]
		err = cmp.Or(err, m.checkStep(c, s, s.At(m.place(stream)), stream, y, last, false))
	}
	return err
}

// checkStep checks that got is y after POLY-64 has absorbed word.
func (m *message) checkStep(c *engine.Case, s engine.View, got term.Term, stream int, y, word term.Term, reduced bool) error {
	return once(c, [...]any{"step", got, y, word, stream, reduced}, func() (err error) {
		for _, in := range []term.LeafInfo{{Max: spec.Poly64Limit - 1}, {Min: spec.Poly64Limit, Max: ^uint64(0)}} {
			bounded := c.NewLeaf(64, in)
			got := c.Replace(map[term.Term]term.Term{word: bounded}).Term(got)
			err = cmp.Or(err, algebra.Cases(c.Store, got, func(a *algebra.Algebra, got term.Term) error {
				a.Let(m.square[stream], a.Value(m.k[stream]).Power(2))
				want := spec.Poly64Step(a.Value(m.k[stream]), a.Value(y), a.Value(bounded), in.Min > 0)
				if !s.Congruent(a, a.Value(got), want, spec.Poly64Prime) {
					return fmt.Errorf("y of stream %d, after a word from %#x on, is another number modulo 2^64 - 59", stream, in.Min)
				}
				if !reduced {
					return nil
				}
				return s.AtMost(a, got, spec.Poly64Prime.Uint64()-1)
			}))
		}
		return err
	})
}
