// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/big"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// FuzzF128 compares the public function, and a digest of one block, with integers
// of any size.
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

// FuzzDigest compares every implementation with the reference. The choices are
// the number of blocks and the places of key and message.
func FuzzDigest(f *testing.F) {
	ones := bytes.Repeat([]byte{0xff}, 64)
	f.Add([]byte{}, []byte{}, []byte{})
	f.Add([]byte{1, 0}, bytes.Repeat([]byte{0x0f}, 32), bytes.Repeat([]byte{0xf0}, 32))
	f.Add([]byte{5, 0, 64, 7}, ones, ones)
	f.Add([]byte{0xff, 0, 31, 63}, mactest.Random(500, 1), mactest.Random(333, 2))
	const most = 200 // blocks
	keys, msgs := mactest.NewFuzzMemory(f, most*BlockSize), mactest.NewFuzzMemory(f, most*BlockSize)
	f.Fuzz(func(t *testing.T, choices, keyData, msgData []byte) {
		c := mactest.NewChoices(choices)
		n := c.Length(most) * BlockSize
		key, msg := keys.Place(c, n, keyData), msgs.Place(c, n, msgData)
		if n == 0 {
			if err := Digest(new([DigestSize]byte), key, msg); !errors.Is(err, ErrLength) {
				t.Errorf("no block: %v", err)
			}
			return
		}
		// The definition is slow. It tells about the plain Go in few blocks, which
		// tells about the kernels in all.
		var acc [8]uint64
		sumGeneric(&acc, key, msg)
		var want [DigestSize]byte
		putDigest(&want, &acc)
		if n <= 8*BlockSize {
			if ref := refDigest(key, msg); !bytes.Equal(want[:], ref) {
				t.Errorf("plain Go, %d blocks: %x, want %x", n/BlockSize, want, ref)
			}
		}
		mactest.EachImplementation("multimixer", func(string) { checkDigest(t, key, msg, want[:]) })
	})
}

// plainMAC is refMAC with digests by the plain Go, which FuzzDigest compares with
// the definition.
func plainMAC(key, msg []byte, size int) []byte {
	return refMACWith(func(key, chunk []byte) []byte {
		var acc [8]uint64
		sumGeneric(&acc, key, chunk)
		var digest [DigestSize]byte
		putDigest(&digest, &acc)
		return digest[:]
	}, key, msg, size)
}

// FuzzMAC compares one-shot and incremental use of every implementation with the
// construction on x/crypto's BLAKE2b and ChaCha20. The choices are the size of
// the tag, the message's length, its place and its pieces.
func FuzzMAC(f *testing.F) {
	f.Add([]byte{}, []byte{}, []byte{})
	f.Add([]byte{1, 33, 0, 70, 1, 31}, testKey, []byte("abc"))
	f.Add([]byte{2, 0, 32, 64, 255, 255, 255, 255}, testKey, mactest.Random(100, 1))
	f.Add([]byte{0, 1, 64, 3, 1, 255, 255, 63, 192}, bytes.Repeat([]byte{0xff}, 32), []byte{0xff})
	memory := mactest.NewFuzzMemory(f, 2*chunkSize+100)
	f.Fuzz(func(t *testing.T, choices, keyBytes, data []byte) {
		key := mactest.NewChoices(keyBytes).Bytes(KeySize)
		c := mactest.NewChoices(choices)
		size := sizes[c.Below(len(sizes))]
		msg := memory.Fill(c, data)
		want := plainMAC(key, msg, size)
		wrong := bytes.Clone(want)
		wrong[len(msg)%size] ^= 1
		pieces := *c
		mactest.EachImplementation("multimixer", func(name string) {
			k := mustKey(t, key, size)
			m := pieces.WritePieces(t, k.New(), msg).(*MAC)
			if got := m.Sum(nil); !bytes.Equal(got, want) || !m.Verify(want) || m.Verify(wrong) {
				t.Errorf("%s: %d bytes: MAC = %x, want %x", name, len(msg), got, want)
			}
			// A key that MACs have expanded, and a new one.
			for _, k := range []*Key{k, mustKey(t, key, size)} {
				if got := k.Sum(nil, msg); !bytes.Equal(got, want) || !k.Verify(want, msg) || k.Verify(wrong, msg) {
					t.Errorf("%s: %d bytes: Sum = %x, want %x", name, len(msg), got, want)
				}
			}
		})
	})
}
