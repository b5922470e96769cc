// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// nhPoly are the kernels of package umac that hash whole chunks.
var nhPoly = []engine.Kernel{
	hashNHPoly("internal/umac/nh_amd64.s", "nhPolySSE41"), hashNHPoly("internal/umac/nh_amd64.s", "nhPolyAVX2"), hashNHPoly("internal/umac/nh_amd64.s", "nhPolyAVX512"), hashNHPoly("internal/umac/nh_arm64.s", "nhPolyNEON"),
}

// hashNHPoly adds the NH value of each chunk to POLY-64: the state in memory has y and the
// value of the last chunk, which is added when the next one comes. At the loop's head they
// are any numbers.
func hashNHPoly(file, name string) engine.Kernel {
	var state, stored, key, msg *machine.Object
	var poly *poly64
	var words []term.Term // of the state
	word := func(s engine.View, i int) term.Term { return s.Stored(state, int64(8*i)) }
	// chunk checks what the state is after one chunk more.
	chunk := func(c *engine.Case, s engine.View) error {
		for stream := range nhVariants[c.Variant] {
			if err := poly.stepped(c, word(s, stream), stream, poly.y[stream], poly.last[stream], false); err != nil {
				return err
			}
			if got, want := word(s, spec.NHStreams+stream), spec.NHValue(c.Store, key, msg, 0, spec.NHChunk, stream); got != want {
				return fmt.Errorf("the last value of stream %d is %s, want %s", stream, c.Format(got), c.Format(want))
			}
		}
		return nil
	}
	return engine.Kernel{
		File: file, Func: name,
		Claim:    "y of POLY-64 (modulo 2^64 - 59, any word that is it) after the last value and all NH values but the last, which is stored",
		Variants: nhNames,
		Unit:     spec.NHChunk, Min: 0, Max: 64 << 10, Step: spec.NHChunk,
		Setup: func(c *engine.Case) {
			streams := nhVariants[c.Variant]
			state, msg = engine.Writable(c.Buffer("st", 2*8*spec.NHStreams)), c.Bytes("msg", c.N)
			polyKey := c.Buffer("poly", 3*8*spec.NHStreams)
			stored, key = nhKey(c, streams)
			poly = poly64Key(c, polyKey, 0, streams)
			for i, t := range poly.begin(c) {
				state.Set(int64(8*i), t)
			}
			c.Pointers(state, stored, polyKey, msg)
			c.Arg(c.N)
			c.Arg(c.Const(64, uint64(streams)))
		},
		Spec: func(c *engine.Case, n int64, last bool) {
			if last && n > 0 {
				c.Free(state, 0, 2*8*spec.NHStreams)
			}
		},
		Left: func(c *engine.Case, s engine.View, n int64, last bool) error {
			if !last || n == 0 {
				return nil
			}
			return chunk(c, s)
		},
		Advance: func(c *engine.Case) { c.Move(msg, spec.NHChunk) },
		Invariant: func(c *engine.Case, s engine.View, first bool) *engine.Claim {
			a := &engine.Claim{}
			if first {
				words = poly.begin(c)
			}
			for i, t := range words {
				a.Unknown = append(a.Unknown, t)
				a.Has = append(a.Has, engine.Has{Place: engine.In(state, int64(8*i)), Term: t})
			}
			a.Where = func() error {
				if !first {
					return chunk(c, s)
				}
				for i := range 2 * spec.NHStreams {
					if got := s.Stored(state, int64(8*i)); got != c.Load(state, int64(8*i), 8) {
						return fmt.Errorf("word %d of the state is %s", i, c.Format(got))
					}
				}
				return nil
			}
			return a
		},
	}
}
