// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"bytes"
	"encoding/hex"
	"math/bits"
	"runtime"
	"testing"
	"unsafe"

	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
)

var (
	sizes    = []int{4, 8, 12, 16}
	rfcKey   = []byte("abcdefghijklmnop")
	rfcNonce = []byte("bcdefghi")
)

func mustKey(tb testing.TB, key []byte, size int) *Key {
	tb.Helper()
	k, err := NewKey(key, size)
	if err != nil {
		tb.Fatal(err)
	}
	return &k
}

// subWordPlain applies the AES S-box to each byte of w (FIPS 197, section 5.1.1). The
// S-box is the inverse in GF(2^8), computed as the 254th power, followed by an affine
// map.
func subWordPlain(w uint32) (out uint32) {
	for i := range 4 {
		b := byte(w >> (8 * i))
		inverse := byte(1)
		for range 254 {
			inverse = multiplyAES(inverse, b)
		}
		s := byte(0x63)
		for r := range 5 {
			s ^= bits.RotateLeft8(inverse, r)
		}
		out |= uint32(s) << (8 * i)
	}
	return out
}

func multiplyAES(a, b byte) (product byte) {
	for ; b > 0; b >>= 1 {
		product ^= a * (b & 1)
		a = a<<1 ^ a>>7*0x1b
	}
	return product
}

// TestRoundKeys checks the last word of each example in FIPS 197, appendix A, and that
// the kernels compute the same round keys as plain Go.
func TestRoundKeys(t *testing.T) {
	for key, want := range map[string]string{
		"2b7e151628aed2a6abf7158809cf4f3c":                                 "b6630ca6",
		"8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b":                 "01002202",
		"603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4": "706c631e",
	} {
		b, err := hex.DecodeString(key)
		if err != nil {
			t.Fatal(err)
		}
		var plain, kernel roundKeys
		plain.set(b, subWordPlain)
		last := plain.keys[plain.rounds]
		if got := hex.EncodeToString(last[12:]); got != want || int(plain.rounds) != len(b)/4+6 {
			t.Errorf("key of %d bytes: %d rounds with last word %s, want last word %s", len(b), plain.rounds, got, want)
		}
		if kernel.expand(b); kernel.rounds > 0 && kernel != plain {
			t.Errorf("key of %d bytes: the kernels and plain Go compute different round keys", len(b))
		}
	}
}

// TestSumGuarded checks that Sum stays within its buffers: inaccessible pages are
// directly before and after the message, the keys and the tag.
func TestSumGuarded(t *testing.T) {
	const keySize = int(unsafe.Sizeof(keys{}))
	msgs, memory, tags := mactest.NewGuarded(t, 4*ChunkSize), mactest.NewGuarded(t, keySize), mactest.NewGuarded(t, 16)
	msg := mactest.Random(4*ChunkSize, 41)
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for i, n := range sumLengths() {
			size := sizes[i%4]
			k := mustKey(t, mactest.Random([]int{16, 24, 32}[i%3], 42), size)
			pad := PadOf(mactest.Random(1+i%16, uint64(i)), size)
			want := make([]byte, size)
			k.sumInSteps(want, pad, nil, msg[:n])
			for end, part := range guardedEnds {
				m, tag := part(msgs, n), part(tags, size)
				copy(m, msg)
				guarded := (*keys)(unsafe.Pointer(unsafe.SliceData(part(memory, keySize))))
				*guarded = *k.keys
				(&Key{guarded, size, k.aes}).Sum(tag, pad, nil, m)
				if !bytes.Equal(tag, want) {
					t.Fatalf("at the %s: %d bytes, tag of %d bytes: got %x, want %x", end, n, size, tag, want)
				}
				if *guarded != *k.keys || !bytes.Equal(m, msg[:n]) {
					t.Fatalf("at the %s: Sum changed its input", end)
				}
			}
		}
	})
}

// sumLengths returns lengths around every boundary of the kernels for whole messages.
func sumLengths() (lengths []int) {
	for n := range 300 {
		lengths = append(lengths, n)
	}
	for chunks := 1; chunks <= 4; chunks++ {
		for d := -131; d <= 131 && chunks*ChunkSize+d <= 4*ChunkSize; d++ {
			lengths = append(lengths, chunks*ChunkSize+d)
		}
	}
	return lengths
}

// TestSumValues checks Sum for chunks whose NH values are around POLY-64's limit and
// prime, in each stream.
func TestSumValues(t *testing.T) {
	for streams := 1; streams <= maxStreams; streams++ {
		k := mustKey(t, mactest.Random(16, 43), 4*streams)
		pad := PadOf(rfcNonce, k.size)
		for s := range streams {
			for i, v := range words64 {
				first := chunkOf(&k.uhash.nh, s, i, words64[(i+5)%len(words64)])
				msg := append(first, chunkOf(&k.uhash.nh, s, 31-i, v)...)
				want := make([]byte, k.size)
				k.sumInSteps(want, pad, nil, msg)
				mactest.Implementations(t, "umac", func(t *testing.T) {
					tag := make([]byte, k.size)
					if k.Sum(tag, pad, nil, msg); !bytes.Equal(tag, want) {
						t.Errorf("%d streams, value %#x in stream %d: got %x, want %x", streams, v, s, tag, want)
					}
				})
			}
		}
	}
}

