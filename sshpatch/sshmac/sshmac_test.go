// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshmac_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/vectors"
	"github.com/unimac/unimac/sshpatch/sshmac"
	"github.com/unimac/unimac/umac"
)

// algorithms maps each name to its tag size.
var algorithms = map[string]int{
	sshmac.UMAC64: 8, sshmac.UMAC64ETM: 8,
	sshmac.UMAC128: 16, sshmac.UMAC128ETM: 16,
}

func mustNew(tb testing.TB, algorithm string, key []byte) hash.Hash {
	tb.Helper()
	m, err := sshmac.New(algorithm, key)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// TestHash runs the test suite for hashes. The first four bytes of its messages serve
// as sequence numbers.
func TestHash(t *testing.T) {
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for algorithm, size := range algorithms {
			if testing.Short() && strings.Contains(algorithm, "-etm@") {
				continue // same code as the other two names
			}
			t.Run(algorithm, func(t *testing.T) {
				key := mactest.Random(sshmac.KeySize, 1)
				if got := mustNew(t, algorithm, key).Size(); got != size {
					t.Fatalf("Size = %d, want %d", got, size)
				}
				mactest.TestHash(t, func() hash.Hash { return mustNew(t, algorithm, key) })
			})
		}
	})
}

// TestPackets checks that the tag of a packet is its UMAC tag with the nonce
// BE64(sequence number), for sequence numbers in and out of order.
func TestPackets(t *testing.T) {
	key := mactest.Random(sshmac.KeySize, 2)
	sequence := []uint32{0, 1, 2, 3, 7, 6, 5, 4, 1<<31 - 1, 1 << 31, 0xfffffffe, 0xffffffff, 0, 0x01020304}
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for algorithm, size := range algorithms {
			k, err := umac.NewKey(key, size)
			if err != nil {
				t.Fatal(err)
			}
			m := mustNew(t, algorithm, key)
			for i, seq := range sequence {
				packet := mactest.Random(i*i*300+i, 3)
				want := k.Sum(nil, binary.BigEndian.AppendUint64(nil, uint64(seq)), packet)
				m.Reset()
				m.Write(binary.BigEndian.AppendUint32(nil, seq))
				m.Write(packet)
				if got := m.Sum(nil); !bytes.Equal(got, want) {
					t.Errorf("%s, packet %d of %d bytes: got %x, want %x", algorithm, seq, len(packet), got, want)
				}
			}
		}
	})
}

// TestVectors checks tags computed by nettle with the nonce BE64(seq), the key a0 a1 …
// af and packets in which byte i is i mod 251.
func TestVectors(t *testing.T) {
	key := make([]byte, sshmac.KeySize)
	for i := range key {
		key[i] = 0xa0 + byte(i)
	}
	for _, v := range []struct {
		seq           uint32
		size          int
		tag64, tag128 string
	}{
		{0, 16, "1e7583f127fe843d", "1e7583f127fe843de9ffd8eb6527fc84"},
		{1, 17, "dcefecf477107c95", "4ec407d022088f5ddaaa40867c6d8b24"},
		{3, 0, "eba4cb7b5758b235", "c6f703d1e5c7807e1371ef36c1a1cfe3"},
		{0x7fffffff, 1024, "d149581687ed49f1", "23999cd12e4fe01dad7c469b9e4021b1"},
		{0xfffffffe, 32796, "f78931b27d66614d", "f78931b27d66614deccff180a59636b4"},
		{0xffffffff, 262144, "7dcfb6e361dab5c9", "c58e92deaf5cec30f6f0fa426dc5c992"},
	} {
		for algorithm, size := range algorithms {
			want := map[int]string{8: v.tag64, 16: v.tag128}[size]
			m := mustNew(t, algorithm, key)
			m.Write(binary.BigEndian.AppendUint32(nil, v.seq))
			m.Write(vectors.Pattern(v.size))
			if got := hex.EncodeToString(m.Sum(nil)); got != want {
				t.Errorf("%s, packet %d of %d bytes: got %s, want %s", algorithm, v.seq, v.size, got, want)
			}
		}
	}
}

