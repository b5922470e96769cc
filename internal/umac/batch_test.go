// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"bytes"
	"crypto/aes"
	"encoding/binary"
	"testing"
	"unsafe"

	"github.com/unimac/unimac/internal/mactest"
)

// TestSumFour compares sumFour with the code for single messages, for four messages of
// different lengths and every key size and tag size.
func TestSumFour(t *testing.T) {
	msg := mactest.Random(ChunkSize, 45)
	mactest.Implementations(t, "umac", func(t *testing.T) {
		if maxOfFour(1) < 0 {
			return
		}
		for i := range 4 * 3 * 4 {
			k := mustKey(t, mactest.Random([]int{16, 24, 32}[i%3], uint64(i)), sizes[i/3%4])
			for n := i / 12; n <= ChunkSize; n += 1 + n/70*11 {
				var nonces, msgs [][]byte
				var want []byte
				for lane, length := range []int{n, ChunkSize - n, n * 7 % 67, n / 2} {
					nonces = append(nonces, mactest.Random(1+(n+lane)%16, uint64(n+lane)))
					msgs = append(msgs, msg[lane:][:min(length, ChunkSize-lane)])
					want = append(want, make([]byte, k.size)...)
					k.sumInSteps(want[lane*k.size:], PadOf(nonces[lane], k.size), nil, msgs[lane])
				}
				got := make([]byte, len(want))
				k.sumFour(got, nonces, msgs)
				if !bytes.Equal(got, want) {
					t.Fatalf("key of %d rounds, tags of %d bytes, %d bytes: got %x, want %x", k.keys.pad.rounds, k.size, n, got, want)
				}
			}
		}
	})
}

// TestSumFourGuarded checks that sumFour stays within its buffers: inaccessible pages
// are directly before and after the messages, their descriptors, the keys and the tags.
func TestSumFourGuarded(t *testing.T) {
	const keySize, toldSize = int(unsafe.Sizeof(keys{})), int(unsafe.Sizeof([4]message{}))
	var memory [4]*mactest.Guarded
	for i := range memory {
		memory[i] = mactest.NewGuarded(t, ChunkSize)
	}
	keyMemory, told, tags := mactest.NewGuarded(t, keySize), mactest.NewGuarded(t, toldSize), mactest.NewGuarded(t, 4*16)
	msg := mactest.Random(ChunkSize, 46)
	mactest.Implementations(t, "umac", func(t *testing.T) {
		if maxOfFour(1) < 0 {
			return
		}
		for n := range ChunkSize + 1 {
			k := mustKey(t, mactest.Random([]int{16, 24, 32}[n%3], 47), sizes[n%4])
			for end, part := range guardedEnds {
				four := (*[4]message)(unsafe.Pointer(unsafe.SliceData(part(told, toldSize))))
				var want []byte
				for lane := range four {
					m := part(memory[lane], (n+lane*n/3)%(ChunkSize+1))
					copy(m, msg)
					pad := PadOf(mactest.Random(8, uint64(n+lane)), k.size)
					four[lane] = message{pad, unsafe.SliceData(m), len(m)}
					tag := make([]byte, k.size)
					k.sumInSteps(tag, pad, nil, m)
					want = append(want, tag...)
				}
				guarded := (*keys)(unsafe.Pointer(unsafe.SliceData(part(keyMemory, keySize))))
				*guarded = *k.keys
				got := part(tags, len(want))
				sumFour(got, guarded, four)
				if !bytes.Equal(got, want) {
					t.Fatalf("at the %s: %d bytes, tags of %d bytes: got %x, want %x", end, n, k.size, got, want)
				}
				if *guarded != *k.keys {
					t.Fatalf("at the %s: sumFour changed the keys", end)
				}
			}
		}
	})
}

// TestDerive compares derive with the encryption of single blocks by crypto/aes, for
// every derived length up to 70 blocks.
func TestDerive(t *testing.T) {
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for _, size := range []int{16, 24, 32} {
			key := mactest.Random(size, 51)
			block, err := aes.NewCipher(key)
			if err != nil {
				t.Fatal(err)
			}
			var want []byte
			for i := range uint64(70) {
				in := binary.BigEndian.AppendUint64([]byte{0, 0, 0, 0, 0, 0, 1, 2}, i+1)
				block.Encrypt(in, in)
				want = append(want, in...)
			}
			var k kdf
			if err := k.set(key); err != nil {
				t.Fatal(err)
			}
			for n := range want {
				if got := k.derive(make([]byte, n), 0x0102); !bytes.Equal(got, want[:n]) {
					t.Fatalf("key of %d bytes: derive of %d bytes = %x, want %x", size, n, got, want[:n])
				}
			}
		}
	})
}
