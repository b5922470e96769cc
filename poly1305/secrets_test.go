// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/timing"
)

// TestFormat checks that package fmt prints no secret.
func TestFormat(t *testing.T) {
	var macs [2]*MAC
	for i := range macs {
		macs[i] = New((*[KeySize]byte)(mactest.Random(KeySize, uint64(i))))
		macs[i].Write(mactest.Random(100, uint64(i)))
	}
	mactest.NothingPrinted(t, false, macs[0], macs[1])
}

func TestTimingVerify(t *testing.T) {
	key := [KeySize]byte(mactest.Random(KeySize, 31))
	var tests []timing.Test
	for _, n := range []int{64, 2048} {
		msg := mactest.Random(n, 32)
		m := New(&key)
		m.Write(msg)
		tests = append(tests, timing.Tags(fmt.Sprintf("Poly1305 Verify, %d bytes", n),
			m.Sum(nil), func(tag []byte) bool { return Verify((*[TagSize]byte)(tag), msg, &key) })...)
	}
	timing.Run(t, tests, "poly1305")
}

func TestTimingSecrets(t *testing.T) {
	key := [KeySize]byte(mactest.Random(KeySize, 36))
	var tag [TagSize]byte
	var tests []timing.Test
	for _, n := range []int{15, 64, 100, 2048} {
		msg := mactest.Random(n, 37)
		tests = append(tests,
			timing.Fixed(fmt.Sprintf("Poly1305 Sum, %d bytes", n), n, func(msg []byte) { Sum(&tag, msg, &key) }),
			timing.Fixed(fmt.Sprintf("Poly1305 Sum, %d bytes, key", n), KeySize, func(key []byte) { Sum(&tag, msg, (*[KeySize]byte)(key)) }))
	}
	// Blocks of ones with the largest r carry the most.
	tests = append(tests, timing.Test{
		Name: "Poly1305 Sum, 2048 bytes, random or ones", Size: 2048,
		Input: func(class int, input []byte, rng *rand.Rand) {
			timing.Random(input, rng)
			for i := range input {
				input[i] |= -byte(class)
			}
		},
		Run: func(msg []byte) { Sum(&tag, msg, &key) },
	})
	timing.Run(t, tests, "poly1305")
}
