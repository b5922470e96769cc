// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"bytes"
	"encoding/binary"
	"testing"

	"golang.org/x/crypto/blake2b"

	"github.com/unimac/unimac/internal/mactest"
)

// reference returns the digest that x/crypto computes.
func reference(tb testing.TB, size int, key, msg []byte) []byte {
	tb.Helper()
	h, err := blake2b.New(size, key)
	if err != nil {
		tb.Fatal(err)
	}
	h.Write(msg)
	return h.Sum(nil)
}

// FuzzSum compares every implementation with x/crypto. The fuzzer chooses the sizes of
// the digest and the key, and the length, alignment and split of the message.
func FuzzSum(f *testing.F) {
	f.Add([]byte(nil), []byte(nil), []byte(nil))
	f.Add([]byte{63, 0, 3, 0, 70}, []byte(nil), []byte("abc"))
	f.Add([]byte{31, 32, 0, 1, 64, 69, 68, 67}, bytes.Repeat([]byte{0xff}, 64), mactest.Random(100, 1))
	f.Add([]byte{47, 64, 0, 8, 3, 1, 68, 255, 63, 0, 72}, mactest.Random(64, 2), mactest.Random(200, 3))
	for _, n := range []int{0, 1, 127, 128, 129, 255, 256, 257, 1024} {
		f.Add([]byte{63, byte(n % 65), byte(n), byte(n >> 8), 70, 66}, bytes.Repeat([]byte{0xff}, 64), mactest.Random(200, 4))
	}
	memory := mactest.NewFuzzMemory(f, 20*BlockSize)
	f.Fuzz(func(t *testing.T, choices, keyBytes, data []byte) {
		c := mactest.NewChoices(choices)
		size := 1 + c.Below(MaxSize)
		key := mactest.NewChoices(keyBytes).Bytes(c.Below(MaxSize + 1))
		msg := memory.Fill(c, data)
		want := reference(t, size, key, msg)
		pieces := *c
		mactest.EachImplementation("blake2b", func(name string) {
			s := New(size, key)
			if got := s.SumWith(nil, msg); !bytes.Equal(got, want) {
				t.Errorf("%s: digest of %d bytes, key of %d bytes, message of %d bytes: SumWith = %x, want %x", name, size, len(key), len(msg), got, want)
			}
			for c, rest := pieces, msg; ; {
				n := c.Piece(len(rest))
				s.Write(rest[:n])
				rest = rest[n:]
				if got := s.SumWith(nil, rest); !bytes.Equal(got, want) {
					t.Errorf("%s: digest of %d bytes, key of %d bytes, message of %d bytes, the last %d by SumWith: got %x, want %x", name, size, len(key), len(msg), len(rest), got, want)
				}
				if len(rest) == 0 {
					break
				}
			}
			if got := s.Sum(nil); !bytes.Equal(got, want) {
				t.Errorf("%s: digest of %d bytes, key of %d bytes, message of %d bytes: Sum = %x, want %x", name, size, len(key), len(msg), got, want)
			}
		})
	})
}

