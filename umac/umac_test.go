// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/rfc4418"
	"github.com/unimac/unimac/internal/umac"
	"github.com/unimac/unimac/internal/vectors"
)

var sizes = []int{Size32, Size64, Size96, Size128}

var (
	rfcKey   = []byte("abcdefghijklmnop")
	rfcNonce = []byte("bcdefghi")
)

func mustKey(tb testing.TB, key []byte, size int) *Key {
	tb.Helper()
	k, err := NewKey(key, size)
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

// checkTag checks Sum, Verify, and a MAC that is given the message in one piece and in
// two.
func checkTag(t *testing.T, k *Key, nonce, msg, want []byte) {
	t.Helper()
	if got := k.Sum(nil, nonce, msg); !bytes.Equal(got, want) {
		t.Errorf("%d bytes: Sum = %x, want %x", len(msg), got, want)
	}
	if !k.Verify(want, nonce, msg) {
		t.Errorf("%d bytes: Verify of the correct tag = false, want true", len(msg))
	}
	m := k.New(nonce)
	m.Write(msg)
	if got := m.Sum(nil); !bytes.Equal(got, want) {
		t.Errorf("%d bytes: MAC = %x, want %x", len(msg), got, want)
	}
	m.Reset()
	m.Write(msg[:len(msg)/3])
	m.Write(msg[len(msg)/3:])
	if !m.Verify(want) {
		t.Errorf("%d bytes in two pieces: MAC = %x, want %x", len(msg), m.Sum(nil), want)
	}
}

// TestRFC checks the test vectors of RFC 4418's appendix, with erratum 3507 for the row
// of 2^25 bytes.
func TestRFC(t *testing.T) {
	for _, tt := range []struct {
		msg            string
		count          int
		t32, t64, t128 string
	}{
		{"", 0, "113145fb", "6e155fad26900be1", "32fedb100c79ad58f07ff7643cc60465"},
		{"a", 3, "3b91d102", "44b5cb542f220104", "185e4fe905cba7bd85e4c2dc3d117d8d"},
		{"a", 1 << 10, "599b350b", "26bf2f5d60118bd9", "7a54abe04af82d60fb298c3cbd195bcb"},
		{"a", 1 << 15, "58dcf532", "27f8ef643b0d118d", "7b136bd911e4b734286ef2be501f2c3c"},
		{"a", 1 << 20, "db6364d1", "a4477e87e9f55853", "f8acfa3ac31cfeea047f7b115b03bef5"},
		{"a", 1 << 25, "85ee5cae", "faca46f856e9b45f", "a621c2457c0012e64f3fdae9e7e1870c"},
		{"abc", 1, "abf3a3a0", "d4d7b9f6bd4fbfcf", "883c3d4b97a61976ffcf232308cba5a5"},
		{"abc", 500, "abeb3c8b", "d4cf26ddefd5c01a", "8824a260c53c66a36c9260a62cb83aa1"},
	} {
		msg := bytes.Repeat([]byte(tt.msg), tt.count)
		for size, want := range map[int]string{Size32: tt.t32, Size64: tt.t64, Size96: tt.t128[:24], Size128: tt.t128} {
			if testing.Short() && tt.count == 1<<25 && size != Size128 {
				continue // the shorter tags are prefixes of this tag
			}
			t.Run(fmt.Sprintf("%d-%q-%d", 8*size, tt.msg, tt.count), func(t *testing.T) {
				tag, err := hex.DecodeString(want)
				if err != nil {
					t.Fatal(err)
				}
				check := func(t *testing.T) { checkTag(t, mustKey(t, rfcKey, size), rfcNonce, msg, tag) }
				if testing.Short() && tt.count == 1<<25 {
					check(t) // TestVectors covers POLY-128 with a shorter message in the other implementations
				} else {
					mactest.Implementations(t, "umac", check)
				}
			})
		}
	}
}

func TestVectors(t *testing.T) {
	type test struct {
		Bits            int
		Key, Nonce, Tag vectors.Hex
		Msg             vectors.Message
	}
	tests := vectors.Load[test](t, "umac.json")
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for _, v := range tests {
			if testing.Short() && v.Msg.Len() >= 1<<24 && (v.Bits != 128 || v.Msg.Len() != 1<<24+1025) {
				continue // one message that reaches POLY-128 is enough
			}
			checkTag(t, mustKey(t, v.Key, v.Bits/8), v.Nonce, v.Msg.Bytes(), v.Tag)
		}
	})
}

