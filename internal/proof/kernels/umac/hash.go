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
	return append([]engine.Kernel{
		hashNH(nhAMD64, "nhSSE41"), hashNH(nhAMD64, "nhAVX2"), hashNH(nhAMD64, "nhAVX512"), hashNH(nhARM64, "nhNEON"),
		hashNHPoly(nhAMD64, "nhPolySSE41"), hashNHPoly(nhAMD64, "nhPolyAVX2"), hashNHPoly(nhAMD64, "nhPolyAVX512"), hashNHPoly(nhARM64, "nhPolyNEON"),
		subWord(sumAMD64, "subWordAVX2AES", "returns AES's S-box of each byte of w"),
		subWord(sumAMD64, "subWordSSE41AES", "returns AES's S-box of each byte of w"),
		subWord(sumARM64, "subWordNEONAES", "w is AES's S-box of each of its bytes"),
		encryptAMD64("encryptAVX2AES"), encryptAMD64("encryptSSE41AES"),
	},
		new(umacSum).kernel(sumARM64, "sumNEONAES", spec.NHChunk, umacNEON),
		sumLong("sumAVX2AES", umacVEX), sumLong("sumAVX512AES", umacVEX), sumLong("sumSSE41AES", umacSSE41),
		sumFour(),
	)
})

const (
	nhAMD64, nhARM64   = "internal/umac/nh_amd64.s", "internal/umac/nh_arm64.s"
	sumAMD64, sumARM64 = "internal/umac/sum_amd64.s", "internal/umac/sum_arm64.s"
)

var nhNames = []string{"1 stream", "2 streams", "3 streams", "4 streams"}

func nhStreams(c *engine.Case) int { return 1 + slices.Index(nhNames, c.Variant) }

// nhValues returns the NH values of msg[at:at+n], one per stream.
func nhValues(c *engine.Case, key, msg *machine.Object, at, n int64, streams int) (values []term.Term) {
	for stream := range streams {
		values = append(values, spec.NHValue(c.Store, key, msg, at, n, stream))
	}
	return values
}

// nhKey declares the NH key at stored[offset:] and returns it in order.
func nhKey(c *engine.Case, stored *machine.Object, offset int64, streams int) (key *machine.Object) {
	const row = spec.NHChunk / 2
	// Only specifications use this object, which no kernel can access.
	key = c.Buffer("pieces", int64(spec.NHChunk+16*streams))
	// Row j holds every second 16-byte piece, starting with piece j.
	for j := range int64(streams + 1) {
		for at := int64(0); at < row; at += 4 {
			piece := 2*(at/16) + j
			stored.Set(offset+j*row+at, key.Load(16*piece+at%16, 4))
		}
	}
	return key
}

func hashNH(file, name string) engine.Kernel {
	var values, key, chunk *machine.Object
	return engine.Kernel{
		File: file, Func: name,
		Claim:    "the NH values of a chunk, padded with zeros, plus its length in bits",
		Variants: nhNames,
		Range:    engine.Range{Unit: 1, Min: 0, Max: spec.NHChunk},
		Setup: func(c *engine.Case) {
			values, chunk = engine.Writable(c.Buffer("values", 8*spec.NHStreams)), c.Bytes("chunk", c.N)
			stored := c.Buffer("key", spec.NHKeySize)
			key = nhKey(c, stored, 0, nhStreams(c))
			c.Arg(values.Base, stored.Base, chunk.Base, c.N, c.Const(64, uint64(nhStreams(c))))
		},
		Spec: func(c *engine.Case, n int64, _ bool) {
			c.Expect(values, 0, nhValues(c, key, chunk, 0, n, nhStreams(c))...)
		},
	}
}

