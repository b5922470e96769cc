// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"github.com/unimac/unimac/aead"
	"github.com/unimac/unimac/internal/bench/peer/clib"
	"github.com/unimac/unimac/internal/blake2b"
)

// chachaBLAKE2b compares ChaCha20-BLAKE2b without additional data under one key.
func chachaBLAKE2b(open bool) Contest {
	c := sealing("chacha20-blake2b", "ChaCha20-BLAKE2b", open, sizes(16, 1<<20),
		ours([]string{"chacha20", "blake2b", "chacha20blake2b"}, startAEAD(aead.New, open))...)
	if !open {
		c.Entrants = append(c.Entrants, Entrant{Name: "libsodium", Label: "libsodium, composed", Start: func(size int) (*Work, error) {
			sealed := make([]byte, size+aead.TagSize)
			return work(sealed, clib.Loop(clib.SodiumChaCha20BLAKE2b, clib.Work{Out: sealed, Key: data(32, 1), Nonce: data(aead.NonceSize, 2), Msg: data(size, 4)})), nil
		}}, aesGCM(open), opensslGCM(), uncommitted(open))
	}
	c.Entrants = append(c.Entrants, Entrant{Name: "unimac-blake2b-alone", Label: "unimac, BLAKE2b alone", Ours: true, Other: true, Start: blake2bAlone})
	return c
}

// blake2bAlone computes tags of messages under one key. Its speed is the limit that
// ChaCha20-BLAKE2b would reach if ChaCha20 cost nothing.
func blake2bAlone(size int) (*Work, error) {
	keyed, msg, tag := blake2b.New(aead.TagSize, data(64, 1)), data(size, 2), make([]byte, aead.TagSize)
	return work(tag, func(n int) {
		for range n {
			keyed.SumWith(tag[:0], msg)
		}
	}), nil
}
