// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"bytes"
	"slices"
	"testing"
	"unsafe"

	"github.com/unimac/unimac/internal/impl"
	"github.com/unimac/unimac/internal/mactest"
)

// nhLengths are all lengths of a first chunk and the beginning of a second, and
// some up to what one call of nh takes.
func nhLengths() []int {
	lengths := []int{2047, 2048, 2049, 3072 + 33, 5000, 8191, nhBatch - 1025, nhBatch - 31, nhBatch - 1, nhBatch}
	for n := range chunkSize + 77 {
		lengths = append(lengths, n)
	}
	return lengths
}

func nhTestKey() *nhKey {
	key := new(nhKey)
	key.set(mactest.Random(chunkSize+(maxStreams-1)*16, 20))
	return key
}

// nhWant returns what nhGeneric makes of a message.
func nhWant(key *nhKey, msg []byte, streams int) []uint64 {
	dst := make([]uint64, max(1, (len(msg)+chunkSize-1)/chunkSize)*streams)
	nhGeneric(dst, key, msg, streams)
	return dst
}

// nhTests runs f, with each implementation, for every length and number of
// streams, on a random message and its NH values.
func nhTests(t *testing.T, key *nhKey, f func(t *testing.T, msg []byte, streams int, want []uint64)) {
	type test struct {
		msg     []byte
		streams int
		want    []uint64
	}
	var tests []test
	for _, n := range nhLengths() {
		msg := mactest.Random(n, uint64(n))
		for streams := 1; streams <= maxStreams; streams++ {
			tests = append(tests, test{msg, streams, nhWant(key, msg, streams)})
		}
	}
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for _, tt := range tests {
			f(t, tt.msg, tt.streams, tt.want)
			if t.Failed() {
				t.Fatalf("%d bytes, %d streams", len(tt.msg), tt.streams)
			}
		}
	})
}

// TestNH checks every alignment of the message, and that nothing around the
// values is touched.
func TestNH(t *testing.T) {
	const around = 0x5555555555555555
	key := nhTestKey()
	var buf [32 + nhBatch]byte
	nhTests(t, key, func(t *testing.T, msg []byte, streams int, want []uint64) {
		for offset := range 32 {
			shifted := buf[offset:][:copy(buf[offset:], msg)]
			dst := slices.Repeat([]uint64{around}, 8+len(want)+8)
			nh(dst[8:], key, shifted, streams)
			if !slices.Equal(dst[8:8+len(want)], want) {
				t.Errorf("at offset %d: %x, want %x", offset, dst[8:8+len(want)], want)
			}
			if slices.ContainsFunc(slices.Concat(dst[:8], dst[8+len(want):]), func(v uint64) bool { return v != around }) {
				t.Errorf("at offset %d: wrote outside: %x", offset, dst)
			}
			if !bytes.Equal(shifted, msg) {
				t.Errorf("at offset %d: changed the message", offset)
			}
		}
	})
}

// TestNHGuarded has inaccessible pages right before and right behind the
// message, the values and the key.
func TestNHGuarded(t *testing.T) {
	plain := nhTestKey()
	msgs := mactest.NewGuarded(t, nhBatch)
	values := mactest.NewGuarded(t, nhBatch/chunkSize*maxStreams*8)
	keys := mactest.NewGuarded(t, int(unsafe.Sizeof(nhKey{})))
	nhTests(t, plain, func(t *testing.T, msg []byte, streams int, want []uint64) {
		for end, part := range map[string]func(*mactest.Guarded, int) []byte{
			"front": (*mactest.Guarded).Front,
			"back":  (*mactest.Guarded).Back,
		} {
			m := part(msgs, len(msg))
			copy(m, msg)
			key := (*nhKey)(unsafe.Pointer(unsafe.SliceData(part(keys, int(unsafe.Sizeof(nhKey{}))))))
			*key = *plain
			dst := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(part(values, 8*len(want))))), len(want))
			clear(dst)
			nh(dst, key, m, streams)
			if !slices.Equal(dst, want) {
				t.Errorf("at the %s: %x, want %x", end, dst, want)
			}
			if *key != *plain || !bytes.Equal(m, msg) {
				t.Errorf("at the %s: changed its input", end)
			}
		}
	})
}

// TestNHExtremes has words and sums that wrap around.
func TestNHExtremes(t *testing.T) {
	ones := new(nhKey)
	ones.set(bytes.Repeat([]byte{0xff}, chunkSize+(maxStreams-1)*16))
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for _, key := range []*nhKey{new(nhKey), ones, nhTestKey()} {
			for _, b := range []byte{0x00, 0x01, 0x80, 0xff} {
				for _, n := range []int{0, 1, 32, 100, 128, 500, chunkSize, 3*chunkSize + 5} {
					msg := bytes.Repeat([]byte{b}, n)
					for streams := 1; streams <= maxStreams; streams++ {
						want := nhWant(key, msg, streams)
						dst := make([]uint64, len(want))
						if nh(dst, key, msg, streams); !slices.Equal(dst, want) {
							t.Errorf("%d bytes %#02x, %d streams: %x, want %x", n, b, streams, dst, want)
						}
					}
				}
			}
		}
	})
}

// TestNHShort checks that too little room for the values is found out.
func TestNHShort(t *testing.T) {
	key := nhTestKey()
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for _, n := range []int{0, 1, chunkSize, chunkSize + 1, nhBatch} {
			for streams := 1; streams <= maxStreams; streams++ {
				room := max(1, (n+chunkSize-1)/chunkSize)*streams - 1
				func() {
					defer func() {
						if recover() == nil {
							t.Errorf("%d bytes, %d streams: no panic with room for %d values", n, streams, room)
						}
					}()
					nh(make([]uint64, room), key, make([]byte, n), streams)
				}()
			}
		}
	})
}

// FuzzNH compares every implementation with the plain Go.
func FuzzNH(f *testing.F) {
	f.Add([]byte("key"), []byte(nil), byte(0), byte(0))
	f.Add([]byte(nil), bytes.Repeat([]byte{0xff}, 100), byte(1), byte(7))
	f.Add(mactest.Random(1072, 1), mactest.Random(1023, 2), byte(2), byte(3))
	f.Add(mactest.Random(1072, 3), mactest.Random(5000, 4), byte(3), byte(31))
	f.Fuzz(func(t *testing.T, keyBytes, msg []byte, streams, offset byte) {
		msg = msg[:min(len(msg), nhBatch)]
		n := 1 + int(streams)%maxStreams
		var full [chunkSize + (maxStreams-1)*16]byte
		copy(full[:], keyBytes)
		key := new(nhKey)
		key.set(full[:])
		want := nhWant(key, msg, n)
		buf := make([]byte, int(offset)+len(msg))
		shifted := buf[offset:]
		copy(shifted, msg)

		defer impl.Reset("umac")
		for _, name := range impl.List("umac") {
			if !impl.Select("umac", name) {
				continue
			}
			dst := make([]uint64, len(want))
			if nh(dst, key, shifted, n); !slices.Equal(dst, want) {
				t.Errorf("%s, %d bytes, %d streams: %x, want %x", name, len(msg), n, dst, want)
			}
		}
	})
}
