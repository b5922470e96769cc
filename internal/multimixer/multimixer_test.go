// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/big"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

func digestOf(tb testing.TB, key, msg []byte) []byte {
	tb.Helper()
	var digest [DigestSize]byte
	if !Digest(&digest, key, msg) {
		tb.Fatalf("no digest of %d bytes under a key of %d", len(msg), len(key))
	}
	return digest[:]
}

// kernelDigest returns the kernel's digest. Digest calls the kernel only for two or
// more blocks.
func kernelDigest(key, msg []byte) []byte {
	var s Sum
	s.Add(key, msg)
	var digest [DigestSize]byte
	s.Digest(&digest)
	return digest[:]
}

func checkDigest(t *testing.T, key, msg, want []byte) {
	t.Helper()
	if got := digestOf(t, key, msg); !bytes.Equal(got, want) {
		t.Fatalf("%d blocks: Digest = %x, want %x", len(msg)/BlockSize, got, want)
	}
	if got := kernelDigest(key, msg); !bytes.Equal(got, want) {
		t.Fatalf("%d blocks: the kernel's digest = %x, want %x", len(msg)/BlockSize, got, want)
	}
}

// TestByHand checks f_128 of the words 1 to 8 against a result computed by hand.
func TestByHand(t *testing.T) {
	x := [8]uint32{1, 2, 3, 4, 5, 6, 7, 8}
	want := [8]uint64{5, 12, 21, 32, 6 * 21, 9 * 20, 8 * 19, 7 * 18}
	if got := F128(&x); got != want {
		t.Errorf("F128(%v) = %v, want %v", x, got, want)
	}
}

// TestSmall uses a block whose result can be checked by hand: all words are 2^32-1, so
// x_i·y_i is 2^64 - 2^33 + 1 and sums of three words are 2^32-3.
func TestSmall(t *testing.T) {
	key, msg := bytes.Repeat([]byte{0x0f}, 32), bytes.Repeat([]byte{0xf0}, 32)
	want := bytes.Repeat([]byte{1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff}, 4)
	want = append(want, bytes.Repeat([]byte{9, 0, 0, 0, 0xfa, 0xff, 0xff, 0xff}, 4)...)
	mactest.Implementations(t, "multimixer", func(t *testing.T) { checkDigest(t, key, msg, want) })
}

// extremes contains words at which sums and products wrap around, or almost do.
var extremes = []uint32{0, 1, 2, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x55555555}

// TestF128 compares F128 with the reference, and each implementation of Digest with
// F128, for random blocks and blocks with one or two extreme words.
func TestF128(t *testing.T) {
	var blocks [][8]uint32
	for i := range 8 {
		for j := range 8 {
			for _, a := range extremes {
				for _, b := range extremes {
					for _, fill := range []uint32{0, 1, 0xffffffff} {
						x := [8]uint32{fill, fill, fill, fill, fill, fill, fill, fill}
						x[i], x[j] = a, b
						blocks = append(blocks, x)
					}
				}
			}
		}
	}
	random := mactest.Random(1000*BlockSize, 1)
	for ; len(random) > 0; random = random[BlockSize:] {
		var x [8]uint32
		for i := range x {
			x[i] = binary.LittleEndian.Uint32(random[4*i:])
		}
		blocks = append(blocks, x)
	}
	var msgs, digests [][]byte
	for _, x := range blocks {
		w := make([]*big.Int, 8)
		var msg, digest []byte
		before := x
		z := F128(&x)
		if x != before {
			t.Fatal("F128 changed its argument")
		}
		for i, v := range x {
			w[i] = big.NewInt(int64(v))
			msg = binary.LittleEndian.AppendUint32(msg, v)
		}
		for i, want := range refF128(w) {
			if z[i] != want.Uint64() {
				t.Fatalf("F128(%x)[%d] = %x, want %x", x, i, z[i], want)
			}
			digest = binary.LittleEndian.AppendUint64(digest, z[i])
		}
		msgs, digests = append(msgs, msg), append(digests, digest)
	}
	mactest.Implementations(t, "multimixer", func(t *testing.T) {
		key := make([]byte, BlockSize)
		for i, msg := range msgs {
			checkDigest(t, key, msg, digests[i])
			checkDigest(t, msg, key, digests[i])
		}
	})
}

