// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/rfc4418"
)

// FuzzNH compares the NH values of every implementation with the plain Go code and with
// the reference.
func FuzzNH(f *testing.F) {
	f.Add([]byte(nil), []byte("key"), []byte(nil))
	f.Add([]byte{1, 100, 0, 7}, []byte(nil), bytes.Repeat([]byte{0xff}, 32))
	f.Add([]byte{2, 0xff, 3, 70}, mactest.Random(nhKeySize, 1), mactest.Random(1023, 2))
	f.Add([]byte{3, 0, 4, 64}, bytes.Repeat([]byte{0xff}, nhKeySize), mactest.Random(1024, 4))
	for _, n := range []int{0, 16, 17, 31, 32, 127, 128, 129, 992, 1024} {
		f.Add([]byte{3, byte(n), byte(n >> 8), 70}, bytes.Repeat([]byte{0xff}, 64), mactest.Random(199, 5))
	}
	memory := mactest.NewFuzzMemory(f, ChunkSize)
	f.Fuzz(func(t *testing.T, choices, keyBytes, data []byte) {
		c := mactest.NewChoices(choices)
		streams := 1 + c.Below(maxStreams)
		chunk := memory.Fill(c, data)
		full := mactest.NewChoices(keyBytes).Bytes(nhKeySize)
		key := newNHKey(full)
		want := nhWant(key, chunk, streams)
		for s := range streams {
			if ref := rfc4418.NH(full[16*s:], chunk); want[s] != ref {
				t.Errorf("plain Go, %d bytes, stream %d: got %x, want %x", len(chunk), s, want[s], ref)
			}
		}
		mactest.EachImplementation("umac", func(name string) {
			values := [maxStreams]uint64{untouched, untouched, untouched, untouched}
			if nh(&values, key, chunk, streams); values != want {
				t.Errorf("%s, %d bytes, %d streams: got %x, want %x", name, len(chunk), streams, values, want)
			}
		})
	})
}

// FuzzNHPoly compares every implementation of nhPoly with the plain Go code, from
// arbitrary states under arbitrary keys.
func FuzzNHPoly(f *testing.F) {
	ones := bytes.Repeat([]byte{0xff}, nhKeySize)
	f.Add([]byte{0, 0, 0}, []byte("key"), []byte(nil))
	f.Add(append([]byte{1, 4, 7}, ones[:128]...), []byte(nil), ones)
	f.Add(append([]byte{2, 1, 3}, ones[:128]...), ones, mactest.Random(ChunkSize, 2))
	f.Add(append([]byte{3, 7, 70}, mactest.Random(128, 4)...), mactest.Random(nhKeySize, 3), mactest.Random(5*ChunkSize, 5))
	states := []byte{3, 2, 70}
	for _, w := range []uint64{math.MaxUint64, limit64, prime64, limit64 - 1, prime64 - 1, math.MaxUint64, limit64, prime64} { // y and last for each of the four streams
		states = binary.LittleEndian.AppendUint64(states, w)
	}
	f.Add(append(states, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0xff, 0xff, 0xff, 1), ones[:64], ones[:64])
	memory := mactest.NewFuzzMemory(f, 9*ChunkSize)
	f.Fuzz(func(t *testing.T, choices, keyBytes, data []byte) {
		c := mactest.NewChoices(choices)
		streams := 1 + c.Below(maxStreams)
		chunks := memory.Place(c, c.Below(10)*ChunkSize, data)
		var st polyState
		for s := range streams {
			st.y[s], st.last[s] = c.Uint64(), c.Uint64()
		}
		var polyKeys [maxStreams]uint64
		for s := range polyKeys {
			polyKeys[s] = c.Uint64()
		}
		u := newUHASHKey(mactest.NewChoices(keyBytes).Bytes(nhKeySize), polyKeys, streams)
		want := nhPolyWant(st, u, chunks)
		mactest.EachImplementation("umac", func(name string) {
			got := st
			nhPoly(&got, u, chunks)
			if cut(got, streams) != cut(want, streams) {
				t.Errorf("%s, %d streams, %d chunks: got %x, want %x", name, streams, len(chunks)/ChunkSize, got, want)
			}
		})
	})
}

