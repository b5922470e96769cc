// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
)

// maxLength exceeds two wide steps of the widest kernel followed by all its narrow
// steps.
const maxLength = 3 * 1024

type xorTest struct {
	key     [KeySize]byte
	nonce   [NonceSize]byte
	counter uint64
}

func newXORTest(counter uint64) *xorTest {
	return &xorTest{[KeySize]byte(mactest.Random(KeySize, 10)), [NonceSize]byte(mactest.Random(NonceSize, 11)), counter}
}

// want returns the result of reference for src.
func (x *xorTest) want(src []byte) []byte {
	dst := make([]byte, len(src))
	reference(dst, src, &x.key, &x.nonce, x.counter)
	return dst
}

// xor calls the selected implementation.
func (x *xorTest) xor(dst, src []byte) { XORKeyStream(dst, src, &x.key, &x.nonce, x.counter) }

// TestLengths checks every length, out of place and in place. Memory around the output
// and separate inputs must not change.
func TestLengths(t *testing.T) {
	const around = 70
	x := newXORTest(77)
	msg := mactest.Random(maxLength, 12)
	stream := x.want(msg)
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		for n := range maxLength + 1 {
			canvas := mactest.Random(around+n+around, 13)
			before := slices.Clone(canvas)
			src := slices.Clone(msg[:n])
			dst := canvas[around : around+n]
			check := func(how string) {
				t.Helper()
				if !bytes.Equal(dst, stream[:n]) {
					t.Fatalf("%d bytes %s: got %x, want %x", n, how, dst, stream[:n])
				}
				if !bytes.Equal(canvas[:around], before[:around]) || !bytes.Equal(canvas[around+n:], before[around+n:]) {
					t.Fatalf("%d bytes %s: wrote outside the output", n, how)
				}
			}
			x.xor(canvas[around:], src)
			check("out of place")
			if !bytes.Equal(src, msg[:n]) {
				t.Fatalf("%d bytes: changed the input", n)
			}
			copy(dst, msg)
			x.xor(dst, dst)
			check("in place")
		}
	})
}

// TestNonceOverlap checks that the output may overlap the nonce, for messages that need
// one kernel call and several.
func TestNonceOverlap(t *testing.T) {
	x := newXORTest(5)
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		for _, n := range []int{1, 64, 65, 300, 2048, dispatch.MaxCall, dispatch.MaxCall + 1, 3*dispatch.MaxCall + 100} {
			msg := mactest.Random(n, 17)
			want := x.want(msg)
			for _, at := range []int{1, NonceSize - 1, NonceSize, n / 2, n - 1} {
				memory := make([]byte, NonceSize+n+NonceSize) // the output begins after NonceSize bytes
				nonce := (*[NonceSize]byte)(memory[at:])
				*nonce = x.nonce
				if XORKeyStream(memory[NonceSize:], msg, &x.key, nonce, x.counter); !bytes.Equal(memory[NonceSize:][:n], want) {
					t.Errorf("%d bytes, nonce at output offset %d: wrong result", n, at-NonceSize)
				}
			}
		}
	})
}

// TestOffsets checks lengths up to 1100 with different alignments of the input and the
// output.
func TestOffsets(t *testing.T) {
	x := newXORTest(3)
	msg := mactest.Random(1100, 14)
	stream := x.want(msg)
	from, to := make([]byte, 64+len(msg)), make([]byte, 64+len(msg))
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		for offset := range 64 {
			src := from[offset:][:len(msg)]
			copy(src, msg)
			for n := range len(msg) + 1 {
				if n > 70 && n%64 > 1 && n%61 != offset%61 {
					continue // try the other lengths at one offset only
				}
				other := (7*offset + n) % 64
				dst := to[other:][:n]
				x.xor(dst, src[:n])
				if !bytes.Equal(dst, stream[:n]) {
					t.Fatalf("%d bytes from offset %d to %d: got %x, want %x", n, offset, other, dst, stream[:n])
				}
			}
		}
	})
}