// TestReference compares tags with the reference for each size of tag, key and nonce,
// at message lengths around every boundary.
func TestReference(t *testing.T) {
	lengths := []int{2047, 2048, 2049, 5000, 16384, 65535, 65536, 65537, 66561, 3*65536 + 5}
	for n := range 1100 {
		lengths = append(lengths, n)
	}
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for i, n := range lengths {
			size := sizes[i%4]
			key := mactest.Random(16+i%3*8, uint64(n))
			nonce := mactest.Random(1+i%16, uint64(n))
			msg := mactest.Random(n, 1)
			checkTag(t, mustKey(t, key, size), nonce, msg, rfc4418.UMAC(key, nonce, msg, size))
			if t.Failed() {
				t.Fatalf("failed with tags of %d bytes, a key of %d bytes and a nonce of %d bytes", size, len(key), len(nonce))
			}
		}
	})
}

// TestReferenceLong compares tags with the reference for messages that reach POLY-128.
func TestReferenceLong(t *testing.T) {
	if testing.Short() {
		t.Skip("the reference takes seconds")
	}
	msg := mactest.Random(1<<24+5000, 2)
	lengths := []int{1<<24 - 1, 1 << 24, 1<<24 + 1, len(msg)} // one length per tag size
	if mactest.Whole() {
		lengths = append(lengths, 1<<24+1024, 1<<24+1025, 1<<24+2048)
	}
	for i, n := range lengths {
		size := sizes[(i+3)%4]
		want := rfc4418.UMAC(rfcKey, rfcNonce, msg[:n], size)
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			mactest.Implementations(t, "umac", func(t *testing.T) {
				checkTag(t, mustKey(t, rfcKey, size), rfcNonce, msg[:n], want)
			})
		})
	}
}

// TestBeyond4GiB checks that no length is truncated to 32 bits. The message consists of
// zeros, so all NH values except the last are equal and the reference is fast. In whole
// mode, the test also hashes the message in a single slice.
func TestBeyond4GiB(t *testing.T) {
	if testing.Short() {
		t.Skip("hashing 4 GiB takes seconds, or minutes in an emulator")
	}
	n := int64(4<<30 + 3*umac.ChunkSize + 5)
	want := rfc4418.PDF(rfcKey, rfcNonce, Size64)
	for s := range Size64 / 4 {
		nhKey := rfc4418.KDF(rfcKey, 1, 1024+16)[16*s:]
		whole := binary.BigEndian.AppendUint64(nil, rfc4418.NH(nhKey, make([]byte, umac.ChunkSize)))
		nh := bytes.Repeat(whole, int(n/umac.ChunkSize))
		nh = binary.BigEndian.AppendUint64(nh, rfc4418.NH(nhKey, make([]byte, n%umac.ChunkSize)))
		in := rfc4418.L2(rfc4418.KDF(rfcKey, 2, 24*2)[24*s:], nh)
		for i, b := range rfc4418.L3(rfc4418.KDF(rfcKey, 3, 64*2)[64*s:], rfc4418.KDF(rfcKey, 4, 4*2)[4*s:], in) {
			want[4*s+i] ^= b
		}
	}

	k := mustKey(t, rfcKey, Size64)
	m, zeros := k.New(rfcNonce), make([]byte, 1<<20+1)
	for rest := n; rest > 0; {
		w, _ := m.Write(zeros[:min(rest, int64(len(zeros)))])
		rest -= int64(w)
	}
	if got := m.Sum(nil); !bytes.Equal(got, want) {
		t.Errorf("MAC = %x, want %x", got, want)
	}
	if math.MaxInt == math.MaxInt32 || runtime.GOARCH == "wasm" || !mactest.Whole() {
		return // a slice of this length is impossible or too large
	}
	if got := k.Sum(nil, rfcNonce, mactest.Zeros(t, int(n))); !bytes.Equal(got, want) {
		t.Errorf("Sum = %x, want %x", got, want)
	}
}

