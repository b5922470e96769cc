// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/timing"
)

var timed = []string{"blake2b", "chacha20"}

// TestTimingOpen opens forgeries only: that a message is authentic shows in the
// time, as in the result.
func TestTimingOpen(t *testing.T) {
	const n = 512
	var tests []timing.Test
	for _, alg := range algorithms {
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
		// The tag's place in one buffer, so that its test has no copies to make.
		forged := bytes.Clone(sealed)
		tags := timing.Tags(fmt.Sprintf("%s Open of a forgery, %d bytes", alg.name, n), tag, func(tag []byte) bool {
			copy(forged[n:], tag)
			return open(forged)
		})
		tests = append(tests, tags[0])
		wrong := bytes.Clone(tag)
		wrong[0] ^= 1
		tests = append(tests, timing.Fixed(fmt.Sprintf("%s Open of a forgery, %d bytes, ciphertext", alg.name, n), n, func(c []byte) {
			copy(forged, c)
			copy(forged[n:], wrong)
			open(forged)
		}))
		if alg.nonceSize == 0 {
			// Under one tag, the plaintexts that are authenticated: one is zeros.
			stream := a.Seal(nil, nil, make([]byte, n), data)
			copy(wrong, stream[n:])
			wrong[TagSize-1] ^= 1 // behind XChaCha20's nonce
			tests = append(tests, timing.Fixed(fmt.Sprintf("%s Open of a forgery, %d bytes, plaintext", alg.name, n), n, func(p []byte) {
				for i := range p {
					forged[i] = p[i] ^ stream[i]
				}
				copy(forged[n:], wrong)
				open(forged)
			}))
		}
	}
	timing.Run(t, tests, timed...)
}

func TestTimingSeal(t *testing.T) {
	const n = 512
	var tests []timing.Test
	for _, alg := range algorithms {
		nonce, data, plaintext := mactest.Random(alg.nonceSize, 34), []byte("additional data"), mactest.Random(n, 35)
		a := mustAEAD(t, alg, mactest.Random(KeySize, 36), TagSize)
		sealed := make([]byte, 0, n+TagSize)
		tests = append(tests,
			timing.Fixed(fmt.Sprintf("%s Seal, %d bytes, plaintext", alg.name, n), n, func(p []byte) { a.Seal(sealed, nonce, p, data) }),
			timing.Fixed(fmt.Sprintf("%s New and Seal, %d bytes, key", alg.name, n), KeySize, func(key []byte) {
				mustAEAD(t, alg, key, TagSize).Seal(sealed, nonce, plaintext, data)
			}))
	}
	timing.Run(t, tests, timed...)
}
