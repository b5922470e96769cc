// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/unimac/unimac/internal/mactest/bounds"
)

// The models below take the steps of the kernels, limb by limb, on numbers that
// know how large they may be. So they show that nothing overflows whatever the
// message, the accumulator and r; and that the steps are those of the kernels
// shows in their results, which are the kernels' to the last bit.

type number = bounds.Int

// modelInput is what a kernel is given, and how large the numbers in it may be.
type modelInput struct {
	h, r    [3]uint64
	mostH2  uint64    // the largest upper word of an accumulator
	mostR   [2]uint64 // the largest r
	mostTop uint64    // the largest upper word of a power of r
	msg     []byte

	// powerOf has the words of r^n, as whoever computes the powers leaves them.
	powerOf func(r [3]uint64, n int) [3]uint64
}

func newModelInput(s *State, msg []byte) *modelInput {
	return &modelInput{
		h: s.h, r: [3]uint64{s.r[0], s.r[1]}, msg: msg,
		mostH2: 7, mostR: [2]uint64{0x0ffffffc0fffffff, 0x0ffffffc0ffffffc}, mostTop: 4,
		powerOf: powerOf,
	}
}

func (in *modelInput) accumulator() [3]number {
	return [3]number{bounds.Word(in.h[0]), bounds.Word(in.h[1]), bounds.New(in.h[2], in.mostH2)}
}

// power is r^n.
func (in *modelInput) power(n int) [3]number {
	w := in.powerOf(in.r, n)
	return [3]number{bounds.Word(w[0]), bounds.Word(w[1]), bounds.New(w[2], in.mostTop)}
}

// powerOf is r^n by multiplications.
func powerOf(r [3]uint64, n int) [3]uint64 {
	h := [3]uint64{1}
	for range n {
		h[0], h[1], h[2] = multiply(h[0], h[1], h[2], r[0], r[1])
	}
	return h
}

// block returns the words of block i of the message.
func (in *modelInput) block(i int) [2]number {
	b := in.msg[BlockSize*i:]
	return [2]number{bounds.Word(binary.LittleEndian.Uint64(b)), bounds.Word(binary.LittleEndian.Uint64(b[8:]))}
}

// carry splits x into a word and what it carries.
func carry(x number) (low, c number) { return x.Low(64), x.Shr(64) }

// addWords adds two numbers, word by word, and lets the last word take the carry.
func addWords(log *bounds.Log, name string, a, b [3]number) [3]number {
	var c, d number
	a[0], c = carry(a[0].Add(b[0]))
	a[1], d = carry(a[1].Add(b[1]).Add(c))
	a[2] = log.Fits(name, a[2].Add(b[2]).Add(d), 64)
	return a
}

// fold brings what the upper word has from 2^130 up back at the bottom, 5 times.
func fold(log *bounds.Log, h [3]number) [3]number {
	over := h[2].Shr(2)
	five := log.Fits("5·(h above 2^130)", over.Mul(bounds.Constant(5)), 64)
	return addWords(log, "h2", [3]number{h[0], h[1], h[2].Low(2)}, [3]number{five, bounds.Constant(0), bounds.Constant(0)})
}

// multiplyModel is multiply. The products are summed in pairs of words.
func multiplyModel(log *bounds.Log, h [3]number, r [2]number) [3]number {
	q := log.Fits("q", r[1].Add(r[1].Shr(2)), 64)
	low := log.Fits("h0·r0 + h1·q", h[0].Mul(r[0]).Add(h[1].Mul(q)), 128)
	h2q := log.Fits("h2·q", h[2].Mul(q), 64)
	middle := log.Fits("h0·r1 + h1·r0 + h2·q", h[0].Mul(r[1]).Add(h[1].Mul(r[0])).Add(h2q), 128)
	lo1, c := carry(middle.Low(64).Add(low.Shr(64)))
	top := log.Fits("h2·r0 + carries", h[2].Mul(r[0]).Add(middle.Shr(64)).Add(c), 64)
	return fold(log, [3]number{low.Low(64), lo1, top})
}

// genericModel is blocksGeneric.
func genericModel(log *bounds.Log, in *modelInput) [3]number {
	h := in.accumulator()
	r := [2]number{bounds.New(in.r[0], in.mostR[0]), bounds.New(in.r[1], in.mostR[1])}
	for i := range len(in.msg) / BlockSize {
		b := in.block(i)
		h = addWords(log, "h2 + block", h, [3]number{b[0], b[1], bounds.Constant(1)})
		h = multiplyModel(log, h, r)
	}
	return h
}