// TestMarker reaches the branch of POLY for words close to the prime, which no
// published vector covers: in one stream, the first NH value of the message is at least
// 2^64 - 2^32.
func TestMarker(t *testing.T) {
	k := mustKey(t, rfcKey, Size128)
	for s, want := range []string{
		"1da0b888cdd3c2c4dd864fed8156619a",
		"42684f4eda5856d33e33b4624426da27",
		"66d957f06879ca1a6eb6e6a0100ff128",
		"9fc9e902847246f493332bc534706e69",
	} {
		nhKey := rfc4418.KDF(rfcKey, 1, 1024+48)[16*s:]
		var block []byte
		for j := range umac.ChunkSize / 4 {
			m := -binary.BigEndian.Uint32(nhKey[4*j:])
			switch j {
			case 0, 1, 4:
				m += 1<<32 - 1
			case 5:
				m++
			}
			block = binary.LittleEndian.AppendUint32(block, m)
		}
		if v := rfc4418.NH(nhKey, block); v < 1<<64-1<<32 {
			t.Fatalf("stream %d: NH value %#x, want at least 2^64 - 2^32", s, v)
		}
		msg := append(block, 'a')
		tag := rfc4418.UMAC(rfcKey, rfcNonce, msg, Size128)
		if got := hex.EncodeToString(tag); got != want {
			t.Errorf("stream %d: the reference returned %s, want %s", s, got, want)
		}
		mactest.Implementations(t, "umac", func(t *testing.T) {
			checkTag(t, k, rfcNonce, msg, tag)
		})
	}
}

func TestHash(t *testing.T) {
	for _, size := range sizes {
		t.Run(fmt.Sprint(8*size), func(t *testing.T) {
			k := mustKey(t, rfcKey, size)
			mactest.Implementations(t, "umac", func(t *testing.T) {
				mactest.TestHash(t, func() hash.Hash { return k.New(rfcNonce) })
			})
		})
	}
	if n := mustKey(t, rfcKey, Size64).New(rfcNonce).BlockSize(); n != 1024 {
		t.Errorf("BlockSize = %d, want 1024", n)
	}
}

func TestErrors(t *testing.T) {
	key, nonce := rfcKey, rfcNonce
	for n := range 40 {
		_, err := NewKey(make([]byte, n), Size64)
		if n == 16 || n == 24 || n == 32 {
			if err != nil {
				t.Errorf("key of %d bytes: got error %v, want nil", n, err)
			}
		} else if want := fmt.Sprintf("umac: key of %d bytes, want 16, 24 or 32", n); err == nil || err.Error() != want {
			t.Errorf("key of %d bytes: got error %v, want %q", n, err, want)
		}
	}
	for n := -1; n < 40; n++ {
		k, err := NewKey(key, n)
		if n == 4 || n == 8 || n == 12 || n == 16 {
			if err != nil || k.Size() != n || k.New(nonce).Size() != n {
				t.Errorf("tag of %d bytes: got error %v, want nil and this size", n, err)
			}
		} else if want := fmt.Sprintf("umac: tag of %d bytes, want 4, 8, 12 or 16", n); err == nil || err.Error() != want {
			t.Errorf("tag of %d bytes: got error %v, want %q", n, err, want)
		}
	}
	k := mustKey(t, key, Size64)
	for n := range 20 {
		nonce := make([]byte, n)
		bad := n < 1 || n > 16
		want := fmt.Sprintf("umac: nonce of %d bytes, want 1 to 16", n)
		for name, f := range map[string]func(){
			"Sum":        func() { k.Sum(nil, nonce, nil) },
			"New":        func() { k.New(nonce) },
			"ResetNonce": func() { k.New(rfcNonce).ResetNonce(nonce) },
		} {
			if got := mactest.Panic(f); (got != "") != bad || bad && got != want {
				t.Errorf("%s with a nonce of %d bytes: got panic %q, want %q if the length is wrong, otherwise none", name, n, got, want)
			}
		}
		for size, f := range map[int]func(key, nonce []byte) (*MAC, error){
			Size32: New32, Size64: New64, Size96: New96, Size128: New128,
		} {
			m, err := f(key, nonce)
			if bad {
				if err == nil || err.Error() != want {
					t.Errorf("New%d with a nonce of %d bytes: got error %v, want %q", 8*size, n, err, want)
				}
			} else if err != nil || m.Size() != size {
				t.Errorf("New%d with a nonce of %d bytes: got error %v, want nil and tags of %d bytes", 8*size, n, err, size)
			}
			if m, err := f(key[:15], rfcNonce); err == nil || m != nil {
				t.Errorf("New%d with a key of 15 bytes: got error %v, want a nil MAC and an error", 8*size, err)
			}
		}
	}
}