// TestUnfinishedSequence checks Sum with an incomplete sequence number: as documented,
// it is padded with zero bytes, and the packet is empty.
func TestUnfinishedSequence(t *testing.T) {
	for algorithm := range algorithms {
		m := mustNew(t, algorithm, make([]byte, sshmac.KeySize))
		m.Write([]byte("any packet at all"))
		for n := range 5 {
			m.Reset()
			m.Write([]byte{1, 2, 3, 4}[:n])
			got := m.Sum(nil)
			m.Reset()
			m.Write(append([]byte{1, 2, 3, 4}[:n:n], make([]byte, 4-n)...))
			if want := m.Sum(nil); !bytes.Equal(got, want) {
				t.Errorf("%s after %d bytes: Sum = %x, want %x", algorithm, n, got, want)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	for n := range 70 {
		_, err := sshmac.New(sshmac.UMAC128ETM, make([]byte, n))
		switch want := fmt.Sprintf("sshmac: key of %d bytes, want 16", n); {
		case n == sshmac.KeySize && err != nil:
			t.Error(err)
		case n != sshmac.KeySize && (err == nil || err.Error() != want):
			t.Errorf("key of %d bytes: got %v, want %q", n, err, want)
		}
	}
	for _, name := range []string{"", "umac", "umac-96@openssh.com", "UMAC-64@openssh.com", "umac-64@openssh.com ", "hmac-sha2-256"} {
		if _, err := sshmac.New(name, make([]byte, sshmac.KeySize)); err == nil {
			t.Errorf("New(%q) returned no error", name)
		}
	}
}

// TestPacketAllocations checks that the calls of a transport do not allocate.
func TestPacketAllocations(t *testing.T) {
	for algorithm := range algorithms {
		m := mustNew(t, algorithm, make([]byte, sshmac.KeySize))
		var seq [4]byte
		var n uint32
		packet := make([]byte, 5000)
		tag := make([]byte, 0, 16)
		mactest.NoAllocations(t, algorithm, func() {
			m.Reset()
			n++
			binary.BigEndian.PutUint32(seq[:], n)
			m.Write(seq[:])
			m.Write(packet[:4])
			m.Write(packet[4:])
			tag = m.Sum(tag[:0])
		})
	}
}

// TestFormat checks that package fmt prints no secret.
func TestFormat(t *testing.T) {
	var macs [2]hash.Hash
	for i := range macs {
		macs[i] = mustNew(t, sshmac.UMAC64, mactest.Random(sshmac.KeySize, uint64(i)))
		macs[i].Write(mactest.Random(100, uint64(i)))
	}
	mactest.NothingPrinted(t, false, macs[0], macs[1])
}

// FuzzPackets writes packets to one MAC, in pieces that may split the sequence number,
// and compares the tags with UMAC under the nonce BE64(sequence number). The fuzzer
// chooses the algorithm and, for each packet, its sequence number, length and pieces.
func FuzzPackets(f *testing.F) {
	f.Add([]byte(nil), []byte(nil), []byte(nil))
	f.Add([]byte{1, 0xff, 0xff, 0xff, 0xff, 64, 4, 4, 1, 11, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}, []byte("key"), []byte("packet"))
	f.Add([]byte{2, 0, 0, 0, 1, 3, 3, 1, 255, 0, 0, 0, 2, 200, 3, 5, 5}, bytes.Repeat([]byte{0xff}, 16), mactest.Random(99, 1))
	f.Add(append([]byte{3}, mactest.Random(60, 2)...), mactest.Random(16, 3), mactest.Random(1500, 4))
	f.Add([]byte{3, 0, 0, 0, 0, 0}, []byte("key"), []byte(nil)) // an empty packet
	f.Add([]byte{0, 0xff, 0xff, 0xff, 0xfe, 20, 64, 1, 1, 0xff, 0xff, 0xff, 0xff, 76, 70, 0, 0, 0, 0, 0, 0}, []byte("key"), []byte("packet"))
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range algorithms {
			if !yield(name) {
				return
			}
		}
	})
	memory := mactest.NewFuzzMemory(f, 4+4000)
	f.Fuzz(func(t *testing.T, choices, keyBytes, data []byte) {
		first := mactest.NewChoices(choices)
		algorithm := names[first.Below(len(names))]
		key := mactest.NewChoices(keyBytes).Bytes(sshmac.KeySize)
		k, err := umac.NewKey(key, algorithms[algorithm])
		if err != nil {
			t.Fatal(err)
		}
		mactest.EachImplementation("umac", func(implementation string) {
			c := *first
			m := mustNew(t, algorithm, key)
			for range 8 {
				sequence := c.Bytes(4)
				packet := memory.Place(&c, 4+c.Piece(4000), data)
				copy(packet, sequence)
				want := k.Sum(nil, append(make([]byte, 4), sequence...), packet[4:])
				m.Reset()
				for rest := packet; len(rest) > 0; {
					n := 1 + c.Piece(len(rest)-1)
					m.Write(rest[:n])
					rest = rest[n:]
					if n == 2 {
						other, _ := m.(hash.Cloner).Clone()
						m.Write(rest)
						m = other
					}
				}
				if got := m.Sum(nil); !bytes.Equal(got, want) {
					t.Errorf("%s: %s, packet %d of %d bytes: got %x, want %x", implementation, algorithm, binary.BigEndian.Uint32(sequence), len(packet)-4, got, want)
				}
				if c.Done() {
					break
				}
			}
		})
	})
}

// BenchmarkPacket writes packets in the same pieces as x/crypto/ssh: the sequence
// number, the packet length, the padding length, the payload and the padding.
func BenchmarkPacket(b *testing.B) {
	for _, algorithm := range []string{sshmac.UMAC64ETM, sshmac.UMAC128ETM} {
		for _, size := range []int{16, 64, 256, 1024, 4096, 32 << 10} {
			name, _, _ := strings.Cut(algorithm, "@")
			b.Run(fmt.Sprintf("alg=%s/size=%d", name, size), func(b *testing.B) {
				m := mustNew(b, algorithm, make([]byte, sshmac.KeySize))
				var seq [4]byte
				var n uint32
				packet := make([]byte, 5+size+6)
				tag := make([]byte, 0, 16)
				b.SetBytes(int64(len(packet)))
				b.ReportAllocs()
				for b.Loop() {
					m.Reset()
					n++
					binary.BigEndian.PutUint32(seq[:], n)
					m.Write(seq[:])
					m.Write(packet[:4])
					m.Write(packet[4:5])
					m.Write(packet[5 : 5+size])
					m.Write(packet[5+size:])
					tag = m.Sum(tag[:0])
				}
			})
		}
	}
}