// FuzzPoly64 compares POLY-64 of fuzzed words with math/big. Plain Go hashes the words
// directly, and every implementation hashes chunks constructed to have the words as NH
// values.
func FuzzPoly64(f *testing.F) {
	all := make([]byte, 0, 8*len(words64))
	for _, w := range words64 {
		all = binary.LittleEndian.AppendUint64(all, w)
	}
	f.Add([]byte{0, 0, 0}, uint64(1), all[:8])
	f.Add([]byte{1, 1, 31}, uint64(math.MaxUint64), all)
	f.Add([]byte{3, 2, 5}, uint64(0x0123456789abcdef), all[80:])
	carry := []byte{0xea, 0x0f, 0x32, 0xfe, 0x75, 0x98, 0xba, 0xfe, 0x37, 0x39, 0x8e, 0xe9, 0x2a, 0x19, 0x2a, 0xbd, 5, 0, 0, 0, 0, 0, 0, 0, 0xf9, 0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xff}
	for s := range byte(maxStreams) { // the second carry of a reduction, and the marker for large words
		f.Add([]byte{s, s}, uint64(0x0145678901cdf011), carry)
		f.Add([]byte{3, s, 0, 31, 7}, uint64(math.MaxUint64), all[80:])
	}
	nhKey := mactest.Random(nhKeySize, 1)
	f.Fuzz(func(t *testing.T, choices []byte, key uint64, words []byte) {
		c := mactest.NewChoices(choices)
		streams := 1 + c.Below(maxStreams)
		s := c.Below(streams)
		var polyKeys [maxStreams]uint64
		polyKeys[s] = key
		u := newUHASHKey(nhKey, polyKeys, streams)

		var data, chunks []byte
		plain := newPolyState
		for from := mactest.NewChoices(words); !from.Done() && len(data) < 8*40; {
			word := from.Uint64()
			data = binary.BigEndian.AppendUint64(data, word)
			chunks = append(chunks, chunkOf(&u.nh, s, c.Below(ChunkSize/groupSize), word)...)
			var values [maxStreams]uint64
			values[s] = word
			plain.push(&u.poly64, values[:streams])
		}
		want := rfc4418.Poly(64, 32, big.NewInt(1), rfc4418.MaskedKey(binary.BigEndian.AppendUint64(nil, key)), data).Uint64()
		// push adds each value when the next one arrives, and the initial 1 first.
		if got := plain.sum(&u.poly64, s); got != want {
			t.Errorf("key %x, words %x: got %x, want %x", key, data, got, want)
		}
		mactest.EachImplementation("umac", func(name string) {
			st := newPolyState
			nhPoly(&st, u, chunks)
			if got := st.sum(&u.poly64, s); got != want {
				t.Errorf("%s, key %x, stream %d of %d, words %x: got %x, want %x", name, key, s, streams, data, got, want)
			}
		})
	})
}

// FuzzPoly128 compares L2 and L3 with the reference, for a message whose state after
// the first 16 MiB and whose following NH values are fuzzed.
func FuzzPoly128(f *testing.F) {
	ones := bytes.Repeat([]byte{0xff}, 64)
	f.Add(uint64(0), uint64(1), []byte(nil), []byte(nil), []byte{0})
	f.Add(uint64(math.MaxUint64), uint64(limit64), ones[:24], ones, ones[:40])
	f.Add(uint64(prime64-1), uint64(limit64-1), mactest.Random(24, 1), mactest.Random(68, 2), mactest.Random(64, 3))
	var words []byte // combinations of the halves of POLY-128's marker and prime
	for _, w := range []uint64{limit64, 0, limit64 - 1, math.MaxUint64, limit64, math.MaxUint64, math.MaxUint64, math.MaxUint64, math.MaxUint64, math.MaxUint64 - 158, math.MaxUint64, math.MaxUint64 - 159, limit64, 158} {
		words = binary.LittleEndian.AppendUint64(words, w)
	}
	f.Add(uint64(prime64-1), uint64(limit64), ones[:24], make([]byte, 68), words)
	f.Fuzz(func(t *testing.T, y, last uint64, l2Key, l3Key, words []byte) {
		k2, k3 := mactest.NewChoices(l2Key).Bytes(24), mactest.NewChoices(l3Key).Bytes(68)
		u := &uhashKey{streams: 1}
		u.poly64.set(0, k2)
		u.poly128[0].set(k2[8:])
		u.l3[0].setK1(k3)
		u.l3[0].k2 = binary.BigEndian.Uint32(k3[64:])

		st := State{n: poly64Chunks}
		st.short.y[0], st.short.last[0] = y, last
		first := rfc4418.Poly(64, 32, new(big.Int).SetUint64(y), rfc4418.MaskedKey(k2[:8]), binary.BigEndian.AppendUint64(nil, last))
		data := first.FillBytes(make([]byte, 16))
		for from := mactest.NewChoices(words); len(data) == 16 || !from.Done() && len(data) < 16+8*100; st.n++ {
			word := from.Uint64()
			data = binary.BigEndian.AppendUint64(data, word)
			st.pushLong(u, []uint64{word})
		}
		data = append(data, 0x80)
		for len(data)%16 != 0 {
			data = append(data, 0)
		}
		l2 := rfc4418.Poly(128, 96, big.NewInt(1), rfc4418.MaskedKey(k2[8:]), data).FillBytes(make([]byte, 16))
		want := binary.BigEndian.Uint32(rfc4418.L3(k3, k3[64:], l2))
		if got := uint32(st.sum(u).hi >> 32); got != want {
			t.Errorf("from %x, %x, words %x: hash %x, want %x", y, last, data[16:], got, want)
		}
	})
}
