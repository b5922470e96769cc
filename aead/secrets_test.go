// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead

import (
	"bytes"
	"crypto/cipher"
	"crypto/subtle"
	"fmt"
	"testing"

	"github.com/unimac/unimac/aead/internal/batch"
	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/timing"
)

// TestFormat checks that package fmt prints no secret.
func TestFormat(t *testing.T) {
	for _, newAEAD := range []func(key []byte) (cipher.AEAD, error){New, NewX, NewSIV, NewXWithRandomNonce} {
		var aeads [2]cipher.AEAD
		for i := range aeads {
			a, err := newAEAD(mactest.Random(KeySize, uint64(i)))
			if err != nil {
				t.Fatal(err)
			}
			aeads[i] = a
		}
		mactest.NothingPrinted(t, false, aeads[0], aeads[1])
	}
}

var timed = []string{"blake2b", "chacha20"}

// timedSizes contains message sizes. For the short one, only ChaCha20's first blocks
// are computed together with BLAKE2b, for the long one also its loop.
var timedSizes = []int{512, 4096}

func TestTimingOpen(t *testing.T) {
	var tests []timing.Test
	for _, alg := range algorithms {
		for _, n := range timedSizes {
			tests = append(tests, openTests(t, alg, n)...)
		}
	}
	timing.Run(t, tests, timed...)
}

// openTests returns tests that open only forgeries: whether a message is authentic is
// public, and is visible in the time.
func openTests(t *testing.T, alg algorithm, n int) []timing.Test {
	a := mustAEAD(t, alg, mactest.Random(KeySize, 31), TagSize)
	nonce := mactest.Random(alg.nonceSize, 32)
	data := []byte("additional data")
	sealed := a.Seal(nil, nonce, mactest.Random(n, 33), data)
	tag := sealed[n:]
	plain := make([]byte, n)
	open := func(sealed []byte) bool {
		_, err := a.Open(plain[:0], nonce, sealed, data)
		return err == nil
	}
	name := fmt.Sprintf("%s Open of a forgery, %d bytes", alg.name, n)
	// Keep the forgery in one buffer, so that the test of its tag need not copy it.
	forged := bytes.Clone(sealed)
	tags := timing.Tags(name, tag, func(tag []byte) bool {
		copy(forged[n:], tag)
		return open(forged)
	})
	wrong := bytes.Clone(tag)
	wrong[0] ^= 1
	tests := []timing.Test{tags[0], timing.Fixed(name+", ciphertext", n, func(c []byte) {
		copy(forged, c)
		copy(forged[n:], wrong)
		open(forged)
	})}
	if alg.nonceSize > 0 {
		return tests
	}
	// The plaintexts that are authenticated under one tag; one of them is zeros.
	stream := a.Seal(nil, nil, make([]byte, n), data)
	siv := bytes.Clone(stream[n:])
	siv[TagSize-1] ^= 1 // after the nonce of XChaCha20
	return append(tests, timing.Fixed(name+", plaintext", n, func(p []byte) {
		subtle.XORBytes(forged, p, stream[:n])
		copy(forged[n:], siv)
		open(forged)
	}))
}

func TestTimingSeal(t *testing.T) {
	var tests []timing.Test
	for _, alg := range algorithms {
		for _, n := range timedSizes {
			nonce, data, plaintext := mactest.Random(alg.nonceSize, 34), []byte("additional data"), mactest.Random(n, 35)
			a := mustAEAD(t, alg, mactest.Random(KeySize, 36), TagSize)
			sealed := make([]byte, 0, n+TagSize)
			tests = append(tests,
				timing.Fixed(fmt.Sprintf("%s Seal, %d bytes, plaintext", alg.name, n), n, func(p []byte) { a.Seal(sealed, nonce, p, data) }),
				timing.Fixed(fmt.Sprintf("%s New and Seal, %d bytes, key", alg.name, n), KeySize, func(key []byte) {
					mustAEAD(t, alg, key, TagSize).Seal(sealed, nonce, plaintext, data)
				}))
		}
	}
	timing.Run(t, tests, timed...)
}

// TestTimingLanes measures batches, such as those of a stream.
func TestTimingLanes(t *testing.T) {
	const lanes, n = batch.MaxLanes, 1024
	alg := algorithms[0]
	a := mustAEAD(t, alg, mactest.Random(KeySize, 37), TagSize).(batch.AEAD)
	length := func(int) int { return n }
	name := fmt.Sprintf("%s, %d × %d bytes in lanes", alg.name, lanes, n)

	sealed := newSet(a, lanes, length).seal
	seal := timing.Fixed(name+", Seal, plaintexts", lanes*n, func(p []byte) {
		for i := range sealed {
			sealed[i].In = p[i*n:][:n]
		}
		a.SealAll(sealed)
	})

	s := newSet(a, lanes, length)
	a.SealAll(s.seal)
	// The first message is the forgery, so nothing is decrypted.
	place := s.open[0].In[n:]
	tags := timing.Tags(name+", Open of a forgery", place, func(tag []byte) bool {
		copy(place, tag)
		return a.OpenAll(s.open) > 0
	})
	timing.Run(t, []timing.Test{seal, tags[0]}, timed...)
}
