// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import (
	"bytes"
	"fmt"
	"hash"
	"math/rand/v2"
	"regexp"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/vectors"
)

var (
	sizes   = []int{16, 32, 64}
	testKey = mactest.Random(KeySize, 0)
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
func checkTag(t *testing.T, k *Key, msg, want []byte) {
	t.Helper()
	if got := k.Sum(nil, msg); !bytes.Equal(got, want) {
		t.Errorf("%d bytes: Sum = %x, want %x", len(msg), got, want)
	}
	if !k.Verify(want, msg) {
		t.Errorf("%d bytes: Verify of the correct tag = false, want true", len(msg))
	}
	m := k.New()
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

func TestVectors(t *testing.T) {
	type test struct {
		Key, Tag vectors.Hex
		Size     int
		Msg      vectors.Message
	}
	tests := vectors.Load[test](t, "multimixer_mac.json")
	mactest.Implementations(t, "multimixer", func(t *testing.T) {
		for _, v := range tests {
			checkTag(t, mustKey(t, v.Key, v.Size), v.Msg.Bytes(), v.Tag)
		}
	})
}

// TestReference compares tags with the reference at message lengths around every
// boundary.
func TestReference(t *testing.T) {
	lengths := []int{2047, 2048, 2049, 3*chunkSize + 1, 65536}
	for n := range 300 {
		if at := n % 32; !testing.Short() || at < 2 || at == 31 || n%7 == 0 {
			lengths = append(lengths, n)
		}
	}
	for d := -33; d <= 33; d++ {
		if !testing.Short() || d > -3 && d < 3 || d%8 == 0 {
			lengths = append(lengths, chunkSize+d, 2*chunkSize+d)
		}
	}
	for i, n := range lengths {
		size := sizes[i%3]
		key, msg := mactest.Random(KeySize, uint64(i)), mactest.Random(n, 1)
		want := refMAC(key, msg, size)
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			mactest.Implementations(t, "multimixer", func(t *testing.T) {
				checkTag(t, mustKey(t, key, size), msg, want)
			})
		})
	}
}

func TestHash(t *testing.T) {
	for _, size := range sizes {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			k := mustKey(t, testKey, size)
			mactest.Implementations(t, "multimixer", func(t *testing.T) {
				mactest.TestHash(t, func() hash.Hash { return k.New() })
			})
		})
	}
}

// TestChunkSplits splits messages around chunk boundaries, and calls Sum and Clone
// after each piece.
func TestChunkSplits(t *testing.T) {
	k := mustKey(t, testKey, 32)
	msg := mactest.Random(3*chunkSize+100, 2)
	rng := rand.New(rand.NewPCG(1, 2))
	cuts := func() []int {
		var c []int
		for at := 0; at < len(msg); {
			n := 1 + rng.IntN(2*chunkSize)
			if rng.IntN(2) == 0 { // move close to a boundary
				n = (at/chunkSize+1)*chunkSize - at + rng.IntN(70) - 35
			}
			n = min(max(n, 1), len(msg)-at)
			c = append(c, n)
			at += n
		}
		return c
	}
	mactest.Implementations(t, "multimixer", func(t *testing.T) {
		for range 200 {
			pieces := cuts()
			m, at := k.New(), 0
			for _, n := range pieces {
				m.Write(msg[at : at+n])
				at += n
				clone, err := m.Clone()
				if err != nil {
					t.Fatal(err)
				}
				want := k.Sum(nil, msg[:at])
				if got := m.Sum(nil); !bytes.Equal(got, want) {
					t.Fatalf("%d bytes in pieces of %v: got %x, want %x", at, pieces, got, want)
				}
				clone.Write(msg[at:])
				if !k.Verify(clone.Sum(nil), msg) {
					t.Fatalf("cloned after %d bytes in pieces of %v: got wrong tag", at, pieces)
				}
			}
		}
	})
}

