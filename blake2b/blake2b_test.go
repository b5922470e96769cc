// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"bytes"
	"crypto"
	"encoding"
	"encoding/hex"
	"fmt"
	"hash"
	"testing"

	xcrypto "golang.org/x/crypto/blake2b"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/vectors"
)

// must returns v, or panics if err is not nil.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// sumOf returns x/crypto's digest.
func sumOf(size int, key, msg []byte) []byte {
	h := must(xcrypto.New(size, key))
	h.Write(msg)
	return h.Sum(nil)
}

// TestRFC checks the example of RFC 7693, appendix A.
func TestRFC(t *testing.T) {
	const want = "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		if got := Sum512([]byte("abc")); hex.EncodeToString(got[:]) != want {
			t.Errorf("Sum512(\"abc\") = %x, want %s", got, want)
		}
	})
}

// TestVectors checks digests computed with libsodium.
func TestVectors(t *testing.T) {
	type test struct {
		Key, Tag vectors.Hex
		Size     int
		Msg      vectors.Message
	}
	all := vectors.Load[test](t, "blake2b.json")
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		for i, v := range all {
			h := must(New(v.Size, v.Key))
			h.Write(v.Msg.Bytes())
			if got := h.Sum(nil); !bytes.Equal(got, v.Tag) {
				t.Errorf("vector %d: got %x, want %x", i, got, v.Tag)
			}
			got, err := SumBatch(nil, v.Size, v.Key, v.Msg.Bytes(), v.Msg.Bytes())
			if want := append(bytes.Clone(v.Tag), v.Tag...); err != nil || !bytes.Equal(got, want) {
				t.Errorf("vector %d: SumBatch of two equal messages = %x, %v, want %x", i, got, err, want)
			}
		}
	})
}

func TestHash(t *testing.T) {
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		for _, size := range []int{1, 20, Size256, Size} {
			for _, key := range [][]byte{nil, mactest.Random(1, 1), mactest.Random(Size, 2)} {
				if testing.Short() && size%32 > 0 && len(key) == 1 {
					continue
				}
				t.Run(fmt.Sprintf("size=%d/key=%d", size, len(key)), func(t *testing.T) {
					mactest.TestHash(t, func() hash.Hash { return must(New(size, key)) })
				})
			}
		}
	})
}

func TestConstants(t *testing.T) {
	if BlockSize != xcrypto.BlockSize || Size != xcrypto.Size || Size384 != xcrypto.Size384 || Size256 != xcrypto.Size256 ||
		OutputLengthUnknown != xcrypto.OutputLengthUnknown {
		t.Error("the constants differ from x/crypto's")
	}
}

// TestErrors compares the errors for every digest and key length with x/crypto's.
func TestErrors(t *testing.T) {
	for size := -2; size < 70; size++ {
		for _, n := range []int{0, 1, 63, 64, 65, 128} {
			key := make([]byte, n)
			h, err := New(size, key)
			_, want := xcrypto.New(size, key)
			if fmt.Sprint(err) != fmt.Sprint(want) {
				t.Errorf("New(%d, key of %d bytes): got error %v, want %v", size, n, err, want)
			}
			if err == nil && (h.Size() != size || h.BlockSize() != BlockSize) {
				t.Errorf("New(%d, key of %d bytes): Size = %d, BlockSize = %d, want %d, %d", size, n, h.Size(), h.BlockSize(), size, BlockSize)
			}
			before := []byte("before")
			got, err := SumBatch(before, size, key, nil, nil)
			if fmt.Sprint(err) != fmt.Sprint(want) {
				t.Errorf("SumBatch(%d, key of %d bytes): got error %v, want %v", size, n, err, want)
			}
			if err != nil && !bytes.Equal(got, before) {
				t.Errorf("SumBatch(%d, key of %d bytes): got %x with an error, want dst %x", size, n, got, before)
			}
		}
	}
	for n, ok := range map[int]bool{0: true, 64: true, 65: false} {
		for name, f := range map[string]func([]byte) (hash.Hash, error){"New256": New256, "New384": New384, "New512": New512} {
			if _, err := f(make([]byte, n)); (err == nil) != ok {
				t.Errorf("%s with a key of %d bytes: got error %v, want success %t", name, n, err, ok)
			}
		}
	}
}

