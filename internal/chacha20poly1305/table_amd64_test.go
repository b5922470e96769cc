// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"bytes"
	"testing"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/mactest"
)

// TestKinds seals and opens, in place and apart, with and without additional data.
func TestKinds(t *testing.T) {
	src := mactest.Random(1<<16, 60)
	mactest.Kinds(t, "chacha20poly1305", table, func(n int) (all []byte) {
		for _, ad := range [][]byte{nil, src[:13], src[:100]} {
			var tag, opened [TagSize]byte
			dst := make([]byte, n)
			seal(&tag, dst, src[:n], ad, &testKey, &testNonce)
			text := bytes.Clone(dst)
			open(&opened, text, text, ad, &testKey, &testNonce)
			if tag != opened || !bytes.Equal(text, src[:n]) {
				t.Errorf("%d bytes do not open", n)
			}
			openSIV(&opened, text, dst, ad, &testKey, &testKey, &testNonce)
			all = append(append(append(append(all, dst...), tag[:]...), text...), opened[:]...)
			if xorSIV(dst, dst, &testKey, &testNonce); !bytes.Equal(dst, text) {
				t.Errorf("%d bytes: a SIV is not sealed to what it is opened from", n)
			}
		}
		return all
	})
}

// TestTable: ways end, in order, and two neighbours differ; groups have packets that they can take.
func TestTable(t *testing.T) {
	for kind, c := range table {
		for _, ways := range [][]upTo{c.seal, c.open, c.siv} {
			for i, u := range ways {
				if u.way > inParts || i > 0 && (u.bytes <= ways[i-1].bytes || u.way == ways[i-1].way) || (u.bytes == unlimited) != (i == len(ways)-1) {
					t.Errorf("%s: %v", cpu.Kind(kind), ways)
				}
				if u.way == inOneStep && u.bytes > maxOneStep {
					t.Errorf("%s: %d bytes in one step", cpu.Kind(kind), u.bytes)
				}
			}
			if len(ways) == 0 || ways[len(ways)-1].way != inSteps {
				t.Errorf("%s: long messages go otherwise: %v", cpu.Kind(kind), ways)
			}
		}
		if c.warm < 16 || c.cold < c.warm || c.stream < 1 {
			t.Errorf("%s: a table from %d bytes, which is at hand from %d, key stream from %d", cpu.Kind(kind), c.cold, c.warm, c.stream)
		}
		for _, g := range append(c.ifma[:], c.avx2[:]...) {
			if g.packets < MinGroup || g.packets > maxLanes || g.text > maxLaneText || g.packet < 1 || g.start < 1 {
				t.Errorf("%s: %+v", cpu.Kind(kind), g)
			}
		}
	}
}
