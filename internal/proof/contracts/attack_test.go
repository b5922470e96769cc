// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build amd64 || arm64

package contracts

import (
	"testing"
	"unsafe"
)

// TestAttackCalls checks calls that Go code has prepared incorrectly. Tests of results
// need not notice these mistakes, because they change other memory or use another
// message's state. Without the mistake, each call must be allowed.
func TestAttackCalls(t *testing.T) {
	text, other := make([]byte, 1<<18), make([]byte, 1<<18)
	at := func(b []byte, i int) *byte { return &b[i] }
	// only returns v if the mistake is made, and 0 otherwise.
	only := func(wrong bool, v int) int {
		if wrong {
			return v
		}
		return 0
	}
	// keysOf returns keys of package umac with the given numbers of streams and rounds.
	keysOf := func(streams, rounds uint64) *uint64 {
		const streamsAt, roundsAt = 5 * 512 / 8, 5*512/8 + 1 + 3*4 + 4*4 + 4*9
		keys := make([]uint64, 1024)
		keys[streamsAt], keys[roundsAt] = streams, rounds
		for s := range 4 {
			keys[streamsAt+1+8+s] = 59 // POLY-64's k + 59
		}
		return &keys[0]
	}
	// A message has the layout of the message that cryptAVX2 processes.
	type message struct {
		counter uint64
		_       [3]uint64 // nonce and lower words of h
		h2      uint64
		_       [5]uint64 // r, s and the length of the additional data
		text    uint64
		_       [2]uint64 // the tag
	}
	crypt := func(m message, key, dst *byte, n, flags int) string {
		return called(t, "chacha20poly1305 cryptAVX2", &m, key, dst, at(text, 0), n, at(other, 0), 0, flags)
	}
	const first, last = 1, 2
	for _, test := range []struct {
		name, reason string
		call         func(wrong bool) string
	}{
		{"text length of another message", "m[80]: 0x400, want 0x3e8", func(wrong bool) string {
			return crypt(message{counter: 1, text: 1000 + uint64(only(wrong, 24))}, at(other, 64), at(other, 1024), 1000, first|last)
		}},
		{"block number beyond the limit of RFC 8439", "the number after the last block", func(wrong bool) string {
			return crypt(message{counter: 1<<32 - 16 + uint64(only(wrong, 1)), text: 1024}, at(other, 64), at(other, 1024), 1024, first|last)
		}},
		{"last call without its flag", "not proven", func(wrong bool) string {
			flags := last
			if wrong {
				flags = 0
			}
			return crypt(message{counter: 17, text: 2048 + 1000}, at(other, 64), at(other, 1024), 1000, flags)
		}},
		{"h not reduced between calls", "h2 is 0x100004", func(wrong bool) string {
			return crypt(message{counter: 17, h2: 4 + uint64(only(wrong, 1<<20))}, at(other, 64), at(other, 1024), 1024, 0)
		}},
		{"key that overlaps dst by one byte", "overlap", func(wrong bool) string {
			return crypt(message{counter: 1, text: 1000}, at(other, 1024-32+only(wrong, 1)), at(other, 1024), 1000, first|last)
		}},
		{"8-byte tag with a pad offset of 4", "arguments[32]: 0x4, want 0x8", func(wrong bool) string {
			return called(t, "umac sumAVX2AES", at(other, 0), keysOf(2, 10), uint64(0), uint64(0), 8-only(wrong, 4), at(text, 0), 100)
		}},
		{"more streams than the rest of the pad", "keys[2560]: 0x3, want 0x1", func(wrong bool) string {
			return called(t, "umac sumAVX2AES", at(other, 0), keysOf(1+uint64(only(wrong, 2)), 10), uint64(0), uint64(0), 12, at(text, 0), 100)
		}},
		{"invalid number of AES rounds", "keys[3080]: 11 is no", func(wrong bool) string {
			return called(t, "umac sumFourAVX2AES", at(other, 0), keysOf(1, 14-uint64(only(wrong, 3))), at(other, 1024))
		}},
		{"blocks that overlap the round keys", "overlap", func(wrong bool) string {
			rounds := at(other, 4096)
			*rounds = 10
			return called(t, "umac encryptAVX2AES", at(other, 4096-128+only(wrong, 1)), rounds)
		}},
		{"lane without a message", "blocks3 is nil", func(wrong bool) string {
			l := struct {
				chains [64]uint64
				counts [8]uint64
				blocks [8]*byte
			}{}
			for i := range 4 - only(wrong, 1) {
				l.blocks[i] = at(text, 256*i)
			}
			return called(t, "blake2b lanes4AVX2", &l, 256, uint64(0))
		}},
		{"text too long for one call", "arguments[16]", func(wrong bool) string {
			var h [8]uint64
			return called(t, "blake2b compressAVX2", &h, at(text, 0), 64<<10+only(wrong, 128), uint64(0), uint64(0))
		}},
		{"partial block", "not proven", func(wrong bool) string {
			var h [8]uint64
			return called(t, "blake2b compressAVX2", &h, at(text, 0), 256+only(wrong, 2), uint64(0), uint64(0))
		}},
		{"one byte of additional data too many", "arguments[40]: 0x11, want 0x10", func(wrong bool) string {
			return called(t, "chacha20poly1305 shortAVX512IFMA", at(other, 0), at(other, 64), at(text, 0), 64, at(text, 512), 16+only(wrong, 1), at(other, 512), at(other, 600), 0)
		}},
		{"table of another key", "not congruent", func(wrong bool) string {
			state := [5]uint64{3: 1 + uint64(only(wrong, 4))}
			var table [81]uint64
			for lane := range 5 {
				table[lane] = 1 // powers of 1
			}
			return called(t, "poly1305 blocksAVX2", (*byte)(unsafe.Pointer(&state)), &table[0], at(text, 0), 4)
		}},
		{"missing POLY-64 key of a stream", "poly[88]: 0x0, want 0x3b", func(wrong bool) string {
			var state [8]uint64
			var nh [5 * 512]byte
			key := [12]uint64{8: 59, 9: 59, 10: 59, 11: 59}
			if wrong {
				key[11] = 0
			}
			return called(t, "umac nhPolyAVX2", &state, &nh, &key, at(text, 0), 2048, 4)
		}},
	} {
		allowed(t, test.name+", without the mistake", test.call(false))
		refused(t, test.name, test.call(true), test.reason)
	}
}