// TestDigestReference compares digests with the reference for every number of blocks up
// to 300, and around the maximum length of a kernel call.
func TestDigestReference(t *testing.T) {
	const batch = maxSum / BlockSize
	counts := []int{batch - 1, batch, batch + 1, 2*batch - 1, 2 * batch, 2*batch + 1, 3*batch + 7}
	for n := 1; n <= 300; n++ {
		if !testing.Short() || n < 70 || n%11 == 0 {
			counts = append(counts, n)
		}
	}
	for i, n := range counts {
		key, msg := mactest.Random(n*BlockSize, uint64(i)), mactest.Random(n*BlockSize, uint64(i+1000))
		want := refDigest(key, msg)
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			mactest.Implementations(t, "multimixer", func(t *testing.T) { checkDigest(t, key, msg, want) })
		})
	}
}

// TestBlockPositions changes one block at a time and compares the difference of the
// digests with the block's own digest. It detects kernels that process a word twice, in
// the wrong lane, or not at all.
func TestBlockPositions(t *testing.T) {
	mactest.Implementations(t, "multimixer", func(t *testing.T) {
		for n := 1; n <= 33; n++ {
			for at := range n {
				msg := make([]byte, n*BlockSize)
				key := bytes.Clone(msg)
				copy(msg[at*BlockSize:], mactest.Random(BlockSize, uint64(n)))
				copy(key[at*BlockSize:], mactest.Random(BlockSize, uint64(n+100)))
				checkDigest(t, key, msg, refDigest(key[at*BlockSize:][:BlockSize], msg[at*BlockSize:][:BlockSize]))
			}
		}
	})
}

// TestAccumulation checks that Add adds to every word of an existing sum.
func TestAccumulation(t *testing.T) {
	mactest.Implementations(t, "multimixer", func(t *testing.T) {
		for n := range 70 {
			key, msg := mactest.Random(n*BlockSize, 2), mactest.Random(n*BlockSize, 3)
			start := Sum{1, 1 << 63, 3, ^uint64(0), 5, 6 << 32, 7, 1<<32 - 1}
			got, want := start, start
			got.Add(key, msg)
			want.addGeneric(key, msg)
			if got != want {
				t.Fatalf("%d blocks: %x, want %x", n, got, want)
			}
		}
	})
}

// TestAlignments varies the alignments of key, message and digest.
func TestAlignments(t *testing.T) {
	mactest.Implementations(t, "multimixer", func(t *testing.T) {
		for _, n := range []int{1, 2, 3, 4, 5, 8, 17} {
			key, msg := mactest.Random(n*BlockSize, 4), mactest.Random(n*BlockSize, 5)
			want := digestOf(t, key, msg)
			k, m, d := make([]byte, len(key)+64), make([]byte, len(msg)+64), make([]byte, DigestSize+64)
			for i := range 64 {
				copy(k[i:], key)
				for j := range 64 {
					copy(m[j:], msg)
					digest := (*[DigestSize]byte)(d[(i+j)%64:])
					if !Digest(digest, k[i:i+len(key)], m[j:j+len(msg)]) || !bytes.Equal(digest[:], want) {
						t.Fatalf("%d blocks, key at %d, message at %d: %x, want %x", n, i, j, *digest, want)
					}
					checkDigest(t, k[i:i+len(key)], m[j:j+len(msg)], want)
				}
			}
		}
	})
}

