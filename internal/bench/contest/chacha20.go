// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	xchacha20 "golang.org/x/crypto/chacha20"

	"github.com/unimac/unimac/internal/bench/peer/openssl"
	"github.com/unimac/unimac/internal/bench/peer/sodium"
	"github.com/unimac/unimac/internal/chacha20"
)

// chacha20s compares the cipher, set up for each message.
func chacha20s() Contest {
	key, nonce := data(chacha20.KeySize, 1), data(chacha20.NonceSize, 3)
	peer := func(loop func(dst, key, nonce, msg []byte) func(n int)) func(size int) (*Work, error) {
		return func(size int) (*Work, error) {
			msg, dst := data(size, 2), make([]byte, size)
			return work(dst, loop(dst, key, nonce, msg)), nil
		}
	}
	return Contest{
		Name: "chacha20", Title: "ChaCha20",
		Sizes: sizes(16, 1<<20),
		Entrants: append(ours([]string{"chacha20"}, func(size int) (*Work, error) {
			key, nonce := [chacha20.KeySize]byte(key), [chacha20.NonceSize]byte(nonce)
			msg, dst := data(size, 2), make([]byte, size)
			return work(dst, func(n int) {
				for range n {
					chacha20.XORKeyStream(dst, msg, &key, &nonce, 0)
				}
			}), nil
		}),
			Entrant{Name: "openssl", Label: "OpenSSL", Start: peer(openssl.ChaCha20)},
			Entrant{Name: "libsodium", Label: "libsodium", Start: peer(sodium.ChaCha20)},
			Entrant{Name: "x-crypto", Label: "x/crypto", Start: peer(xChaCha20)},
		),
	}
}

// xChaCha20 is x/crypto's, which has no assembly on some platforms. RFC 8439's
// longer nonce begins with the high half of the counter.
func xChaCha20(dst, key, nonce, msg []byte) (loop func(n int)) {
	nonce = append(make([]byte, 4, xchacha20.NonceSize), nonce...)
	return func(n int) {
		for range n {
			c, err := xchacha20.NewUnauthenticatedCipher(key, nonce)
			if err != nil {
				panic(err)
			}
			c.XORKeyStream(dst, msg)
		}
	}
}
