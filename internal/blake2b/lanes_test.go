// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
)

// A list contains messages and their initial states.
type list struct {
	begin []State
	msgs  [][]byte
}

// randomList returns n messages with the lengths returned by length, and with random
// digest and key sizes.
func randomList(rng *rand.Rand, n int, length func() int) *list {
	l := new(list)
	for i := range n {
		key := mactest.Random(rng.IntN(2)*rng.IntN(MaxSize+1), uint64(i))
		l.begin = append(l.begin, New(1+rng.IntN(MaxSize), key))
		l.msgs = append(l.msgs, mactest.Random(length(), uint64(n+i)))
	}
	return l
}

// want returns the digests, computed one by one.
func (l *list) want() (sums []byte) {
	for i, s := range l.begin {
		s.Write(l.msgs[i])
		sums = s.Sum(sums)
	}
	return sums
}

// check compares the digests that SumAll returns with want. It writes the messages in
// pieces, whose lengths cut returns for the numbers of remaining bytes.
func (l *list) check(t *testing.T, cut func(rest int) int) {
	t.Helper()
	states := append([]State(nil), l.begin...)
	rest := append([][]byte(nil), l.msgs...)
	for left := 1; left > 0; {
		left = 0
		pieces := make([][]byte, len(rest))
		for i, msg := range rest {
			n := min(cut(len(msg)), len(msg))
			pieces[i], rest[i] = msg[:n], msg[n:]
			left += len(rest[i])
		}
		WriteAll(states, pieces)
	}
	before := append([]State(nil), states...)
	got, want := SumAll([]byte("ab"), states), append([]byte("ab"), l.want()...)
	if !bytes.Equal(got, want) {
		var lengths []int
		for _, msg := range l.msgs {
			lengths = append(lengths, len(msg))
		}
		t.Fatalf("messages of %v bytes: got %x, want %x", lengths, got, want)
	}
	for i := range states {
		if states[i] != before[i] {
			t.Fatalf("SumAll changed state %d", i)
		}
	}
}

func whole(rest int) int { return rest }

// TestAll checks WriteAll and SumAll for every number of messages up to three times the
// maximum number of lanes, with equal, similar and very different lengths.
func TestAll(t *testing.T) {
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		rng, times := rand.New(rand.NewPCG(1, 1)), 20
		if testing.Short() {
			times = 4
		}
		for n := range 3*maxLanes + 1 {
			for length := range 3*BlockSize + 2 {
				if n == maxLanes || length%17 == n%17 {
					randomList(rng, n, func() int { return length }).check(t, whole)
				}
			}
			for range times {
				randomList(rng, n, func() int { return rng.IntN(4*BlockSize + 2) }).check(t, whole)
				randomList(rng, n, func() int { return BlockSize*rng.IntN(5) + rng.IntN(3) }).check(t, whole)
				randomList(rng, n, func() int { return rng.IntN(1 << rng.IntN(13)) }).check(t, whole)
			}
		}
		// These messages are longer than the maximum length of a kernel call.
		randomList(rng, 11, func() int { return dispatch.MaxCall + rng.IntN(2*dispatch.MaxCall) }).check(t, whole)
	})
}

// TestAllSplits checks messages written in pieces, for which the buffers are empty,
// full or partly full when WriteAll begins.
func TestAllSplits(t *testing.T) {
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(2, 2))
		length := func() int { return rng.IntN(6 * BlockSize) }
		for piece := 1; piece <= 3*BlockSize; piece++ {
			randomList(rng, 1+piece%13, length).check(t, func(int) int { return piece })
		}
		for range 200 {
			randomList(rng, 1+rng.IntN(20), length).check(t, func(rest int) int {
				return max(1, rng.IntN(1+rest+rest/2)) * rng.IntN(4)
			})
		}
	})
}

// TestNewAll checks that NewAll sets every state to the result of New, whatever the
// state contained before.
func TestNewAll(t *testing.T) {
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		for n := range 3*maxLanes + 1 {
			for size := 1; size <= MaxSize; size++ {
				keys := make([][]byte, n)
				states := make([]State, n)
				for i := range keys {
					keys[i] = mactest.Random((size+i*n)%(MaxSize+1), uint64(i))
					states[i].t, states[i].n, states[i].buf[100] = 1, 2, 3
				}
				NewAll(states, size, keys)
				for i, key := range keys {
					if states[i] != New(size, key) {
						t.Fatalf("digest of %d bytes, %d keys: state %d, with a key of %d bytes, differs from New's", size, n, i, len(key))
					}
				}
			}
		}
	})
}

func TestAllPanics(t *testing.T) {
	states := make([]State, 2)
	for want, f := range map[string]func(){
		"blake2b: 1 keys for 2 states":              func() { NewAll(states, 32, make([][]byte, 1)) },
		"blake2b: 3 messages for 2 states":          func() { WriteAll(states, make([][]byte, 3)) },
		"blake2b: digest of 65 bytes, want 1 to 64": func() { NewAll(states, 65, make([][]byte, 2)) },
		"blake2b: key of 65 bytes, want at most 64": func() { NewAll(states, 64, [][]byte{nil, make([]byte, 65)}) },
	} {
		if got := mactest.Panic(f); got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
}

func TestAllAllocations(t *testing.T) {
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		const n = maxLanes + 3
		var states [n]State
		var keys, msgs [n][]byte
		for i := range n {
			keys[i], msgs[i] = mactest.Random(32, 1), mactest.Random(300*i, 2)
		}
		sums := make([]byte, 0, n*MaxSize)
		mactest.NoAllocations(t, "NewAll, WriteAll, SumAll", func() {
			NewAll(states[:], 64, keys[:])
			WriteAll(states[:], msgs[:])
			SumAll(sums, states[:])
		})
	})
}

// TestEmpty checks empty messages and keys, alone and in lanes next to other messages.
func TestEmpty(t *testing.T) {
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		key, msg := mactest.Random(32, 3), mactest.Random(300, 4)
		mactest.Empty(t, "Digest, Sum and SumAll", func(empty []byte) []byte {
			var digest [MaxSize]byte
			Digest(&digest, MaxSize, empty)
			s := New(40, empty)
			s.Write(empty)
			all := s.SumWith(s.Sum(digest[:]), empty)
			states, keys, msgs := make([]State, 9), make([][]byte, 9), make([][]byte, 9)
			for i := range msgs {
				keys[i], msgs[i] = empty, empty
			}
			keys[2], msgs[3], keys[4], msgs[4] = key, msg, key, msg
			NewAll(states, 33, keys)
			WriteAll(states, msgs)
			return SumAll(all, states)
		}, key, msg)
	})
}
