// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// nh are the kernels of package umac that hash one chunk, and whole chunks.
var nh = []engine.Kernel{
	hashNH(nhAMD64, "nhSSE41"), hashNH(nhAMD64, "nhAVX2"), hashNH(nhAMD64, "nhAVX512"), hashNH(nhARM64, "nhNEON"),
	hashNHPoly(nhAMD64, "nhPolySSE41"), hashNHPoly(nhAMD64, "nhPolyAVX2"), hashNHPoly(nhAMD64, "nhPolyAVX512"), hashNHPoly(nhARM64, "nhPolyNEON"),
}

// nhNames are the variants, by numbers of streams.
var nhNames = []string{"1 stream", "2 streams", "3 streams", "4 streams"}

func nhStreams(c *engine.Case) int { return 1 + slices.Index(nhNames, c.Variant) }

// nhKey declares the key with which an object begins, in the order of package umac: row j has, as words of the machine,
// every second piece of 16 bytes of the key, from piece j on; rows that the streams do not need
// have anything. So a piece stands in several rows, and a kernel may read it from any of them. The
// key that is returned has the pieces one after the other, and is no memory of the kernel's.
func nhKey(c *engine.Case, stored *machine.Object, streams int) (key *machine.Object) {
	const row = spec.NHGroups * 16
	key = c.Buffer("pieces", int64(2*spec.NHGroups+streams)*16)
	for j := range int64(streams + 1) {
		for at := int64(0); at < row; at += 4 {
			piece := 2*(at/16) + j
			stored.Set(j*row+at, key.Load(16*piece+at%16, 4))
		}
	}
	return key
}

// hashNH stores the value of each stream for a chunk of any length.
func hashNH(file, name string) engine.Kernel {
	var values, key, chunk *machine.Object
	return engine.Kernel{
		File: file, Func: name,
		Claim:    "the NH values of a chunk, padded with zeros, plus its length in bits",
		Variants: nhNames,
		Unit:     1, Min: 0, Max: spec.NHChunk,
		Setup: func(c *engine.Case) {
			values, chunk = engine.Writable(c.Buffer("values", 8*spec.NHStreams)), c.Bytes("chunk", c.N)
			stored := c.Buffer("key", spec.NHKeySize)
			key = nhKey(c, stored, nhStreams(c))
			c.Arg(values.Base, stored.Base, chunk.Base, c.N, c.Const(64, uint64(nhStreams(c))))
		},
		Spec: func(c *engine.Case, n int64, _ bool) {
			for s := range nhStreams(c) {
				c.Expect(values, int64(8*s), spec.NHValue(c.Store, key, chunk, 0, n, s))
			}
		},
	}
}

// hashNHPoly adds the NH value of each chunk to POLY-64: the state in memory has y and the
// value of the last chunk, which is added when the next one comes.
func hashNHPoly(file, name string) engine.Kernel {
	const size = 2 * 8 * spec.NHStreams // of the state
	var state, key, msg *machine.Object
	var poly *poly64
	var begun []term.Term
	var value func(stream int) term.Term
	return engine.Kernel{
		File: file, Func: name,
		Claim:    "y of POLY-64 (modulo 2^64 - 59, any word that is it) after the last value and all NH values but the last, which is stored",
		Variants: nhNames,
		Unit:     spec.NHChunk, Min: 0, Max: 64 << 10, Step: spec.NHChunk,
		Setup: func(c *engine.Case) {
			state, msg = engine.Writable(c.Buffer("st", size)), c.Bytes("msg", c.N)
			polyKey, stored := c.Buffer("poly", 3*8*spec.NHStreams), c.Buffer("key", spec.NHKeySize)
			key = nhKey(c, stored, nhStreams(c))
			value = func(stream int) term.Term { return spec.NHValue(c.Store, key, msg, 0, spec.NHChunk, stream) }
			poly = poly64Key(c, polyKey, 0, nhStreams(c))
			poly.in = func() *machine.Object { return state }
			poly.begin(c)
			c.Head = fmt.Sprintf("chunk%d", nhStreams(c))
			begun = poly.words
			for i, word := range begun {
				state.Set(poly.place(i).At, word)
			}
			c.Arg(state.Base, stored.Base, polyKey.Base, msg.Base, c.N, c.Const(64, uint64(nhStreams(c))))
		},
		Spec: func(c *engine.Case, n int64, _ bool) {
			if n > 0 {
				c.Free(state, 0, size)
			}
		},
		Left: func(c *engine.Case, s engine.View, n int64) error {
			if n == 0 {
				return nil
			}
			return poly.turned(c, s, value)
		},
		Invariant: func(c *engine.Case) *engine.Claim {
			return poly.invariant(c, begun, value)
		},
	}
}