// FuzzAll compares NewAll, WriteAll and SumAll with x/crypto, for every implementation
// and for messages written in one and in two pieces. The fuzzer chooses the digest
// size, the number of messages and, for each message, the sizes of its key and of its
// two pieces.
func FuzzAll(f *testing.F) {
	f.Add([]byte{}, []byte{})
	f.Add([]byte{31, 4, 32, 66, 0, 32, 66, 0, 32, 66, 0, 32, 66, 0}, []byte("key and message"))
	f.Add([]byte{63, 9, 0, 66, 70, 64, 67, 66, 0, 1, 0, 1, 2, 3, 64, 255, 255, 9, 68, 68}, bytes.Repeat([]byte{0xff}, 10))
	f.Add(append([]byte{47, 24}, mactest.Random(72, 1)...), mactest.Random(500, 2))
	for _, messages := range []byte{2, 3, 4, 5, 8, 9, 16, 25} {
		choices := []byte{31, messages, 99, 0, 62}
		for i := range messages {
			choices = append(choices, i%3*32, 62+5*i, 7*i)
		}
		f.Add(choices, mactest.Random(100, 3))
	}
	const messageLimit, maxPiece = 26, 3300
	memory := mactest.NewFuzzMemory(f, 2*maxPiece+messageLimit)
	f.Fuzz(func(t *testing.T, choices, data []byte) {
		c := mactest.NewChoices(choices)
		size := 1 + c.Below(MaxSize)
		n := c.Below(messageLimit)
		all := memory.Place(c, 2*maxPiece+n, data)
		keys, whole := make([][]byte, n), make([][]byte, n)
		var first, second [][]byte
		var want []byte
		for i := range n {
			keys[i] = all[i:][:c.Below(MaxSize+1)]
			var cut, more int
			if !c.Done() {
				cut, more = c.Piece(maxPiece), c.Piece(maxPiece)
			}
			whole[i] = all[len(all)-cut-more-i:][:cut+more]
			first, second = append(first, whole[i][:cut]), append(second, whole[i][cut:])
			want = append(want, reference(t, size, keys[i], whole[i])...)
		}
		mactest.EachImplementation("blake2b", func(name string) {
			check := func(msgs ...[][]byte) {
				states := make([]State, n)
				NewAll(states, size, keys)
				for _, m := range msgs {
					WriteAll(states, m)
				}
				if got := SumAll([]byte("a"), states); !bytes.Equal(got[1:], want) || got[0] != 'a' {
					t.Errorf("%s: %d messages in %d pieces, digests of %d bytes: got %x, want 61%x", name, n, len(msgs), size, got, want)
				}
			}
			check(whole)
			check(first, second)
		})
	})
}

// FuzzCompress compares every implementation of compressBlocks and compressLanes with
// plain Go, for any chain value and byte count. Each lane has its own blocks, chain
// value and byte count.
func FuzzCompress(f *testing.F) {
	ones := bytes.Repeat([]byte{0xff}, 64)
	f.Add([]byte(nil), uint64(0), uint64(0), []byte(nil), make([]byte, BlockSize))
	f.Add([]byte{3, 64}, ^uint64(0), ^uint64(0), ones, ones)
	f.Add([]byte{1, 1}, ^uint64(127), uint64(0), mactest.Random(64, 2), mactest.Random(300, 3))
	f.Add([]byte{4, 64}, ^uint64(127), ^uint64(0), ones, ones) // the byte count becomes 0
	const maxBlocks = 5
	memory := mactest.NewFuzzMemory(f, (maxBlocks+maxLanes)*BlockSize)
	f.Fuzz(func(t *testing.T, choices []byte, count, final uint64, chain, data []byte) {
		c := mactest.NewChoices(choices)
		blocks := 1 + c.Below(maxBlocks)
		all := memory.Place(c, (blocks+maxLanes-1)*BlockSize, data)
		var begin, want [maxLanes][8]uint64
		var counts [maxLanes]uint64
		from := mactest.NewChoices(chain).Bytes(64)
		// The blocks of the last lane end where the memory ends.
		msg := func(lane int) []byte { return all[lane*BlockSize:][:blocks*BlockSize] }
		for lane := range maxLanes {
			counts[lane] = count + uint64(lane)<<30
			for i := range begin[lane] {
				begin[lane][i] = binary.LittleEndian.Uint64(from[8*i:]) + uint64(lane)
			}
			want[lane] = begin[lane]
			compressBlocksGeneric(&want[lane], msg(lane), counts[lane], final)
		}
		mactest.EachImplementation("blake2b", func(name string) {
			for lane := range maxLanes {
				h := begin[lane]
				if compressBlocks(&h, msg(lane), counts[lane], final); h != want[lane] {
					t.Errorf("%s: %d blocks after %d bytes, f = %x: got %x, want %x", name, blocks, counts[lane], final, h, want[lane])
				}
			}
			for idle := range laneCount() {
				live := laneCount() - idle
				var l lanes
				for i := range live {
					l.load(i, &begin[maxLanes-1-i], counts[maxLanes-1-i])
					l.blocks[i] = &msg(maxLanes - 1 - i)[0]
				}
				compressLanes(&l, live, blocks*BlockSize, final)
				for i := range live {
					var h [8]uint64
					if l.store(i, &h); h != want[maxLanes-1-i] {
						t.Errorf("%s: lane %d of %d, %d blocks after %d bytes, f = %x: got %x, want %x", name, i, live, blocks, counts[maxLanes-1-i], final, h, want[maxLanes-1-i])
					}
				}
			}
		})
	})
}
