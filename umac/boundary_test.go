// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestSumBatchBoundary has one message in each place of a group whose length is around
// 1024 bytes, the most that the kernel for four takes.
func TestSumBatchBoundary(t *testing.T) {
	k := mustKey(t, rfcKey, Size64)
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for place := range 4 {
			for _, n := range []int{1023, 1024, 1025, 1056, 2048} {
				var nonces, msgs [][]byte
				var want []byte
				for i := range 4 {
					msg := mactest.Random(32, 1)
					if i == place {
						msg = mactest.Random(n, 2)
					}
					nonces, msgs = append(nonces, []byte{byte(i)}), append(msgs, msg)
					want = k.Sum(want, nonces[i], msg)
				}
				if got := k.SumBatch(nil, nonces, msgs); !bytes.Equal(got, want) {
					t.Errorf("message %d has %d bytes: %x, want %x", place, n, got, want)
				}
			}
		}
	})
}

// TestCloneLong clones a MAC where POLY-128 has begun, after odd and even numbers of
// chunks. The original then hashes something else.
func TestCloneLong(t *testing.T) {
	const most = 1 << 24
	msg := mactest.Random(most+4*chunkSize, 3)
	k := mustKey(t, rfcKey, Size128)
	want := k.Sum(nil, rfcNonce, msg)
	m := k.New(rfcNonce)
	m.Write(msg[:most])
	for written, at := most, most; at < len(msg); at += 500 {
		m.Write(msg[written:at])
		written = at
		clone, err := m.Clone()
		if err != nil {
			t.Fatal(err)
		}
		original := m
		m = clone.(*MAC)
		original.Write(msg[:5000])
		last, _ := m.Clone()
		last.Write(msg[at:])
		if got := last.Sum(nil); !bytes.Equal(got, want) {
			t.Errorf("cloned after %d bytes: %x, want %x", at, got, want)
		}
	}
}

// TestSumReduced checks that the values of POLY are reduced before L3 takes them. The
// keys are 1, so that a step only adds, and the sums are the primes themselves.
func TestSumReduced(t *testing.T) {
	u := &uhashKey{streams: 1}
	u.poly64.set(0, binary.BigEndian.AppendUint64(nil, 1))
	u.poly128[0].set(append(make([]byte, 15), 1))
	u.l3[0].setK1(mactest.Random(64, 4))

	short := polyState{y: [maxStreams]uint64{prime64 - (limit64 - 1)}, last: [maxStreams]uint64{limit64 - 1}}
	if got := short.sum(&u.poly64, 0); got != 0 {
		t.Errorf("POLY-64 of its prime: %#x, want 0", got)
	}

	const end = 0x80 << 56 // the last word's upper half where the number of values is even
	long := l2State{n: poly64Chunks + 2}
	long.y128[0] = word128{1<<64 - 1 - end, 1<<64 - offset128}
	if got, want := uint32(long.sum(u).hi>>32), u.l3[0].long(word128{}); got != want {
		t.Errorf("POLY-128 of its prime: %#x, want %#x, the hash of 0", got, want)
	}
}