func hashNHPoly(file, name string) engine.Kernel {
	const size = layout.SizeofPolyState
	var state, key, msg *machine.Object
	var poly *poly64
	var begun []term.Term
	values := func(c *engine.Case) []term.Term {
		return nhValues(c, key, msg, 0, spec.NHChunk, nhStreams(c))
	}
	return engine.Kernel{
		File: file, Func: name,
		Claim:    "y of POLY-64 (modulo 2^64 - 59, any word that is it) after the last value and all NH values but the last, which is stored; the words of other streams, which are secret, may have anything",
		Variants: nhNames,
		Range:    engine.Range{Unit: spec.NHChunk, Min: 0, Max: 64 << 10},
		Loop: engine.Loop{
			Step:      spec.NHChunk,
			Invariant: func(c *engine.Case) *engine.Assertion { return poly.invariant(c, begun, values(c)) },
		},
		Setup: func(c *engine.Case) {
			state, msg = engine.Writable(c.Buffer("st", size)), c.Bytes("msg", c.N)
			polyKey, stored := c.Buffer("poly", layout.SizeofPoly64Key), c.Buffer("key", spec.NHKeySize)
			key = nhKey(c, stored, 0, nhStreams(c))
			poly = poly64Key(c, polyKey, 0, nhStreams(c))
			poly.in = func() *machine.Object { return state }
			c.Head = fmt.Sprintf("chunk%d", nhStreams(c))
			begun = poly.begin(c)
			for i, word := range begun {
				state.Set(poly.place(i).At, word)
			}
			c.Arg(state.Base, stored.Base, polyKey.Base, msg.Base, c.N, c.Const(64, uint64(nhStreams(c))))
		},
		Spec: func(c *engine.Case, n int64, _ bool) {
			if n == 0 {
				return
			}
			c.Secret(state, 0, size)
			for i := range begun {
				c.Checked(state, poly.place(i).At, poly.place(i).At+8)
			}
		},
		Left: func(c *engine.Case, s engine.View, n int64) error {
			if n == 0 {
				return nil
			}
			return poly.checkTurn(c, s, values(c))
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

type l3 struct {
	k1    [4]term.Term // the last four words; 8-byte values do not use the others
	k2    term.Term
	value term.Term // unknown that represents any value
}

// l3Key declares a stream's key, which keys holds both separately and interleaved.
func l3Key(c *engine.Case, keys *machine.Object, stream int) *l3 {
	at := layout.KeysUhashL3 + layout.SizeofL3Key*int64(stream)
	l := &l3{value: c.NewLeaf(64, term.LeafInfo{Name: "value"})}
	for i := range l.k1 {
		l.k1[i] = c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("k1[%d][%d]", stream, 4+i), Max: spec.L3Prime.Uint64() - 1})
		keys.Set(at+layout.L3KeyK1+32+8*int64(i), l.k1[i])
		keys.Set(layout.KeysL3K1+8*int64(spec.NHStreams*i+stream), l.k1[i])
	}
	l.k2 = c.NewLeaf(32, term.LeafInfo{Name: fmt.Sprintf("k2[%d]", stream)})
	keys.Set(at+layout.L3KeyK2, l.k2)
	var mask [4]term.Byte
	c.Store.Bytes(mask[:], l.k2)
	slices.Reverse(mask[:])
	keys.Set(layout.KeysL3K2+4*int64(stream), c.Gather(mask[:]))
	return l
}

// check compares bytes with L3-HASH of value, without the mask.
func (l *l3) check(c *engine.Case, s engine.View, bytes [4]term.Byte, value term.Term) error {
	hash, _ := bytes[0].Of()
	for i, b := range bytes {
		if of, j := b.Of(); of != hash || j != i {
			return fmt.Errorf("the hash is put together from several numbers: %s", c.Format(c.Gather(bytes[:])))
		}
	}
	hash = c.Replace(map[term.Term]term.Term{value: l.value}).Term(hash)
	return once(c, [...]any{"hash", l.value, hash}, func() error {
		return algebra.Cases(c.Store, hash, func(a *algebra.Algebra, hash term.Term) error {
			if !s.Congruent(a, a.Value(hash), spec.L3Product(c.Store, a, l.value, l.k1), spec.L3Prime) {
				return errors.New("the hash is another number modulo 2^36 - 5")
			}
			return s.AtMost(a, hash, spec.L3Prime.Uint64()-1)
		})
	})
}

// A poly64 describes the POLY-64 hashes of several streams.
type poly64 struct {
	k, square []term.Term
	in        func() *machine.Object // returns memory that begins with the state
	words     []term.Term            // y of each used stream, followed by the streams' last values
}

func (p *poly64) place(i int) engine.Place {
	at := [2]int64{layout.PolyStateY, layout.PolyStateLast}[i/len(p.k)]
	return engine.In(p.in(), at+8*int64(i%len(p.k)))
}

// poly64Key declares the POLY-64 key at o[at:], in package umac's layout.
func poly64Key(c *engine.Case, o *machine.Object, at int64, streams int) *poly64 {
	p := &poly64{}
	squares := algebra.New(c.Store)
	c.Rings = append(c.Rings, engine.Congruence{Algebra: squares, Prime: spec.Poly64Prime})
	for s := range streams {
		k := c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("k%d", s), Max: spec.Poly64Mask})
		square := c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("k%d²", s), Max: spec.Poly64Prime.Uint64() - 1})
		p.k, p.square = append(p.k, k), append(p.square, square)
		squares.Let(square, squares.Value(k).Power(2))
		o.Set(at+layout.Poly64KeyK+8*int64(s), k)
		o.Set(at+layout.Poly64KeySquare+8*int64(s), square)
		o.Set(at+layout.Poly64KeyOffset+8*int64(s), c.AddConst(k, 59))
	}
	return p
}