func TestVerify(t *testing.T) {
	msg := []byte("an authentic message")
	for _, size := range sizes {
		k := mustKey(t, rfcKey, size)
		m := k.New(rfcNonce)
		m.Write(msg)
		tag := m.Sum(nil)
		verify := func(tag []byte, want bool) {
			t.Helper()
			if k.Verify(tag, rfcNonce, msg) != want || m.Verify(tag) != want {
				t.Errorf("Verify(%x) = %t, want %t", tag, !want, want)
			}
		}
		verify(tag, true)
		verify(nil, false)
		verify(tag[:size-1], false)
		verify(append(tag[:size:size], 0), false)
		for i := range 8 * size {
			wrong := bytes.Clone(tag)
			wrong[i/8] ^= 1 << (i % 8)
			verify(wrong, false)
		}
		for i := range 8 * len(msg) {
			wrong := bytes.Clone(msg)
			wrong[i/8] ^= 1 << (i % 8)
			if k.Verify(tag, rfcNonce, wrong) {
				t.Errorf("size %d: Verify ignores bit %d of the message", size, i)
			}
		}
	}
}

// TestZeroValues checks that no tag verifies under a zero Key.
func TestZeroValues(t *testing.T) {
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for _, n := range []int{0, 4, 8, 12, 16} {
			mactest.NeverTrue(t, "Key.Verify", func() bool { return new(Key).Verify(make([]byte, n), rfcNonce, []byte("a")) })
			mactest.NeverTrue(t, "MAC.Verify", func() bool { return new(MAC).Verify(make([]byte, n)) })
		}
	})
}

func TestConcurrentKey(t *testing.T) {
	k := mustKey(t, rfcKey, Size128)
	msg := mactest.Random(3000, 5)
	want := k.Sum(nil, rfcNonce, msg)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				if !k.Verify(want, rfcNonce, msg) || !bytes.Equal(k.Sum(nil, rfcNonce, msg), want) {
					t.Error("concurrent use of a Key: got wrong tag")
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestTagOverMessage lets the tag overwrite the message or the nonce.
func TestTagOverMessage(t *testing.T) {
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for _, size := range []int{Size32, Size64, Size96, Size128} {
			key, err := NewKey(mactest.Random(KeySize, 1), size)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []int{16, 17, 100, 1023, 1024, 1025, 4096, 1<<16 + 1, 1 << 17} {
				for _, at := range []int{0, 1, n / 2, n - size} {
					msg, nonce := mactest.Random(n, 2), mactest.Random(8, 3)
					want := key.Sum(nil, nonce, msg)
					if got := key.Sum(msg[at:at], nonce, msg); !bytes.Equal(got, want) {
						t.Fatalf("%d bytes, tag over the message at %d: got %x, want %x", n, at, got, want)
					}
					buf := mactest.Random(16, 4)
					msg = mactest.Random(n, 2)
					if got := key.Sum(append(buf[:0], nonce...)[:0], buf[:8], msg); !bytes.Equal(got, want) {
						t.Fatalf("%d bytes, tag over the nonce: got %x, want %x", n, got, want)
					}
				}
			}
		}
	})
}

// TestEmpty hashes the empty message, alone and in batches large enough for the
// four-message kernel.
func TestEmpty(t *testing.T) {
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for _, size := range []int{4, 8, 12, 16} {
			key, msg := mactest.Random(KeySize, 6), mactest.Random(100, 7)
			k, err := NewKey(key, size)
			if err != nil {
				t.Fatal(err)
			}
			mactest.Empty(t, "Sum, Verify and SumBatch", func(empty []byte) []byte {
				tag := k.Sum(empty[:0:0], rfcNonce, empty)
				if !k.Verify(tag, rfcNonce, empty) {
					t.Errorf("tag of %d bytes: Verify of the empty message = false, want true", size)
				}
				nonces, msgs := make([][]byte, 9), make([][]byte, 9)
				for i := range msgs {
					nonces[i], msgs[i] = mactest.Random(8, uint64(i)), empty
				}
				msgs[4] = msg
				return append(k.SumBatch(tag, nonces, msgs), k.Sum(nil, rfcNonce, msg)...) // the Key is unchanged
			}, msg)
		}
	})
}
