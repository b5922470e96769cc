// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package umac contains the proof statements for the assembly kernels of UMAC.
package umac

import (
	"fmt"
	"slices"

	layout "github.com/unimac/unimac/internal/layout/umac"
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