// amd64Model is the scalar kernel for amd64. Each multiplication takes the next
// block in, and folds before the last two carries.
func amd64Model(log *bounds.Log, in *modelInput) [3]number {
	r := [2]number{bounds.New(in.r[0], in.mostR[0]), bounds.New(in.r[1], in.mostR[1])}
	b := in.block(0)
	h := addWords(log, "h2 + block", in.accumulator(), [3]number{b[0], b[1], bounds.Constant(1)})
	for i := 1; i < len(in.msg)/BlockSize; i++ {
		b := in.block(i)
		q := log.Fits("q", r[1].Add(r[1].Shr(2)), 64)
		low := log.Fits("h0·r0 + h1·q + block0", h[0].Mul(r[0]).Add(b[0]).Add(h[1].Mul(q)), 128)
		middle := log.Fits("h0·r1 + h1·r0 + block1 + 2^64",
			h[0].Mul(r[1]).Add(b[1]).Add(bounds.Constant(1).Shl(64)).Add(h[1].Mul(r[0])), 128)
		h2q := log.Fits("h2·q", h[2].Mul(q), 64)
		top := log.Fits("h2·r0 + upper word", h[2].Mul(r[0]).Add(middle.Shr(64)), 64)
		five := log.Fits("5·(h above 2^130)", top.Shr(2).Mul(bounds.Constant(5)), 64)
		lo1, c := carry(middle.Low(64).Add(low.Shr(64)))
		lo1, d := carry(lo1.Add(h2q))
		h = addWords(log, "h2 before a block is counted", [3]number{low.Low(64), lo1, top.Low(2).Add(c).Add(d)},
			[3]number{five, bounds.Constant(0), bounds.Constant(0)})
	}
	return multiplyModel(log, h, r)
}

// squareModel is the square of a power, as both the kernel for amd64 and square for
// arm64 compute it: five words, and three folds.
func squareModel(log *bounds.Log, h [3]number) [3]number {
	all := bounds.Constant(0)
	for i := range h {
		for j := range h {
			all = all.Add(h[i].Mul(h[j]).Shl(uint(64 * (i + j))))
		}
	}
	var t [5]number
	for i := range t {
		t[i] = all.Shr(uint(64 * i))
		if i < 4 {
			t[i] = t[i].Low(64)
		}
	}
	log.Fits("t4", t[4], 64)
	// Twice h2, times a word, must be a product of two words.
	log.Fits("2·h2", h[2].Add(h[2]), 64)
	h = addWords(log, "h2 after 4 times", [3]number{t[0], t[1], t[2].Low(2)}, [3]number{t[2].Shr(2).Shl(2), t[3], t[4]})
	h = addWords(log, "h2 after 5 times", h, [3]number{
		t[2].Shr(2).Add(t[3].Low(2).Shl(62)).Low(64), t[3].Shr(2).Add(t[4].Low(2).Shl(62)).Low(64), t[4].Shr(2)})
	return fold(log, h)
}

// words are the values of a model's words.
func words(h [3]number) [3]uint64 { return [3]uint64{h[0].Uint64(), h[1].Uint64(), h[2].Uint64()} }

// modelInputs are states and messages of n blocks: extreme ones, and random ones.
func modelInputs(n int) []*modelInput {
	rng := rand.New(rand.NewPCG(9, uint64(n)))
	largest := [2]uint64{0x0ffffffc0fffffff, 0x0ffffffc0ffffffc}
	var ins []*modelInput
	for round := range 12 {
		s := State{h: [3]uint64{rng.Uint64(), rng.Uint64(), rng.Uint64N(8)}, r: [2]uint64{rng.Uint64() & largest[0], rng.Uint64() & largest[1]}}
		msg := make([]byte, n*BlockSize)
		for i := range msg {
			msg[i] = byte(rng.Uint32())
		}
		if round%3 > 0 {
			copy(msg, bytes.Repeat([]byte{0xff}, len(msg)))
			s.r = largest
		}
		if round%2 > 0 {
			s.h = [3]uint64{math.MaxUint64, math.MaxUint64, 7}
		}
		ins = append(ins, newModelInput(&s, msg))
	}
	return ins
}