// TestDifferential compares digests with x/crypto, for every length up to five blocks
// at varying alignments, with digests and keys of every length.
func TestDifferential(t *testing.T) {
	text := mactest.Random(700+64, 3)
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		for n := range 5*BlockSize + 2 {
			msg := text[n%64:][:n]
			want512, want384, want256 := xcrypto.Sum512(msg), xcrypto.Sum384(msg), xcrypto.Sum256(msg)
			if got := Sum512(msg); got != want512 {
				t.Fatalf("Sum512 of %d bytes = %x, want %x", n, got, want512)
			}
			if got := Sum384(msg); got != want384 {
				t.Fatalf("Sum384 of %d bytes = %x, want %x", n, got, want384)
			}
			if got := Sum256(msg); got != want256 {
				t.Fatalf("Sum256 of %d bytes = %x, want %x", n, got, want256)
			}
			size, key := n%Size+1, text[:(7*n)%(Size+1)]
			h := must(New(size, key))
			for round := range 3 {
				// Write in two pieces. Reset keeps the key, which may or may not have
				// been compressed.
				h.Write(msg[:n/(round+1)])
				h.Write(msg[n/(round+1):])
				if got, want := h.Sum(nil), sumOf(size, key, msg); !bytes.Equal(got, want) {
					t.Fatalf("%d bytes, key of %d bytes, digest of %d bytes, round %d: got %x, want %x", n, len(key), size, round, got, want)
				}
				h.Reset()
				if got, want := h.Sum(nil), sumOf(size, key, nil); !bytes.Equal(got, want) {
					t.Fatalf("empty message after Reset, key of %d bytes, digest of %d bytes: got %x, want %x", len(key), size, got, want)
				}
			}
		}
	})
}

// TestGuarded places inaccessible pages directly before and after the message.
func TestGuarded(t *testing.T) {
	const maxLen = 4*BlockSize + 1
	memory := mactest.NewGuarded(t, maxLen)
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		h, keyed := must(New512(nil)), must(New256(make([]byte, 32)))
		for n := range maxLen + 1 {
			for _, part := range []func(*mactest.Guarded, int) []byte{(*mactest.Guarded).Front, (*mactest.Guarded).Back} {
				msg := part(memory, n)
				Sum512(msg)
				for _, h := range []hash.Hash{h, keyed} {
					h.Reset()
					h.Write(msg[:n/3])
					h.Write(msg[n/3:])
					h.Sum(nil)
				}
				if _, err := SumBatch(nil, 20, nil, msg, msg, msg[:n/2], msg[n/2:]); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func TestAllocations(t *testing.T) {
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		msg, key := make([]byte, 1000), make([]byte, 32)
		mactest.NoAllocations(t, "Sum512", func() { Sum512(msg) })
		mactest.NoAllocations(t, "Sum384", func() { Sum384(msg) })
		mactest.NoAllocations(t, "Sum256", func() { Sum256(msg) })
		msgs := make([][]byte, 40)
		for i := range msgs {
			msgs[i] = msg[:20*i]
		}
		sums := make([]byte, 0, 40*32)
		mactest.NoAllocations(t, "SumBatch", func() { SumBatch(sums, 32, key, msgs...) })
		if n := testing.AllocsPerRun(100, func() { New512(key) }); n > 1 {
			t.Errorf("New512: %v allocations, want at most 1", n)
		}
		x := must(NewXOF(OutputLengthUnknown, key))
		out := make([]byte, 2000)
		mactest.NoAllocations(t, "XOF", func() {
			x.Reset()
			x.Write(msg)
			x.Read(out)
		})
	})
}

// TestRegistered checks that package crypto returns our hashes, although this test also
// links x/crypto/blake2b.
func TestRegistered(t *testing.T) {
	for id, size := range map[crypto.Hash]int{crypto.BLAKE2b_256: Size256, crypto.BLAKE2b_384: Size384, crypto.BLAKE2b_512: Size} {
		h := id.New()
		h.Write([]byte("abc"))
		if got, want := h.Sum(nil), sumOf(size, nil, []byte("abc")); !bytes.Equal(got, want) {
			t.Errorf("%v: got %x, want %x", id, got, want)
		}
		if h := unkeyed(size); h.Size() != size {
			t.Errorf("Size = %d, want %d", h.Size(), size)
		}
	}
}

// TestMarshal exchanges states with x/crypto after every number of bytes up to three
// blocks, and continues from them.
func TestMarshal(t *testing.T) {
	msg := mactest.Random(600, 4)
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		for n := range 3*BlockSize + 2 {
			size := n%Size + 1
			ours, theirs := must(New(size, nil)), must(xcrypto.New(size, nil))
			ours.Write(msg[:n])
			theirs.Write(msg[:n])
			a := must(ours.(encoding.BinaryMarshaler).MarshalBinary())
			b := must(theirs.(encoding.BinaryMarshaler).MarshalBinary())
			appended := must(ours.(encoding.BinaryAppender).AppendBinary([]byte("before")))
			if !bytes.Equal(appended, append([]byte("before"), a...)) {
				t.Fatalf("%d bytes: AppendBinary = %x, want the prefix and %x", n, appended, a)
			}
			if n < BlockSize && !bytes.Equal(a, b) {
				t.Fatalf("%d bytes: MarshalBinary = %x, want %x as in x/crypto", n, a, b)
			}
			// The state's own size replaces that of the hash.
			ours, theirs = must(New(Size256, nil)), must(xcrypto.New(Size256, nil))
			if err := ours.(encoding.BinaryUnmarshaler).UnmarshalBinary(b); err != nil {
				t.Fatalf("%d bytes: UnmarshalBinary of x/crypto's state: %v", n, err)
			}
			if err := theirs.(encoding.BinaryUnmarshaler).UnmarshalBinary(a); err != nil {
				t.Fatalf("%d bytes: x/crypto's UnmarshalBinary: %v", n, err)
			}
			want := sumOf(size, nil, msg)
			for name, h := range map[string]hash.Hash{"from x/crypto": ours, "to x/crypto": theirs} {
				h.Write(msg[n:])
				if got := h.Sum(nil); !bytes.Equal(got, want) {
					t.Fatalf("%d bytes, %s: got %x, want %x", n, name, got, want)
				}
				h.Reset()
				if got, want := h.Sum(nil), sumOf(size, nil, nil); !bytes.Equal(got, want) {
					t.Fatalf("%d bytes, %s after Reset: got %x, want %x", n, name, got, want)
				}
			}
		}
	})
}