// TestExpansion expands a key in steps of many sizes, compares the tags with those of a
// key expanded at once, and counts the expanded bytes.
func TestExpansion(t *testing.T) {
	whole := mustKey(t, testKey, 32)
	whole.digestKey(chunkSize)
	msg := mactest.Random(2*chunkSize, 3)
	for _, tt := range []struct{ length, want int }{
		{0, 0}, {1, 64}, {32, 64}, {64, 64}, {65, 128}, {100, 128}, {4096, 4096}, {8191, 8192}, {8192, 8192}, {9000, 8192},
	} {
		k := mustKey(t, testKey, 32)
		if got, want := k.Sum(nil, msg[:tt.length]), whole.Sum(nil, msg[:tt.length]); !bytes.Equal(got, want) {
			t.Errorf("first message of %d bytes: got %x, want %x", tt.length, got, want)
		}
		if l := k.prefix.Load(); tt.want == 0 && l != nil || tt.want > 0 && len(*l) != tt.want {
			t.Errorf("a first message of %d bytes expanded the key to %d bytes, want %d", tt.length, len(*l), tt.want)
		}
	}
	// Each expansion at least doubles the length.
	k := mustKey(t, testKey, 32)
	for _, tt := range []struct{ length, want int }{
		{1, 64}, {64, 64}, {65, 128}, {10, 128}, {129, 256}, {1000, 1024}, {1025, 2048}, {5000, 5056}, {5057, 8192},
	} {
		k.Sum(nil, msg[:tt.length])
		if n := len(*k.prefix.Load()); n != tt.want {
			t.Errorf("after a message of %d bytes, the key is expanded to %d bytes, want %d", tt.length, n, tt.want)
		}
	}
	for _, step := range []int{1, 31, 32, 33, 64, 100, 1000, 5000} {
		k, m := mustKey(t, testKey, 32), mustKey(t, testKey, 32).New()
		for n := 0; n <= len(msg); n += step {
			if step > 1 || n < 1000 {
				if got, want := k.Sum(nil, msg[:n]), whole.Sum(nil, msg[:n]); !bytes.Equal(got, want) {
					t.Fatalf("message of %d bytes after one of %d: got %x, want %x", n, n-step, got, want)
				}
			}
			m.Write(msg[n:min(n+step, len(msg))])
		}
		if !whole.Verify(m.Sum(nil), msg) {
			t.Fatalf("key expanded in steps of %d: got wrong tag", step)
		}
		if step > 1 && !bytes.Equal(*k.prefix.Load(), *whole.prefix.Load()) {
			t.Fatalf("key expanded in steps of %d: got other bytes than at once", step)
		}
	}
}

// TestConcurrentExpansion lets several goroutines expand a new key to different lengths
// at the same time.
func TestConcurrentExpansion(t *testing.T) {
	msg := mactest.Random(chunkSize+5, 4)
	whole := mustKey(t, testKey, 16)
	var lengths []int
	want := map[int][]byte{}
	for n := 0; n <= len(msg); n = n*3/2 + 1 {
		lengths = append(lengths, n)
		want[n] = whole.Sum(nil, msg[:n])
	}
	for range 50 {
		k := mustKey(t, testKey, 16)
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				for i := range lengths {
					n := lengths[(i*(2*g+1)+g)%len(lengths)]
					if !k.Verify(want[n], msg[:n]) {
						t.Errorf("%d bytes, concurrent expansion: got wrong tag", n)
					}
				}
			})
		}
		wg.Wait()
	}
}

func TestKeyErrors(t *testing.T) {
	for n := range 70 {
		k, err := NewKey(make([]byte, n), 32)
		if n == 32 {
			if err != nil {
				t.Errorf("key of %d bytes: got error %v, want nil", n, err)
			}
		} else if want := fmt.Sprintf("multimixer: key of %d bytes, want 32", n); k != nil || err == nil || err.Error() != want {
			t.Errorf("key of %d bytes: got error %v, want %q", n, err, want)
		}
	}
	for n := -1; n < 70; n++ {
		k, err := NewKey(testKey, n)
		if n == 16 || n == 32 || n == 64 {
			if err != nil || k.Size() != n || k.New().Size() != n || len(k.Sum(nil, nil)) != n {
				t.Errorf("tag of %d bytes: got error %v, want nil and this size", n, err)
			}
		} else if want := fmt.Sprintf("multimixer: tag of %d bytes, want 16, 32 or 64", n); k != nil || err == nil || err.Error() != want {
			t.Errorf("tag of %d bytes: got error %v, want %q", n, err, want)
		}
	}
	if n := mustKey(t, testKey, 16).New().BlockSize(); n != 32 {
		t.Errorf("BlockSize = %d, want 32", n)
	}
}

// TestKeyKept checks that NewKey keeps no reference to its argument, although later
// expansions need the key.
func TestKeyKept(t *testing.T) {
	key := bytes.Clone(testKey)
	k := mustKey(t, key, 32)
	clear(key)
	msg := mactest.Random(1000, 5)
	if want := refMAC(testKey, msg, 32); !k.Verify(want, msg) {
		t.Error("changing the caller's key changed the Key")
	}
}

