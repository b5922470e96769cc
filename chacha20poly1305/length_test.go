// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"bytes"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestLengths has lengths of texts and of additional data that do not fit in 16 bits, or in
// 20.
func TestLengths(t *testing.T) {
	implementations(t, func(t *testing.T) {
		for _, alg := range algorithms {
			key, nonce := mactest.Random(KeySize, 13), mactest.Random(alg.nonceSize, 14)
			a, reference := mustAEAD(t, alg.newAEAD, key), mustAEAD(t, alg.upstream, key)
			for _, tt := range []struct{ text, data int }{{5, 1<<16 + 3}, {1<<20 + 7, 0}, {1 << 16, 1<<20 + 1}} {
				text, data := mactest.Random(tt.text, 15), mactest.Random(tt.data, 16)
				want := reference.Seal(nil, nonce, text, data)
				if got := a.Seal(nil, nonce, text, data); !bytes.Equal(got, want) {
					t.Errorf("%s: %d bytes, %d of additional data: wrong ciphertext", alg.name, tt.text, tt.data)
				}
				if got, err := a.Open(nil, nonce, want, data); err != nil || !bytes.Equal(got, text) {
					t.Errorf("%s: %d bytes, %d of additional data: wrong plaintext, %v", alg.name, tt.text, tt.data, err)
				}
			}
		}
	})
}
