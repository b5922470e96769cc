// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/unimac/unimac/internal/mactest"
)

// untouched fills memory that a kernel must not change.
const untouched = 0x5555555555555555

// nhKeySize is the size in bytes of the NH key for all streams.
const nhKeySize = ChunkSize + (maxStreams-1)*16

func newNHKey(key []byte) *nhKey {
	k := new(nhKey)
	k.set(key, maxStreams)
	return k
}

// nhWant returns the NH values that nhGeneric computes. The values of unused streams
// are untouched.
func nhWant(key *nhKey, chunk []byte, streams int) [maxStreams]uint64 {
	values := [maxStreams]uint64{untouched, untouched, untouched, untouched}
	nhGeneric(&values, key, chunk, streams)
	return values
}

// nhTests calls f with each implementation for every chunk length and number of
// streams, passing a random chunk and its NH values.
func nhTests(t *testing.T, key *nhKey, f func(t *testing.T, chunk []byte, streams int, want [maxStreams]uint64)) {
	type test struct {
		chunk   []byte
		streams int
		want    [maxStreams]uint64
	}
	var tests []test
	for n := range ChunkSize + 1 {
		chunk := mactest.Random(n, uint64(n))
		for streams := 1; streams <= maxStreams; streams++ {
			tests = append(tests, test{chunk, streams, nhWant(key, chunk, streams)})
		}
	}
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for _, tt := range tests {
			f(t, tt.chunk, tt.streams, tt.want)
			if t.Failed() {
				t.Fatalf("%d bytes, %d streams", len(tt.chunk), tt.streams)
			}
		}
	})
}

// TestNH checks NH values for every alignment of the chunk, and that nh does not change
// memory around the values.
func TestNH(t *testing.T) {
	key := newNHKey(mactest.Random(nhKeySize, 20))
	var buf [32 + ChunkSize]byte
	nhTests(t, key, func(t *testing.T, chunk []byte, streams int, want [maxStreams]uint64) {
		for offset := range 32 {
			if testing.Short() && offset > 1 && offset%8 != 7 {
				continue
			}
			shifted := buf[offset:][:copy(buf[offset:], chunk)]
			var around [3][maxStreams]uint64
			for i := range around {
				around[i] = [maxStreams]uint64{untouched, untouched, untouched, untouched}
			}
			unchanged := around[0]
			nh(&around[1], key, shifted, streams)
			if around[1] != want {
				t.Errorf("at offset %d: got %x, want %x", offset, around[1], want)
			}
			if around[0] != unchanged || around[2] != unchanged {
				t.Errorf("at offset %d: nh wrote outside its values: %x", offset, around)
			}
			if !bytes.Equal(shifted, chunk) {
				t.Errorf("at offset %d: nh changed the chunk", offset)
			}
		}
	})
}

// guardedEnds contains functions that return the first and the last bytes of guarded
// memory.
var guardedEnds = map[string]func(*mactest.Guarded, int) []byte{
	"front": (*mactest.Guarded).Front,
	"back":  (*mactest.Guarded).Back,
}

// TestNHGuarded checks that nh stays within its buffers: inaccessible pages are
// directly before and after the chunk, the values and the key.
func TestNHGuarded(t *testing.T) {
	const valuesSize, keySize = int(unsafe.Sizeof([maxStreams]uint64{})), int(unsafe.Sizeof(nhKey{}))
	plain := newNHKey(mactest.Random(nhKeySize, 21))
	chunks := mactest.NewGuarded(t, ChunkSize)
	memory := mactest.NewGuarded(t, valuesSize)
	keys := mactest.NewGuarded(t, keySize)
	nhTests(t, plain, func(t *testing.T, chunk []byte, streams int, want [maxStreams]uint64) {
		for end, part := range guardedEnds {
			c := part(chunks, len(chunk))
			copy(c, chunk)
			key := (*nhKey)(unsafe.Pointer(unsafe.SliceData(part(keys, keySize))))
			*key = *plain
			values := (*[maxStreams]uint64)(unsafe.Pointer(unsafe.SliceData(part(memory, valuesSize))))
			*values = [maxStreams]uint64{untouched, untouched, untouched, untouched}
			nh(values, key, c, streams)
			if *values != want {
				t.Errorf("at the %s: got %x, want %x", end, *values, want)
			}
			if *key != *plain || !bytes.Equal(c, chunk) {
				t.Errorf("at the %s: nh changed its input", end)
			}
		}
	})
}

// TestNHExtremes checks chunks and keys whose sums wrap around.
func TestNHExtremes(t *testing.T) {
	ones := newNHKey(bytes.Repeat([]byte{0xff}, nhKeySize))
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for _, key := range []*nhKey{new(nhKey), ones, newNHKey(mactest.Random(nhKeySize, 22))} {
			for _, b := range []byte{0x00, 0x01, 0x80, 0xff} {
				for _, n := range []int{0, 1, 32, 100, 128, 500, ChunkSize} {
					chunk := bytes.Repeat([]byte{b}, n)
					for streams := 1; streams <= maxStreams; streams++ {
						want := nhWant(key, chunk, streams)
						values := [maxStreams]uint64{untouched, untouched, untouched, untouched}
						if nh(&values, key, chunk, streams); values != want {
							t.Errorf("%d bytes of %#02x, %d streams: got %x, want %x", n, b, streams, values, want)
						}
					}
				}
			}
		}
	})
}
