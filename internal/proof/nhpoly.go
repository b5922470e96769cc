// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// nhPoly are the kernels of package umac that hash whole chunks.
var nhPoly = []Kernel{
	hashNHPoly("internal/umac/nh_amd64.s", "nhPolyAVX2"), hashNHPoly("internal/umac/nh_amd64.s", "nhPolyAVX512"), hashNHPoly("internal/umac/nh_arm64.s", "nhPolyNEON"),
}

// hashNHPoly adds the NH value of each chunk to POLY-64: the state in memory has y and the
// value of the last chunk, which is added when the next one comes. At the loop's head they
// are any numbers.
func hashNHPoly(file, name string) Kernel {
	var state, stored, key, msg *machine.Object
	var poly *poly64
	// word returns a word of the state.
	word := func(c *Case, s *machine.State, i int) term.Term {
		var b [8]term.Byte
		for j := range b {
			b[j] = s.Mem.Byte(state, int64(8*i+j))
		}
		return c.Gather(b[:])
	}
	// chunk checks what the state is after one chunk more.
	chunk := func(c *Case, s *machine.State) error {
		for stream := range nhVariants[c.Variant] {
			if err := poly.stepped(c, word(c, s, stream), stream, poly.y[stream], poly.last[stream], false); err != nil {
				return err
			}
			if got, want := word(c, s, nhStreams+stream), c.nhValue(key, msg, 0, nhChunk, stream); got != want {
				return fmt.Errorf("the last value of stream %d is %s, want %s", stream, c.Format(got), c.Format(want))
			}
		}
		return nil
	}
	return Kernel{
		File: file, Func: name,
		Claim:    "y of POLY-64 (modulo 2^64 - 59, any word that is it) after the last value and all NH values but the last, which is stored",
		Variants: nhNames,
		Unit:     nhChunk, Min: 0, Max: 64 << 10, Step: nhChunk,
		Setup: func(c *Case) {
			streams := nhVariants[c.Variant]
			state, msg = Writable(c.Buffer("st", 2*8*nhStreams)), c.Bytes("msg", c.N)
			polyKey := c.Buffer("poly", 3*8*nhStreams)
			stored, key = c.nhKey(streams)
			poly = c.poly64Key(polyKey, 0, streams)
			for i, t := range poly.begin(c) {
				state.Set(int64(8*i), t)
			}
			c.Pointers(state, stored, polyKey, msg)
			c.Arg(c.N)
			c.Arg(c.Const(64, uint64(streams)))
		},
		Spec: func(c *Case, n int64, last bool) {
			if last && n > 0 {
				c.Free(state, 0, 2*8*nhStreams)
			}
		},
		Left: func(c *Case, s *machine.State, n int64, last bool) error {
			if !last || n == 0 {
				return nil
			}
			return chunk(c, s)
		},
		Advance: func(c *Case) { c.Move(msg, nhChunk) },
		Widen: func(c *Case, head *machine.State) {
			for i, t := range poly.begin(c) {
				var b [8]term.Byte
				c.Store.Bytes(b[:], t)
				for j := range b {
					head.Mem.Put(state, int64(8*i+j), b[j])
				}
			}
		},
		Holds: func(c *Case, _, then *machine.State, first bool) error {
			if !first {
				return chunk(c, then)
			}
			for i := range 2 * nhStreams {
				if got := word(c, then, i); got != c.Load(state, int64(8*i), 8) {
					return fmt.Errorf("word %d of the state is %s", i, c.Format(got))
				}
			}
			return nil
		},
	}
}