// TestGuarded checks that the kernels stay within their buffers: inaccessible pages are
// directly before and after the output, the input, the key and the nonce.
func TestGuarded(t *testing.T) {
	x := newXORTest(5)
	msg := mactest.Random(maxLength, 15)
	stream := x.want(msg)
	outputs, inputs := mactest.NewGuarded(t, maxLength), mactest.NewGuarded(t, maxLength)
	keys, nonces := mactest.NewGuarded(t, KeySize), mactest.NewGuarded(t, NonceSize)
	ends := map[string]func(*mactest.Guarded, int) []byte{"front": (*mactest.Guarded).Front, "back": (*mactest.Guarded).Back}
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		for end, part := range ends {
			key := (*[KeySize]byte)(unsafe.Pointer(unsafe.SliceData(part(keys, KeySize))))
			nonce := (*[NonceSize]byte)(unsafe.Pointer(unsafe.SliceData(part(nonces, NonceSize))))
			*key, *nonce = x.key, x.nonce
			for n := range maxLength + 1 {
				dst, src := part(outputs, n), part(inputs, n)
				copy(src, msg)
				clear(dst)
				if XORKeyStream(dst, src, key, nonce, x.counter); !bytes.Equal(dst, stream[:n]) {
					t.Fatalf("%d bytes at the %s: got %x, want %x", n, end, dst, stream[:n])
				}
				if XORKeyStream(src, src, key, nonce, x.counter); !bytes.Equal(src, stream[:n]) {
					t.Fatalf("%d bytes in place at the %s: got %x, want %x", n, end, src, stream[:n])
				}
			}
			var want [KeySize]byte
			hChaCha20Generic(&want, key, (*[16]byte)(msg))
			out := (*[KeySize]byte)(part(outputs, KeySize))
			if HChaCha20(out, key, (*[16]byte)(append(part(inputs, 16)[:0], msg[:16]...))); *out != want {
				t.Errorf("HChaCha20 at the %s: got %x, want %x", end, *out, want)
			}
			if *key != x.key || *nonce != x.nonce {
				t.Errorf("at the %s: the key or the nonce changed", end)
			}
		}
	})
}

// TestCounter checks messages in which the counter's low half wraps after any number of
// blocks, and a message that ends with the last block of the keystream.
func TestCounter(t *testing.T) {
	const blocks = maxLength / BlockSize
	msg := mactest.Random(maxLength, 16)
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		for _, wrap := range []uint64{1 << 32, 2 << 32, 1 << 31, 1<<63 + 1<<32, 1 << 63} {
			for before := range uint64(blocks + 1) {
				x := newXORTest(wrap - before)
				stream := x.want(msg)
				for n := len(msg); n > 0; n -= 150 {
					dst := make([]byte, n)
					if x.xor(dst, msg[:n]); !bytes.Equal(dst, stream[:n]) {
						t.Fatalf("%d bytes from block %d: got %x, want %x", n, x.counter, dst, stream[:n])
					}
				}
			}
		}
		x := newXORTest(math.MaxUint64 - blocks + 1)
		dst := make([]byte, len(msg))
		if x.xor(dst, msg); !bytes.Equal(dst, x.want(msg)) {
			t.Error("the last blocks of the keystream are wrong")
		}
	})
}

// TestLong checks messages that need several kernel calls, with counters whose low half
// wraps in different calls.
func TestLong(t *testing.T) {
	msg := mactest.Random(3*dispatch.MaxCall+1000, 17)
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		for _, counter := range []uint64{0, 1<<32 - 1, 1<<32 - dispatch.MaxCall/BlockSize, 1<<32 - 2*dispatch.MaxCall/BlockSize - 3, 1 << 32} {
			x := newXORTest(counter)
			stream := x.want(msg)
			for _, n := range []int{dispatch.MaxCall - 1, dispatch.MaxCall, dispatch.MaxCall + 1, 2 * dispatch.MaxCall, len(msg)} {
				dst := make([]byte, n)
				if x.xor(dst, msg[:n]); !bytes.Equal(dst, stream[:n]) {
					t.Errorf("%d bytes from block %d: wrong result", n, counter)
				}
			}
		}
	})
}

// TestExtremes checks keys, nonces and counters with and without long carries.
func TestExtremes(t *testing.T) {
	msg := mactest.Random(2000, 18)
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		for _, k := range []byte{0x00, 0x80, 0xff} {
			for _, n := range []byte{0x00, 0x80, 0xff} {
				for _, counter := range []uint64{0, 0xffffffff, 0x8000000080000000, 0xffffffff00000000} {
					x := &xorTest{counter: counter}
					copy(x.key[:], bytes.Repeat([]byte{k}, KeySize))
					copy(x.nonce[:], bytes.Repeat([]byte{n}, NonceSize))
					dst := make([]byte, len(msg))
					if x.xor(dst, msg); !bytes.Equal(dst, x.want(msg)) {
						t.Errorf("key of %#02x, nonce of %#02x, block %#x: wrong result", k, n, counter)
					}
				}
			}
		}
	})
}

// TestEmpty checks empty messages.
func TestEmpty(t *testing.T) {
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		x, text := newXORTest(5), mactest.Random(100, 14)
		mactest.Empty(t, "XORKeyStream and KeyStream", func(empty []byte) []byte {
			x.xor(empty, empty)
			KeyStream(empty, &x.key, (*[NonceSizeRFC]byte)(text), 1)
			s := Stream{Key: x.key, Nonce: x.nonce}
			s.XORKeyStream(empty, empty, 3)
			return bytes.Join([][]byte{x.key[:], x.nonce[:], s.Key[:], s.Nonce[:], text}, nil)
		}, x.key[:], x.nonce[:], text)
	})
}