func TestVerify(t *testing.T) {
	msg := []byte("an authentic message, longer than one block of the hash")
	for _, size := range sizes {
		k := mustKey(t, testKey, size)
		m := k.New()
		m.Write(msg)
		tag := m.Sum(nil)
		verify := func(tag []byte, want bool) {
			t.Helper()
			if k.Verify(tag, msg) != want || m.Verify(tag) != want {
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
			if k.Verify(tag, wrong) {
				t.Errorf("size %d: Verify ignores bit %d of the message", size, i)
			}
		}
		// Trailing zeros are part of the message.
		for n := range len(msg) {
			if k.Verify(tag, msg[:n]) || k.Verify(tag, append(bytes.Clone(msg), make([]byte, n+1)...)) {
				t.Errorf("size %d: Verify accepts a truncated or extended message", size)
			}
		}
	}
}

func TestKeyAllocations(t *testing.T) {
	for _, size := range sizes {
		k := mustKey(t, testKey, size)
		m := k.New()
		for _, n := range []int{0, 1, 32, 1024, 8192, 20000} {
			msg := mactest.Random(n, 6)
			good := k.Sum(nil, msg)
			mactest.NoAllocations(t, "Key.Sum into an array", func() {
				var tag [maxSize]byte
				if !bytes.Equal(k.Sum(tag[:0], msg), good) {
					t.Error("Key.Sum: got wrong tag")
				}
			})
			mactest.NoAllocations(t, "Key.Verify", func() {
				if !k.Verify(good, msg) {
					t.Error("Key.Verify of the correct tag = false, want true")
				}
			})
			mactest.NoAllocations(t, "MAC", func() {
				m.Reset()
				m.Write(msg)
				var tag [maxSize]byte
				if !m.Verify(m.Sum(tag[:0])) {
					t.Error("MAC.Verify of the correct tag = false, want true")
				}
			})
		}
	}
}

// TestStateSizes limits the sizes of a MAC and a Key.
func TestStateSizes(t *testing.T) {
	if n := unsafe.Sizeof(MAC{}); n > 960 {
		t.Errorf("a MAC has %d bytes, want at most 960, including a buffer of %d bytes", n, bufferSize)
	}
	if n := unsafe.Sizeof(Key{}); n > 384 {
		t.Errorf("a Key without its expansion has %d bytes, want at most 384", n)
	}
}

// TestZeroValues checks that no tag verifies under a zero Key.
func TestZeroValues(t *testing.T) {
	for _, n := range []int{0, 16, 32, 64} {
		mactest.NeverTrue(t, "Key.Verify", func() bool { return new(Key).Verify(make([]byte, n), nil) })
		mactest.NeverTrue(t, "Key.Verify", func() bool { return new(Key).Verify(make([]byte, n), []byte("a")) })
		mactest.NeverTrue(t, "MAC.Verify", func() bool { return new(MAC).Verify(make([]byte, n)) })
		mactest.NeverTrue(t, "new(Key).New().Verify", func() bool { return new(Key).New().Verify(make([]byte, n)) })
	}
}

// TestEmpty checks the tag of the empty message and the digest of no blocks.
func TestEmpty(t *testing.T) {
	mactest.Implementations(t, "multimixer", func(t *testing.T) {
		for _, size := range []int{16, 32} {
			k, err := NewKey(testKey, size)
			if err != nil {
				t.Fatal(err)
			}
			var digest [DigestSize]byte
			mactest.Empty(t, "Sum, Verify and Digest", func(empty []byte) []byte {
				tag := k.Sum(empty[:0:0], empty)
				if !k.Verify(tag, empty) {
					t.Error("Verify of the empty message = false, want true")
				}
				err := Digest(&digest, testKey, empty)
				return append(append(tag, digest[:]...), fmt.Sprint(err)...)
			}, testKey, digest[:])
		}
	})
}

// TestExpandLocks checks that expand holds the mutex. Without the mutex, a goroutine
// could replace a long prefix of L with a shorter one.
func TestExpandLocks(t *testing.T) {
	k := mustKey(t, mactest.Random(KeySize, 1), Size256)
	k.mu.Lock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		k.Sum(nil, make([]byte, 100))
	}()
	waits := regexp.MustCompile(`sync\.Mutex\.Lock[^\n]*\]:\n(?:[^\n]+\n)*[^\n]*multimixer\.\(\*Key\)\.expand`)
	stacks := make([]byte, 1<<20)
	for !waits.Match(stacks[:runtime.Stack(stacks, true)]) {
		select {
		case <-done:
			t.Fatal("expand returned while the test held the mutex")
		default:
			runtime.Gosched()
		}
	}
	k.mu.Unlock()
	<-done
}
