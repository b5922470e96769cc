// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chart

import (
	"fmt"
	"slices"
	"strings"
)

// variants lists the name suffixes of entrants whose lines are dashed: entrants at a
// lower level, in a lighter colour, and entrants with two threads.
var variants = []struct {
	suffix, dash string
	shade        int
}{
	{"-avx512", "12 2", 1}, {"-avx2", "7 3", 1}, {"-sse41", "2 2", 2}, {"-amd64", "9 3 2 3", 2}, {"-neon", "7 3", 1}, {"-generic", "1 3", 3}, {"-2threads", "4 1", 0},
}

// colours maps entrants to colour classes. The highlighted entrant's class is "own"
// instead. Entrants of the same class have the same role or never appear in the same
// chart.
var colours = map[string]string{
	"x-crypto": "c0", "x-chacha20poly1305": "c0", "chacha20-poly1305": "c0", "libaegis-128l": "c0",
	"openssl": "c1", "openssl-aes-256-gcm": "c1",
	"libsodium": "c2", "nettle": "c2", "libaegis-256x2": "c2",
	"intel-ipsec-mb": "c3", "unimac-128x4": "c3", "unimac-aegis256x2": "c3", "umac-128-etm": "c3",
	"aws-lc-rs": "c4", "unimac-128l": "c4", "unimac-cobblestone128": "c4", "highwayhash-128": "c4",
	"unimac-chacha20-blake2b": "c4",
	"ring":                    "c5", "libaegis-128x4": "c5", "unimac-cobblestone256": "c5", "umac-64-etm": "c5",
	"aes-128-gcm": "c6", "aes-256-gcm": "c6", "crypto-gcm": "c6", "aes128-gcm": "c6", "gmac": "c6",
	"unimac-chacha20-alone": "c7", "unimac-blake2b-alone": "c7", "pyca": "c7", "hmac-sha2-256-etm": "c7",
	"unimac": "c8", "unimac-chacha20poly1305": "c8", "unimac-umac-128": "c8",
}

type look struct {
	class string // colour and shade
	dash  string
	shape string
}

func lookOf(entrant, highlight string) look {
	base, shade, dash := entrant, 0, ""
	for _, v := range variants {
		if name, ok := strings.CutSuffix(entrant, v.suffix); ok {
			base, shade, dash = name, v.shade, v.dash
		}
	}
	colour := colours[base]
	if base == highlight {
		colour = "own"
	}
	l := look{class: colour, dash: dash, shape: shapes[colour]}
	if shade > 0 {
		l.class += fmt.Sprintf(" lower%d", shade)
	}
	if colour == "c7" && dash == "" {
		l.dash = "1 3" // a limit, which no entrant is expected to reach
	}
	return l
}

func (l look) colour() string { return strings.Fields(l.class)[0] }

// ordered returns the names with the highlighted entrant and its variants first.
func ordered(names []string, highlight string) []string {
	of := func(name string) bool { return lookOf(name, highlight).colour() == "own" }
	rest := slices.DeleteFunc(slices.Clone(names), of)
	return append(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !of(name) }), rest...)
}
