// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"github.com/unimac/unimac/internal/bench/peer/clib"
	"github.com/unimac/unimac/internal/chacha20"
)

// chacha20s compares implementations of ChaCha20, including the setup for each message.
func chacha20s() Contest {
	key, nonce := data(chacha20.KeySize, 1), data(chacha20.NonceSize, 3)
	openSSL := func(size int) (clib.Algorithm, clib.Work) {
		return clib.OpenSSLChaCha20, clib.Work{Out: make([]byte, size), Key: key, Nonce: append(make([]byte, 8), nonce...), Msg: data(size, 2)}
	}
	entrants := ours([]string{"chacha20"}, func(size int) (*Work, error) {
		key, nonce := [chacha20.KeySize]byte(key), [chacha20.NonceSize]byte(nonce)
		msg, dst := data(size, 2), make([]byte, size)
		return work(dst, func(n int) {
			for range n {
				chacha20.XORKeyStream(dst, msg, &key, &nonce, 0)
			}
		}), nil
	}, "avx2", "sse41", "neon", "generic")
	entrants = append(entrants, library("openssl", "OpenSSL", openSSL))
	return Contest{
		Name: "chacha20", Title: "ChaCha20", Sizes: sizes(16, 1<<20),
		Entrants: append(entrants, restricted("openssl", "OpenSSL", openSSL)...),
	}
}
