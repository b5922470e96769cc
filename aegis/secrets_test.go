// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/timing"
)

// TestFormat checks that package fmt prints no secret with any verb.
func TestFormat(t *testing.T) {
	var values [3][2]any
	for i := range 2 {
		key := mactest.Random(32, uint64(i))
		m := mustMAC(t, AEGIS256, key, nil, 16)
		m.Write(key)
		values[0][i] = mustAEAD(t, AEGIS256, key, 32)
		values[1][i] = mustRandomNonce(t, AEGIS256X4, key)
		values[2][i] = m
	}
	for _, v := range values {
		mactest.NothingPrinted(t, true, v[0], v[1])
	}
}

// timedSizes contains message sizes: a short message, one that is a multiple of the
// rate, and one with a tail.
var timedSizes = []int{64, 1420, 8192}

// TestTimingOpen opens only forgeries, except in the tests of the tag: whether a
// message is authentic is public, and is visible in the time.
func TestTimingOpen(t *testing.T) {
	var tests []timing.Test
	for _, v := range []Variant{AEGIS128L, AEGIS256X2} {
		for _, n := range timedSizes {
			a := mustAEAD(t, v, mactest.Random(v.KeySize(), 31), 32)
			nonce, data := mactest.Random(v.NonceSize(), 32), []byte("additional data")
			sealed := a.Seal(nil, nonce, mactest.Random(n, 33), data)
			plain := make([]byte, n)
			open := func(sealed []byte) bool {
				_, err := a.Open(plain[:0], nonce, sealed, data)
				return err == nil
			}
			name := fmt.Sprintf("%v Open of a forgery, %d bytes", v, n)
			forged := bytes.Clone(sealed)
			tags := timing.Tags(name, sealed[n:], func(tag []byte) bool {
				copy(forged[n:], tag)
				return open(forged)
			})
			wrong := bytes.Clone(sealed[n:])
			wrong[0] ^= 1
			tests = append(tests, tags[0], timing.Fixed(name+", ciphertext", n, func(c []byte) {
				copy(forged, c)
				copy(forged[n:], wrong)
				open(forged)
			}))
		}
	}
	timing.Run(t, tests, "aegis")
}

func TestTimingSeal(t *testing.T) {
	var tests []timing.Test
	for _, v := range []Variant{AEGIS128L, AEGIS256X2} {
		for _, n := range timedSizes {
			nonce, data, plaintext := mactest.Random(v.NonceSize(), 34), []byte("additional data"), mactest.Random(n, 35)
			a := mustAEAD(t, v, mactest.Random(v.KeySize(), 36), 32)
			sealed := make([]byte, 0, n+32)
			tests = append(tests,
				timing.Fixed(fmt.Sprintf("%v Seal, %d bytes, plaintext", v, n), n, func(p []byte) { a.Seal(sealed, nonce, p, data) }),
				timing.Fixed(fmt.Sprintf("%v New and Seal, %d bytes, key", v, n), v.KeySize(), func(key []byte) {
					mustAEAD(t, v, key, 32).Seal(sealed, nonce, plaintext, data)
				}))
		}
	}
	timing.Run(t, tests, "aegis")
}

func TestTimingMAC(t *testing.T) {
	var tests []timing.Test
	for _, v := range []Variant{AEGIS128X2, AEGIS256} {
		for _, n := range timedSizes {
			m := mustMAC(t, v, mactest.Random(v.KeySize(), 37), nil, 16)
			m.Write(mactest.Random(n, 38))
			tests = append(tests, timing.Tags(fmt.Sprintf("%v Verify, %d bytes", v, n), m.Sum(nil), m.Verify)...)
		}
	}
	timing.Run(t, tests, "aegis")
}