// begin replaces the words of the state with new ones and returns them.
func (p *poly64) begin(c *engine.Case) []term.Term {
	p.words = nil
	for i := range 2 * len(p.k) {
		p.words = append(p.words, c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("word%d", i)}))
	}
	return p.words
}

// invariant compares the state with begun on entry, and calls checkTurn afterwards.
func (p *poly64) invariant(c *engine.Case, begun, values []term.Term) *engine.Assertion {
	a := &engine.Assertion{Where: func(s engine.View) error {
		if c.Looped {
			return p.checkTurn(c, s, values)
		}
		return represent(s, "the state", p.words, begun)
	}}
	for i, word := range p.begin(c) {
		a.HasUnknown(p.place(i), word)
	}
	return a
}

// checkTurn checks y and the last values after an iteration.
func (p *poly64) checkTurn(c *engine.Case, s engine.View, values []term.Term) error {
	for stream := range p.k {
		if err := s.Is(fmt.Sprintf("the last value of stream %d", stream), s.At(p.place(len(p.k)+stream)), values[stream]); err != nil {
			return err
		}
	}
	return p.checkAbsorbed(c, s)
}

// checkAbsorbed checks that each stream's y has absorbed the stream's last value.
func (p *poly64) checkAbsorbed(c *engine.Case, s engine.View) (err error) {
	for stream := range p.k {
		y, last := c.Begun(s, p.words[stream]), p.words[len(p.k)+stream]
		err = cmp.Or(err, p.checkStep(c, s, s.At(p.place(stream)), stream, y, last, false))
	}
	return err
}

// checkStep checks that got is y after POLY-64 has absorbed word.
func (p *poly64) checkStep(c *engine.Case, s engine.View, got term.Term, stream int, y, word term.Term, reduced bool) error {
	return once(c, [...]any{"step", got, y, word, stream, reduced}, func() error {
		for _, in := range []term.LeafInfo{{Max: spec.Poly64Limit - 1}, {Min: spec.Poly64Limit, Max: ^uint64(0)}} {
			bounded := c.NewLeaf(64, in)
			got := c.Replace(map[term.Term]term.Term{word: bounded}).Term(got)
			if err := algebra.Cases(c.Store, got, func(a *algebra.Algebra, got term.Term) error {
				a.Let(p.square[stream], a.Value(p.k[stream]).Power(2))
				want := spec.Poly64Step(a.Value(p.k[stream]), a.Value(y), a.Value(bounded), in.Min > 0)
				if !s.Congruent(a, a.Value(got), want, spec.Poly64Prime) {
					return fmt.Errorf("y of stream %d, after a word from %#x on, is another number modulo 2^64 - 59", stream, in.Min)
				}
				if reduced {
					return s.AtMost(a, got, spec.Poly64Prime.Uint64()-1)
				}
				return nil
			}); err != nil {
				return err
			}
		}
		return nil
	})
}
