// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// FuzzF128 compares F128 and a one-block digest with math/big.
func FuzzF128(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(bytes.Repeat([]byte{0xff}, BlockSize))
	f.Add(mactest.Random(BlockSize, 1))
	f.Fuzz(func(t *testing.T, words []byte) {
		block := mactest.NewChoices(words).Bytes(BlockSize)
		var x [8]uint32
		var ref []*big.Int
		for i := range x {
			x[i] = binary.LittleEndian.Uint32(block[4*i:])
			ref = append(ref, big.NewInt(int64(x[i])))
		}
		var want []byte
		z := F128(&x)
		for i, w := range refF128(ref) {
			if z[i] != w.Uint64() {
				t.Errorf("F128(%x): word %d is %x, want %x", x, i, z[i], w)
			}
			want = binary.LittleEndian.AppendUint64(want, w.Uint64())
		}
		mactest.EachImplementation("multimixer", func(string) {
			checkDigest(t, make([]byte, BlockSize), block, want)
		})
	})
}

// FuzzDigest compares every implementation with the reference. The fuzzer chooses the
// number of blocks and the alignments of key and message.
func FuzzDigest(f *testing.F) {
	ones := bytes.Repeat([]byte{0xff}, 64)
	f.Add([]byte{}, []byte{}, []byte{})
	f.Add([]byte{1, 0}, bytes.Repeat([]byte{0x0f}, 32), bytes.Repeat([]byte{0xf0}, 32))
	f.Add([]byte{5, 0, 64, 7}, ones, ones)
	f.Add([]byte{0xff, 0, 31, 63}, mactest.Random(500, 1), mactest.Random(333, 2))
	for _, blocks := range []byte{1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 200} {
		f.Add([]byte{blocks, 0, 70, 3}, []byte{0xff, 0, 1, 0x80}, []byte{0xff, 0x7f})
	}
	const maxBlocks = 200
	keys, msgs := mactest.NewFuzzMemory(f, maxBlocks*BlockSize), mactest.NewFuzzMemory(f, maxBlocks*BlockSize)
	f.Fuzz(func(t *testing.T, choices, keyData, msgData []byte) {
		c := mactest.NewChoices(choices)
		n := c.Length(maxBlocks) * BlockSize
		key, msg := keys.Place(c, n, keyData), msgs.Place(c, n, msgData)
		if n == 0 {
			if Digest(new([DigestSize]byte), key, msg) {
				t.Error("a digest of no block")
			}
			return
		}
		// The definition is slow, so it is compared with the plain Go code for few
		// blocks only. The plain Go code is compared with the kernels for any number.
		var want [DigestSize]byte
		digestGeneric(&want, key, msg)
		if n <= 8*BlockSize {
			if ref := refDigest(key, msg); !bytes.Equal(want[:], ref) {
				t.Errorf("plain Go, %d blocks: %x, want %x", n/BlockSize, want, ref)
			}
		}
		mactest.EachImplementation("multimixer", func(string) { checkDigest(t, key, msg, want[:]) })
	})
}