// checkModel compares a model's result with the plain Go.
func checkModel(t *testing.T, in *modelInput, got [3]uint64) {
	t.Helper()
	s := State{h: in.h, r: [2]uint64{in.r[0], in.r[1]}}
	blocksGeneric(&s, in.msg)
	want := new(big.Int).Mod(refState(&s), refPrime)
	if g := refState(&State{h: got}); g.Mod(g, refPrime).Cmp(want) != 0 {
		t.Fatalf("%d blocks from %x, r = %x: %x, want %x", len(in.msg)/BlockSize, in.h, in.r, got, s.h)
	}
}

// firstOverflow returns the smallest number of bits by which the largest of a
// model's inputs may not grow.
func firstOverflow(model func(*bounds.Log, *modelInput), in *modelInput, grow func(in *modelInput, bits int)) string {
	for bits := 1; bits < 64; bits++ {
		var log bounds.Log
		larger := *in
		grow(&larger, bits)
		if model(&log, &larger); log.Err() != nil {
			return fmt.Sprint(bits)
		}
	}
	return "none"
}

func TestGenericBounds(t *testing.T) {
	for _, model := range []struct {
		name   string
		blocks func(*bounds.Log, *modelInput) [3]number
		want   map[string]string
		// How many bits the upper word of h, and r, may not grow.
		growH2, growR string
	}{
		{"generic", genericModel, map[string]string{
			"h2 + block": "3.33", "q": "60.33", "h0·r0 + h1·q": "125.17", "h0·r1 + h1·r0 + h2·q": "125.00",
			"h2·q": "63.50", "h2·r0 + carries": "63.46", "5·(h above 2^130)": "63.79", "h2": "2.33",
		}, "1", "1"},
		{"amd64", amd64Model, map[string]string{
			"h0·r0 + h1·q + block0": "125.17", "h0·r1 + h1·r0 + block1 + 2^64": "125.00",
			"h2·q": "63.50", "h2·r0 + upper word": "63.46", "h2 before a block is counted": "2.81",
		}, "1", "1"},
	} {
		t.Run(model.name, func(t *testing.T) {
			var log bounds.Log
			settled := ""
			for n := 1; n <= 4; n++ {
				if n == 4 {
					settled = log.String()
				}
				for _, in := range modelInputs(n) {
					h := model.blocks(&log, in)
					if most := h[2].Most().Uint64(); most > 4 {
						t.Fatalf("h2 may be %d, want at most 4", most)
					}
					checkModel(t, in, words(h))
					if s := (State{h: in.h, r: [2]uint64{in.r[0], in.r[1]}}); model.name == "generic" {
						if blocksGeneric(&s, in.msg); s.h != words(h) {
							t.Fatalf("%x, but the kernel makes %x", words(h), s.h)
						}
					}
				}
			}
			if log.String() != settled {
				t.Errorf("bounds still grow:\n%s", settled)
			}
			log.Check(t, model.want)
			run := func(log *bounds.Log, in *modelInput) { model.blocks(log, in) }
			in := modelInputs(3)[1]
			if got := firstOverflow(run, in, func(in *modelInput, bits int) { in.mostH2 = in.mostH2<<bits | 1 }); got != model.growH2 {
				t.Errorf("overflows for an upper word of h larger by %s bits, want %s", got, model.growH2)
			}
			if got := firstOverflow(run, in, func(in *modelInput, bits int) {
				in.mostR = [2]uint64{1<<(60+bits) - 1, 1<<(60+bits) - 1}
			}); got != model.growR {
				t.Errorf("overflows for r larger by %s bits, want %s", got, model.growR)
			}
		})
	}
}

// TestSquareBounds squares numbers as large as a power may be.
func TestSquareBounds(t *testing.T) {
	var log bounds.Log
	for _, h0 := range extremes {
		for _, h1 := range extremes {
			for h2 := range uint64(5) {
				from := [3]uint64{h0, h1, h2}
				h := squareModel(&log, [3]number{bounds.Word(h0), bounds.Word(h1), bounds.New(h2, 4)})
				want := refState(&State{h: from})
				want.Mul(want, want).Mod(want, refPrime)
				if got := refState(&State{h: words(h)}); h[2].Most().Uint64() > 4 || got.Mod(got, refPrime).Cmp(want) != 0 {
					t.Fatalf("%x squared is %x of at most %v", from, words(h), h[2].Most())
				}
			}
		}
	}
	log.Check(t, map[string]string{
		"t4": "4.65", "h2 after 4 times": "4.86", "h2 after 5 times": "5.17", "5·(h above 2^130)": "5.36", "h2": "2.33",
	})
}
