// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"testing"

	"golang.org/x/crypto/blake2b"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/vectors"
)

func sumOf(size int, key, msg []byte) []byte {
	s := New(size, key)
	s.Write(msg)
	return s.Sum(nil)
}

// TestRFC checks the example of RFC 7693, appendix A, and the self-test of appendix E.
func TestRFC(t *testing.T) { mactest.Implementations(t, "blake2b", testRFC) }

func testRFC(t *testing.T) {
	want := "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1" +
		"7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"
	if got := hex.EncodeToString(sumOf(64, nil, []byte("abc"))); got != want {
		t.Errorf("abc: got %s, want %s", got, want)
	}
	if got := hex.EncodeToString(selfTest()); got != "c23a7800d98123bd10f506c61e29da5603d763b8bbad2e737f5e765a7bccd475" {
		t.Errorf("self-test of appendix E returned %s", got)
	}
}

// selfTest returns the result of the self-test in RFC 7693, appendix E, which hashes
// digests of several sizes, with and without a key.
func selfTest() []byte {
	sequence := func(n int) []byte {
		out := make([]byte, n)
		a, b := 0xDEAD4BAD*uint32(n), uint32(1)
		for i := range out {
			a, b = b, a+b
			out[i] = byte(b >> 24)
		}
		return out
	}
	all := New(32, nil)
	for _, size := range []int{20, 32, 48, 64} {
		for _, n := range []int{0, 3, 128, 129, 255, 1024} {
			all.Write(sumOf(size, nil, sequence(n)))
			all.Write(sumOf(size, sequence(size), sequence(n)))
		}
	}
	return all.Sum(nil)
}

func TestVectors(t *testing.T) { mactest.Implementations(t, "blake2b", testVectors) }

func testVectors(t *testing.T) {
	type test struct {
		Key, Tag vectors.Hex
		Size     int
		Msg      vectors.Message
	}
	for i, v := range vectors.Load[test](t, "blake2b.json") {
		if got := sumOf(v.Size, v.Key, v.Msg.Bytes()); !bytes.Equal(got, v.Tag) {
			t.Errorf("test %d: got %x, want %x", i, got, []byte(v.Tag))
		}
	}
}

// TestReference compares digests with golang.org/x/crypto, for every digest and key
// size, at every length around the first blocks.
func TestReference(t *testing.T) { mactest.Implementations(t, "blake2b", testReference) }

func testReference(t *testing.T) {
	check := func(size int, key, msg []byte) {
		t.Helper()
		h, err := blake2b.New(size, key)
		if err != nil {
			t.Fatal(err)
		}
		h.Write(msg)
		if got, want := sumOf(size, key, msg), h.Sum(nil); !bytes.Equal(got, want) {
			t.Fatalf("digest of %d bytes, key of %d bytes, message of %d bytes: got %x, want %x", size, len(key), len(msg), got, want)
		}
	}
	for size := 1; size <= MaxSize; size++ {
		for n := range MaxSize + 1 {
			check(size, mactest.Random(n, 1), mactest.Random((size*n)%300, 2))
		}
	}
	for n := range 5*BlockSize + 2 {
		check(64, nil, mactest.Random(n, 3))
		check(32, mactest.Random(32, 4), mactest.Random(n, 3))
	}
}

// TestSplits checks that Sum and SumWith do not depend on how a message is split, and
// do not change the state.
func TestSplits(t *testing.T) { mactest.Implementations(t, "blake2b", testSplits) }

func testSplits(t *testing.T) {
	for _, key := range [][]byte{nil, mactest.Random(64, 5)} {
		msg := mactest.Random(3*BlockSize+1, 6)
		prefixes := make([][]byte, len(msg)+1)
		begin := New(48, key)
		for n := range prefixes {
			prefixes[n] = sumOf(48, key, msg[:n])
			if got := begin.SumWith(nil, msg[:n]); !bytes.Equal(got, prefixes[n]) {
				t.Fatalf("SumWith of %d bytes = %x, want %x", n, got, prefixes[n])
			}
		}
		for piece := 1; piece <= len(msg); piece++ {
			s := New(48, key)
			for at := 0; at < len(msg); {
				n := min(piece, len(msg)-at)
				s.Write(msg[at : at+n])
				s.Write(nil)
				at += n
				if got := s.SumWith([]byte("a"), msg[at:]); !bytes.Equal(got[1:], prefixes[len(msg)]) || got[0] != 'a' {
					t.Fatalf("%d bytes in pieces of %d, the rest by SumWith: got %x, want 61%x", at, piece, got, prefixes[len(msg)])
				}
				if got := s.Sum(nil); !bytes.Equal(got, prefixes[at]) {
					t.Fatalf("%d of %d bytes in pieces of %d: Sum = %x, want %x", at, len(msg), piece, got, prefixes[at])
				}
			}
		}
	}
}

// TestCopy checks that a copied State continues independently of the original.
func TestCopy(t *testing.T) { mactest.Implementations(t, "blake2b", testCopy) }