// TestMarshalErrors compares errors with x/crypto's. Impossible states, which x/crypto
// accepts and later panics on, must be rejected without changing the hash.
func TestMarshalErrors(t *testing.T) {
	ours, theirs := must(New512([]byte("key"))), must(xcrypto.New512([]byte("key")))
	_, err := ours.(encoding.BinaryMarshaler).MarshalBinary()
	_, want := theirs.(encoding.BinaryMarshaler).MarshalBinary()
	if err == nil || err.Error() != want.Error() {
		t.Errorf("MarshalBinary with a key: got error %v, want %v", err, want)
	}
	state := must(must(New512(nil)).(encoding.BinaryMarshaler).MarshalBinary())
	for n := range len(state) + 10 {
		b := make([]byte, n)
		copy(b, state)
		err, want := ours.(encoding.BinaryUnmarshaler).UnmarshalBinary(b), theirs.(encoding.BinaryUnmarshaler).UnmarshalBinary(b)
		if fmt.Sprint(err) != fmt.Sprint(want) {
			t.Errorf("UnmarshalBinary of %d bytes: got error %v, want %v", n, err, want)
		}
	}
	// An unkeyed state replaces that of a keyed hash until Reset, which keeps the
	// state's size.
	short := must(must(New256(nil)).(encoding.BinaryMarshaler).MarshalBinary())
	for _, h := range []hash.Hash{ours, theirs} {
		h.Reset()
		h.Write([]byte("a message under the key"))
		if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(short); err != nil {
			t.Fatal(err)
		}
	}
	ours.Write([]byte("abc"))
	theirs.Write([]byte("abc"))
	if got, want := ours.Sum(nil), theirs.Sum(nil); !bytes.Equal(got, want) {
		t.Errorf("unkeyed state restored into a keyed hash: got %x, want %x", got, want)
	}
	for _, msg := range []string{"", "abc"} {
		for _, h := range []hash.Hash{ours, theirs} {
			h.Reset()
			h.Write([]byte(msg))
		}
		if got, want := ours.Sum(nil), theirs.Sum(nil); !bytes.Equal(got, want) {
			t.Errorf("%q after Reset of a keyed hash with a restored state: got %x, want %x", msg, got, want)
		}
	}

	h := must(New512(nil))
	h.Write([]byte("abc"))
	before := h.Sum(nil)
	size := len(state) - 2 - BlockSize
	count := size - 16 // the byte count: low half, then high half
	for at, values := range map[int][]byte{count: {0x80, 0xff}, size - 1: {1}, size: {0, 65, 255}, len(state) - 1: {129, 255}, 0: {'c'}} {
		for _, v := range values {
			b := bytes.Clone(state)
			b[at] = v
			if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(b); err == nil {
				t.Errorf("byte %d = %d: got no error", at, v)
			}
			if !bytes.Equal(h.Sum(nil), before) {
				t.Errorf("byte %d = %d: the rejected state changed the hash", at, v)
			}
		}
	}
}

// TestEmpty hashes the empty message without a key, alone, in batches, and with outputs
// of any length.
func TestEmpty(t *testing.T) {
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		key, msg := mactest.Random(32, 7), mactest.Random(300, 8)
		mactest.Empty(t, "Sum, SumBatch and XOF", func(empty []byte) []byte {
			a, b, c := Sum512(empty), Sum384(empty), Sum256(empty)
			all := bytes.Join([][]byte{a[:], b[:], c[:]}, nil)
			for _, key := range [][]byte{empty, key} {
				h := must(New(32, key))
				h.Write(empty)
				all = h.Sum(all)
				all = must(SumBatch(all, 32, key, empty, msg, empty, empty, empty, empty, msg, empty, empty))
				xof, out := must(NewXOF(100, key)), make([]byte, 100)
				xof.Write(empty)
				must(xof.Read(empty))
				must(xof.Read(out))
				all = append(all, out...)
			}
			return all
		}, key, msg)
	})
}
