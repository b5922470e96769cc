// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"bytes"
	"cmp"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
)

// TestKinds checks sealing and opening, in place and out of place, with and without
// additional data.
func TestKinds(t *testing.T) {
	src := mactest.Random(1<<16, 60)
	mactest.Kinds(t, "chacha20poly1305", tables, func(n int) (all []byte) {
		for _, ad := range [][]byte{nil, src[:13], src[:100]} {
			var tag, opened [TagSize]byte
			dst := make([]byte, n)
			crypt(&tag, dst, src[:n], ad, &testKey, &testNonce, false)
			text := bytes.Clone(dst)
			crypt(&opened, text, text, ad, &testKey, &testNonce, true)
			if tag != opened || !bytes.Equal(text, src[:n]) {
				t.Errorf("%d bytes, %d of additional data: opening returned another tag or text", n, len(ad))
			}
			openSIV(&opened, text, dst, ad, &testKey, &testKey, &testNonce)
			all = append(append(append(append(all, dst...), tag[:]...), text...), opened[:]...)
			if xorSIV(dst, dst, &testKey, &testNonce); !bytes.Equal(dst, text) {
				t.Errorf("%d bytes: xorSIV and openSIV return different texts", n)
			}
		}
		return all
	})
}

// TestPaths checks each code path at lengths for which no list selects it, with and
// without whole blocks of additional data.
func TestPaths(t *testing.T) {
	t.Cleanup(func() { dispatch.Reset("chacha20poly1305") })
	src, ad, dst := mactest.Random(700, 61), mactest.Random(100, 62), make([]byte, 700)
	for _, p := range dispatch.Paths("chacha20poly1305") {
		if !dispatch.SelectPath("chacha20poly1305", p.Name) {
			t.Fatalf("%s: not selected", p.Name)
		}
		t.Run(p.Name, func(t *testing.T) {
			for n := p.Min; n <= cmp.Or(p.Max, len(src)); n++ {
				check(t, dst[:n], src[:n], ad[:n%len(ad)])
				check(t, dst[:n], src[:n], ad[:n%16])
			}
		})
	}
}

// TestThresholds checks that the maxima of each list ascend, that neighboring paths
// differ, and that each path supports the level and the lengths for which it is
// selected.
func TestThresholds(t *testing.T) {
	for name, table := range tables {
		for _, level := range []cpu.Level{cpu.Generic, cpu.SSE41, cpu.AVX2, cpu.AVX512, cpu.AVX512IFMA} {
			for _, kind := range append(cpu.Kinds(), cpu.Forced) {
				thresholds := table.Thresholds(&dispatch.Choice{Level: level, Kind: kind})
				if len(thresholds) == 0 || thresholds[len(thresholds)-1].Path == short {
					t.Errorf("%s, %s, %s: %v contains no path for long messages", name, level, kind, thresholds)
				}
				for i, r := range thresholds {
					if i > 0 && (i < len(thresholds)-1 && r.Max <= thresholds[i-1].Max || r.Path == thresholds[i-1].Path) {
						t.Errorf("%s, %s, %s: %v must not follow %v", name, level, kind, r, thresholds[i-1])
					}
					if p := paths[r.Path]; !level.Includes(p.Level) {
						t.Errorf("%s, %s, %s: %s requires %s, which the level does not include", name, level, kind, p.Name, p.Level)
					}
					if r.Path == short && (r.Max > 64 || i == 0 || strings.HasSuffix(name, "SIV")) {
						t.Errorf("%s, %s: %v, want 1 to 64 bytes, and not for SIV", name, kind, r)
					}
				}
			}
		}
	}
	if length(nil, make([]byte, maxShortData)) > 0 {
		t.Error("short would be selected for messages without text")
	}
	for _, kinds := range groupModels {
		for _, model := range kinds {
			for kind := 0; model != nil && kind < len(model); kind++ {
				g := model[kind]
				if g.packets < MinGroup || g.packets > maxLanes || g.text > maxLaneText || g.packet < 1 || g.start < 1 {
					t.Errorf("conditions out of range: %+v", g)
				}
			}
		}
	}
}

var tables = map[string]dispatch.Table[path]{
	"seal": sealPaths, "open": openPaths, "seal SIV": sealSIVPaths, "open SIV": openSIVPaths,
}
