// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/timing"
)

// TestFormat checks that package fmt prints no secret.
func TestFormat(t *testing.T) {
	for _, newAEAD := range []func(key []byte) (cipher.AEAD, error){New, NewX, NewXWithRandomNonce, NewSIV} {
		a, b := mustAEAD(t, newAEAD, mactest.Random(KeySize, 57)), mustAEAD(t, newAEAD, mactest.Random(KeySize, 58))
		mactest.NothingPrinted(t, false, a, b)
	}
}

var timed = []string{"chacha20poly1305", "chacha20", "poly1305"}

// timedSizes contains message sizes with different code paths.
var timedSizes = []int{64, 200, 1420, 8192}

// TestTimingOpen opens only forgeries, except in the tests of the tag: whether a
// message is authentic is public, and is visible in the time.
func TestTimingOpen(t *testing.T) {
	var tests []timing.Test
	for _, alg := range algorithms {
		for _, n := range timedSizes {
			a := mustAEAD(t, alg.newAEAD, mactest.Random(KeySize, 31))
			nonce, data := mactest.Random(alg.nonceSize, 32), []byte("additional data")
			sealed := a.Seal(nil, nonce, mactest.Random(n, 33), data)
			plain := make([]byte, n)
			open := func(sealed []byte) bool {
				_, err := a.Open(plain[:0], nonce, sealed, data)
				return err == nil
			}
			name := fmt.Sprintf("%s Open of a forgery, %d bytes", alg.name, n)
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
	timing.Run(t, tests, timed...)
}

func TestTimingSeal(t *testing.T) {
	var tests []timing.Test
	for _, alg := range algorithms {
		for _, n := range timedSizes {
			nonce, data, plaintext := mactest.Random(alg.nonceSize, 34), []byte("additional data"), mactest.Random(n, 35)
			a := mustAEAD(t, alg.newAEAD, mactest.Random(KeySize, 36))
			sealed := make([]byte, 0, n+alg.overhead)
			tests = append(tests,
				timing.Fixed(fmt.Sprintf("%s Seal, %d bytes, plaintext", alg.name, n), n, func(p []byte) { a.Seal(sealed, nonce, p, data) }),
				timing.Fixed(fmt.Sprintf("%s New and Seal, %d bytes, key", alg.name, n), KeySize, func(key []byte) {
					mustAEAD(t, alg.newAEAD, key).Seal(sealed, nonce, plaintext, data)
				}))
		}
	}
	timing.Run(t, tests, timed...)
}

// TestTimingBatch measures batches, for different plaintexts and different tags of a
// forgery.
func TestTimingBatch(t *testing.T) {
	const count, n = 16, 200
	a := mustAEAD(t, New, mactest.Random(KeySize, 37))
	packets, outputs := make([]Packet, count), make([][]byte, count)
	for i := range packets {
		packets[i].Nonce, outputs[i] = mactest.Random(NonceSize, uint64(i)), make([]byte, 0, n+Overhead)
	}
	name := fmt.Sprintf("%d × %d bytes in lanes", count, n)
	seal := timing.Fixed(name+", Seal, plaintexts", count*n, func(p []byte) {
		for i := range packets {
			packets[i].Text, packets[i].Dst = p[i*n:][:n], outputs[i]
		}
		SealBatch(a, packets)
	})
	opened := make([]Packet, count)
	for i := range opened {
		nonce := packets[i].Nonce
		opened[i] = Packet{Nonce: nonce, Text: a.Seal(nil, nonce, mactest.Random(n, 38), nil), Dst: make([]byte, 0, n)}
	}
	place := opened[3].Text[n:]
	tags := timing.Tags(name+", Open of a forgery", bytes.Clone(place), func(tag []byte) bool {
		copy(place, tag)
		for i := range opened {
			opened[i].Dst = opened[i].Dst[:0]
		}
		got, _ := OpenBatch(a, opened)
		return got == count
	})
	timing.Run(t, []timing.Test{seal, tags[0]}, timed...)
}
