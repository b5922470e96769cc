// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/chacha20blake2b"
	"github.com/unimac/unimac/internal/chacha20poly1305"
	"github.com/unimac/unimac/internal/poly1305"
	"github.com/unimac/unimac/internal/salsa20"
	"github.com/unimac/unimac/internal/umac"
)

// operations lists those that have a choice, by what of a table says it.
func operations() []operation {
	var key [32]byte
	var nonce [12]byte
	var tag [16]byte
	return []operation{
		{"chacha20poly1305", "seal", 1, 16 << 10, func(n int) func() {
			src, dst := make([]byte, n), make([]byte, n)
			return func() { chacha20poly1305.Seal(&tag, dst, src, nil, &key, &nonce) }
		}},
		{"chacha20poly1305", "open", 1, 16 << 10, func(n int) func() {
			var tag [16]byte
			src, dst := make([]byte, n), make([]byte, n)
			chacha20poly1305.Seal(&tag, src, dst, nil, &key, &nonce)
			return func() { chacha20poly1305.Open(&tag, dst, src, nil, &key, &nonce) }
		}},
		{"chacha20poly1305", "siv", 1, 16 << 10, func(n int) func() {
			var tag [32]byte
			var nonce [16]byte
			src, dst := make([]byte, n), make([]byte, n)
			chacha20poly1305.SealSIV(&tag, src, dst, nil, &key, &nonce)
			return func() { chacha20poly1305.OpenSIV(&tag, dst, src, nil, &key, &nonce) }
		}},
		{"chacha20poly1305", "stream", 1, 16 << 10, func(n int) func() {
			var tag [32]byte
			src, dst := make([]byte, n), make([]byte, n)
			return func() { chacha20poly1305.SealSIV(&tag, dst, src, nil, &key, new([16]byte)) }
		}},
		{"chacha20", "one block and more", 16, 4 << 10, func(n int) func() {
			s, text := chacha20.Stream{}, make([]byte, n)
			return func() { s.XORKeyStream(text, text, 0) }
		}},
		{"chacha20", "Block", 64, 64, func(int) func() {
			return func() { chacha20.Block(new([64]byte), &key, new([16]byte)) }
		}},
		{"chacha20", "HChaCha20", 16, 16, func(int) func() {
			return func() { chacha20.HChaCha20(new([32]byte), &key, new([16]byte)) }
		}},
		{"salsa20", "mostSSE41", 80, 4 << 10, func(n int) func() {
			var nonce [8]byte
			text := make([]byte, n)
			return func() { salsa20.XORKeyStream(text, text, &key, &nonce, 0) }
		}},
		{"blake2b", "avx2 and avx512", 128, 16 << 10, func(n int) func() {
			text := make([]byte, n)
			return func() {
				s := blake2b.New(64, nil)
				s.Write(text)
			}
		}},
		{"chacha20blake2b", "avx2", 128, 16 << 10, func(n int) func() {
			var s chacha20.Stream
			text := make([]byte, n)
			return func() {
				mac := blake2b.New(64, nil)
				chacha20blake2b.XORAndWrite(&mac, text, text, 0, &s)
			}
		}},
		{"poly1305", "cold", 16, 16 << 10, func(n int) func() {
			text := make([]byte, n)
			return func() { poly1305.Sum(&tag, text, &key) }
		}},
		{"poly1305", "warm", 16, 4 << 10, func(n int) func() {
			text := make([]byte, n)
			var s poly1305.State
			var kept poly1305.KeptTable
			s.SetKey(&key)
			return func() { s.Blocks(&kept, text[:n&^15]) }
		}},
		{"umac", "avx512", 32, 1 << 10, func(n int) func() {
			k, err := umac.NewKey(key[:16], 8)
			if err != nil {
				panic(err)
			}
			var s umac.State
			var kept umac.KeptPad
			text := make([]byte, n)
			return func() { s.Sum(tag[:8], &k, &kept, text) }
		}},
	}
}