// TestSumMaxCall checks Sum for messages longer than the maximum length of a kernel
// call.
func TestSumMaxCall(t *testing.T) {
	k := mustKey(t, rfcKey, 8)
	msg := mactest.Random(3*dispatch.MaxCall+1, 49)
	pad := PadOf(rfcNonce, 8)
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for _, n := range []int{dispatch.MaxCall, dispatch.MaxCall + 1, 2 * dispatch.MaxCall, len(msg)} {
			got, want := make([]byte, 8), make([]byte, 8)
			k.sumInSteps(want, pad, nil, msg[:n])
			if k.Sum(got, pad, nil, msg[:n]); !bytes.Equal(got, want) {
				t.Errorf("%d bytes: got %x, want %x", n, got, want)
			}
		}
	})
}

// TestSumEachMaxCall checks SumEach for messages longer than the maximum length of a
// kernel call. The longest one reaches POLY-128, which the kernels for whole messages
// do not implement.
func TestSumEachMaxCall(t *testing.T) {
	k := mustKey(t, rfcKey, 8)
	long := mactest.Random(17<<20, 50)
	pad := PadOf(rfcNonce, 8)
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for _, n := range []int{dispatch.MaxCall, dispatch.MaxCall + 1, len(long)} {
			msg := long[:n]
			got, want := make([]byte, 16), make([]byte, 8)
			k.sumInSteps(want, pad, nil, msg)
			k.SumEach(got, [][]byte{rfcNonce, rfcNonce}, [][]byte{msg, msg})
			if !bytes.Equal(got[:8], want) || !bytes.Equal(got[8:], want) {
				t.Errorf("%d bytes: tags %x, want %x twice", n, got, want)
			}
		}
	})
}

// TestKeyAligned checks that no 64-byte load of the NH key crosses a cache line.
func TestKeyAligned(t *testing.T) {
	var keys [100]*Key // keeps each Key alive, so each has its own memory
	for i := range keys {
		k := mustKey(t, rfcKey, sizes[i%4])
		keys[i] = k
		if at := uintptr(unsafe.Pointer(&k.uhash.nh)) % 64; at != 0 {
			t.Fatalf("the NH key of Key %d is at offset %d of a cache line, want 0", i, at)
		}
	}
	runtime.KeepAlive(keys)
}

// TestKeySize limits the memory of a Key, including its AES key schedule of at most 15
// round keys in each direction.
func TestKeySize(t *testing.T) {
	if n := unsafe.Sizeof(Key{}) + unsafe.Sizeof(keys{}) + 2*15*16 + 64; n > 6<<10 {
		t.Errorf("a Key occupies %d bytes, want at most 6 KiB", n)
	}
}

// TestKeyKept checks that Sum and SumBatch do not change a Key.
func TestKeyKept(t *testing.T) {
	msg := mactest.Random(3000, 5)
	mactest.Implementations(t, "umac", func(t *testing.T) {
		k := mustKey(t, rfcKey, 16)
		before := *k.keys
		tags := make([]byte, 8*16)
		for n := range len(msg) {
			k.Sum(tags[:16], PadOf(rfcNonce, 16), nil, msg[:n])
		}
		k.SumBatch(tags, [][]byte{{1}, {2}, {3}, {4}, {5}}, [][]byte{msg, msg[:1], msg[:2], msg[:3], msg[:4]})
		if before != *k.keys {
			t.Error("Sum or SumBatch changed the Key")
		}
	})
}

// TestSumEmpty checks empty messages, alone and in batches, and that neither the keys
// nor the memory around the tags change.
func TestSumEmpty(t *testing.T) {
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for i, size := range sizes {
			k := mustKey(t, mactest.Random([]int{16, 24, 32, 16}[i], 48), size)
			key := unsafe.Slice((*byte)(unsafe.Pointer(k.keys)), int(unsafe.Sizeof(*k.keys)))
			msg, memory := mactest.Random(50, 49), make([]byte, 12*16)
			tags := memory[16 : 16+9*size]
			mactest.Empty(t, "Sum, SumBatch and SumEach", func(empty []byte) []byte {
				clear(memory)
				all := bytes.Clone(key)
				pad := PadOf(rfcNonce, size)
				k.Sum(tags[:size], pad, nil, empty)
				all = append(all, memory...)
				var cached CachedPad
				cached.Set(pad)
				k.Sum(tags[:size], pad, &cached, empty)
				all = append(all, memory...)
				nonces, msgs := make([][]byte, 9), make([][]byte, 9)
				for j := range msgs {
					nonces[j], msgs[j] = mactest.Random(8, uint64(j)), empty
				}
				msgs[6] = msg
				k.SumBatch(tags, nonces, msgs)
				all = append(all, memory...)
				k.SumEach(tags, nonces, msgs)
				all = append(all, memory...)
				var st State
				st.Update(k, empty)
				st.Sum(tags[:size], k, &cached, empty)
				return append(all, memory...)
			}, msg, key, tags)
		}
	})
}
