// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"math/big"
	"testing"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/poly1305"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// TestTag compares the tag specifications with (h mod p + s) mod 2^128, computed by
// math/big, for values of h from 0 to twice the prime.
func TestTag(t *testing.T) {
	c := &engine.Case{Store: term.New()}
	power := func(k uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), k) }
	part := func(v *big.Int, from, bits uint) term.Term {
		v = new(big.Int).Rsh(v, from)
		return c.Const(64, v.Mod(v, power(bits)).Uint64())
	}
	var all []*big.Int // values of h and s
	for _, near := range []*big.Int{new(big.Int), power(52), power(64), power(104), power(128), spec.Poly1305Prime, power(130), new(big.Int).Lsh(spec.Poly1305Prime, 1)} {
		for d := int64(-6); d <= 6; d++ {
			if v := new(big.Int).Add(near, big.NewInt(d)); v.Sign() >= 0 {
				all = append(all, v)
			}
		}
	}
	for _, h := range all {
		for _, s := range all {
			if h.Cmp(new(big.Int).Lsh(spec.Poly1305Prime, 1)) >= 0 || s.Cmp(power(128)) >= 0 {
				continue
			}
			want := new(big.Int).Mod(h, spec.Poly1305Prime)
			want.Mod(want.Add(want, s), power(128))
			add := [2]term.Term{part(s, 0, 64), part(s, 64, 64)}
			words := poly1305.Number{part(h, 0, 64), part(h, 64, 64), part(h, 128, 64)}
			limbs := [3]term.Term{part(h, 0, 52), part(h, 52, 52), part(h, 104, 64)}
			for name, tag := range map[string][2]term.Term{
				"four": spec.Poly1305Tag(c.Store, words, add, true), "shift": spec.Poly1305Tag(c.Store, words, add, false), "limbs": spec.Poly1305Tag52(c.Store, limbs, add),
			} {
				if tag != [2]term.Term{part(want, 0, 64), part(want, 64, 64)} {
					t.Fatalf("%s: tag of h = %#x, s = %#x: got %s %s, want %#x", name, h, s, c.Format(tag[1]), c.Format(tag[0]), want)
				}
			}
		}
	}
}