// TestGuarded places the buffers directly before and after inaccessible pages.
func TestGuarded(t *testing.T) {
	const blocks = 300
	gk, gm := mactest.NewGuarded(t, blocks*BlockSize), mactest.NewGuarded(t, blocks*BlockSize)
	gd := mactest.NewGuarded(t, DigestSize)
	type side = func(*mactest.Guarded, int) []byte
	sides := []side{(*mactest.Guarded).Front, (*mactest.Guarded).Back}
	mactest.Implementations(t, "multimixer", func(t *testing.T) {
		for n := 1; n <= blocks; n++ {
			key, msg := mactest.Random(n*BlockSize, 6), mactest.Random(n*BlockSize, 7)
			want := digestOf(t, key, msg)
			for _, keySide := range sides {
				for _, msgSide := range sides {
					k, m := keySide(gk, len(key)), msgSide(gm, len(msg))
					copy(k, key)
					copy(m, msg)
					digest := (*[DigestSize]byte)(msgSide(gd, DigestSize))
					if !Digest(digest, k, m) || !bytes.Equal(digest[:], want) {
						t.Fatalf("%d blocks: %x, want %x", n, *digest, want)
					}
					checkDigest(t, k, m, want)
				}
			}
		}
	})
}

// TestOverlap stores the digest over the key and over the message.
func TestOverlap(t *testing.T) {
	mactest.Implementations(t, "multimixer", func(t *testing.T) {
		for n := 2; n < 12; n++ {
			for at := range (n - 2) * BlockSize {
				for _, inKey := range []bool{true, false} {
					key, msg := mactest.Random(n*BlockSize, 8), mactest.Random(n*BlockSize, 9)
					want := digestOf(t, key, msg)
					buf := msg
					if inKey {
						buf = key
					}
					if !Digest((*[DigestSize]byte)(buf[at:]), key, msg) || !bytes.Equal(buf[at:at+DigestSize], want) {
						t.Fatalf("%d blocks, digest at %d: %x, want %x", n, at, buf[at:at+DigestSize], want)
					}
				}
			}
		}
		same := mactest.Random(5*BlockSize, 10)
		checkDigest(t, same, same, refDigest(same, same))

		// A single block is shorter than its digest.
		for at := range 2*DigestSize + 1 - BlockSize {
			for _, inKey := range []bool{true, false} {
				buf, other := mactest.Random(2*DigestSize, 8), mactest.Random(BlockSize, 9)
				block := buf[at : at+BlockSize]
				want := refDigest(block, other)
				key, msg := block, other
				if !inKey {
					key, msg = other, block
				}
				digest := (*[DigestSize]byte)(buf[DigestSize/2:])
				if !Digest(digest, key, msg) || !bytes.Equal(digest[:], want) {
					t.Fatalf("one block, %d bytes from the digest: %x, want %x", at-DigestSize/2, *digest, want)
				}
			}
		}
	})
}

// TestMaxCall checks the number of message bytes passed to the assembly per call. It is
// half of dispatch.MaxCall, because a kernel reads as many key bytes.
func TestMaxCall(t *testing.T) {
	mactest.MaxCall(t, "multimixer", 2*BlockSize, func(both []byte) {
		digestBlocks(new([DigestSize]byte), both[:len(both)/2], both[len(both)/2:])
	})
	mactest.Implementations(t, "multimixer", func(t *testing.T) {
		var digest [DigestSize]byte
		if !Digest(&digest, make([]byte, 5*maxSum), make([]byte, 5*maxSum)) {
			t.Error("no digest")
		}
	})
}

// TestEmpty checks an empty message with an empty key.
func TestEmpty(t *testing.T) {
	mactest.Implementations(t, "multimixer", func(t *testing.T) {
		key, msg := mactest.Random(1024, 9), mactest.Random(96, 10)
		var digest [DigestSize]byte
		mactest.Empty(t, "Digest and Add", func(empty []byte) []byte {
			digest = [DigestSize]byte{}
			all := fmt.Append(nil, Digest(&digest, empty, empty), Digest(&digest, key, empty), digest)
			var s Sum
			s.Add(empty, empty)
			s.Add(key[:96], msg)
			s.Add(key[96:][:0], empty)
			s.Digest(&digest)
			return append(all, digest[:]...)
		}, key, msg, digest[:])
	})
}