func testCopy(t *testing.T) {
	key, msg := mactest.Random(20, 7), mactest.Random(500, 8)
	s := New(32, key)
	for n := range msg {
		c := s
		c.Write(msg[n:])
		if got, want := c.Sum([]byte("ab")), append([]byte("ab"), sumOf(32, key, msg)...); !bytes.Equal(got, want) {
			t.Fatalf("copied after %d bytes: got %x, want %x", n, got, want)
		}
		s.Write(msg[n : n+1])
	}
}

func TestPanics(t *testing.T) {
	for _, tt := range []struct {
		size, key int
		want      string
	}{
		{1, 0, ""},
		{64, 64, ""},
		{0, 0, "blake2b: digest of 0 bytes, want 1 to 64"},
		{-1, 0, "blake2b: digest of -1 bytes, want 1 to 64"},
		{65, 0, "blake2b: digest of 65 bytes, want 1 to 64"},
		{64, 65, "blake2b: key of 65 bytes, want at most 64"},
	} {
		got := mactest.Panic(func() {
			s := New(tt.size, make([]byte, tt.key))
			if s.Size() != tt.size {
				t.Errorf("Size = %d, want %d", s.Size(), tt.size)
			}
		})
		if got != tt.want {
			t.Errorf("digest of %d bytes, key of %d: panic %q, want %q", tt.size, tt.key, got, tt.want)
		}
	}
}

func TestAllocations(t *testing.T) { mactest.Implementations(t, "blake2b", testAllocations) }

func testAllocations(t *testing.T) {
	key, msg := mactest.Random(64, 9), mactest.Random(1000, 10)
	mactest.NoAllocations(t, "New, Write, Sum", func() {
		s := New(64, key)
		s.Write(msg[:77])
		s.Write(msg[77:])
		var sum [MaxSize]byte
		s.Sum(sum[:0])
		s.SumWith(sum[:0], msg)
	})
}

func BenchmarkSum(b *testing.B) {
	for _, n := range []int{128, 65536} {
		b.Run(fmt.Sprintf("size=%d", n), func(b *testing.B) {
			keyed, msg := New(32, make([]byte, 32)), make([]byte, n)
			var sum [MaxSize]byte
			b.Run("peer=x-crypto", func(b *testing.B) {
				b.SetBytes(int64(n))
				for b.Loop() {
					h, _ := blake2b.New256(make([]byte, 32))
					h.Write(msg)
					h.Sum(sum[:0])
				}
			})
			mactest.BenchmarkImplementations(b, "blake2b", func(b *testing.B) {
				b.SetBytes(int64(n))
				b.ReportAllocs()
				for b.Loop() {
					keyed.SumWith(sum[:0], msg)
				}
			})
		})
	}
}

func BenchmarkAll(b *testing.B) {
	for _, n := range []int{128, 65536} {
		for _, count := range []int{2, 4, 8} {
			b.Run(fmt.Sprintf("size=%d/messages=%d", n, count), func(b *testing.B) {
				keyed := New(32, make([]byte, 32))
				states, msgs := make([]State, count), make([][]byte, count)
				for i := range msgs {
					msgs[i] = make([]byte, n)
				}
				sums := make([]byte, 0, count*MaxSize)
				mactest.BenchmarkImplementations(b, "blake2b", func(b *testing.B) {
					b.SetBytes(int64(n * count))
					b.ReportAllocs()
					for b.Loop() {
						for i := range states {
							states[i] = keyed
						}
						WriteAll(states, msgs)
						SumAll(sums, states)
					}
				})
			})
		}
	}
}

// TestMarshalStale checks that a marshaled state contains no data of blocks before the
// current one, because the state may be stored elsewhere than the message.
func TestMarshalStale(t *testing.T) {
	msg := mactest.Random(600, 1)
	for _, piece := range []int{1, 50, 100, 127, 130} {
		s := New(32, nil)
		for at := 0; at+piece <= len(msg); at += piece {
			s.Write(msg[at : at+piece])
			block := s.AppendBinary(nil)[MarshaledSize-1-BlockSize:][:BlockSize]
			if n := s.n; !bytes.Equal(block[:n], s.buf[:n]) || !bytes.Equal(block[n:], make([]byte, BlockSize-n)) {
				t.Fatalf("pieces of %d bytes, after %d bytes: block contains %x after its first %d bytes, want zeros and the buffered data", piece, at+piece, block[n:], n)
			}
		}
	}
}

// TestDerive checks that Derive sets up the state that New returns for the digest as
// the key.
func TestDerive(t *testing.T) {
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		for n := 1; n < 3*BlockSize; n++ {
			for _, size := range []int{1, 32, 48, 64} {
				kdf := New(64, mactest.Random(32, 21))
				kdf.Write(mactest.Random(n, 22))
				want := New(size, kdf.Sum(nil))
				var got State
				kdf.Derive(&got, size)
				want.Write([]byte("message"))
				got.Write([]byte("message"))
				if got, want := got.Sum(nil), want.Sum(nil); !bytes.Equal(got, want) {
					t.Fatalf("key derived from %d bytes, tag of %d bytes: got %x, want %x", n, size, got, want)
				}
			}
		}
	})
}
