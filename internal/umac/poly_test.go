// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"slices"
	"testing"
	"unsafe"

	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/rfc4418"
)

// words64 contains words around every number that a POLY-64 step treats specially: the
// prime, the limit, and the points where sums carry. Some words differ from the limit
// in one bit.
var words64 = []uint64{
	0, 1, offset64 - 1, offset64, offset64 + 1, math.MaxUint32 - 1, math.MaxUint32, 1 << 32, 1<<63 - 1, 1 << 63,
	limit64 - 1<<32 - 1, limit64 - 1<<32, limit64 - 2, limit64 - 1, limit64, limit64 + 1, limit64 + math.MaxUint32/2,
	limit64 &^ (1 << 63), limit64&^(1<<63) + math.MaxUint32, limit64 &^ (1 << 47),
	prime64 - 1, prime64, prime64 + 1, math.MaxUint64 - 1, math.MaxUint64,
}

// keys64 contains POLY-64 keys before masking.
var keys64 = []uint64{0, 1, 2, 0x0123456789abcdef, 0x8000000080000000, 1<<56 - 1, math.MaxUint64 - 1, math.MaxUint64}

// newUHASHKey returns a key for L1 and POLY-64. polyKeys[s] is the POLY-64 key of
// stream s before masking.
func newUHASHKey(nhKey []byte, polyKeys [maxStreams]uint64, streams int) *uhashKey {
	u := &uhashKey{streams: streams}
	u.nh.set(nhKey, streams)
	for s := range streams {
		u.poly64.set(s, binary.BigEndian.AppendUint64(nil, polyKeys[s]))
	}
	return u
}

func newRandomUHASHKey(streams int) *uhashKey {
	var polyKeys [maxStreams]uint64
	random := mactest.Random(8*maxStreams, 23)
	for s := range polyKeys {
		polyKeys[s] = binary.LittleEndian.Uint64(random[8*s:])
	}
	return newUHASHKey(mactest.Random(nhKeySize, 24), polyKeys, streams)
}

// nhPolyWant returns st after adding the NH values of whole chunks in plain Go.
func nhPolyWant(st polyState, u *uhashKey, chunks []byte) polyState {
	var values [maxStreams]uint64
	for chunk := range slices.Chunk(chunks, ChunkSize) {
		nhGeneric(&values, &u.nh, chunk, u.streams)
		st.push(&u.poly64, values[:u.streams])
	}
	return st
}

// cut returns st with the entries of the first streams only. Kernels may change the
// other entries: with three streams, the kernels for amd64 and arm64 also compute the
// fourth.
func cut(st polyState, streams int) polyState {
	clear(st.y[streams:])
	clear(st.last[streams:])
	return st
}

// checkNHPoly compares nhPoly with the plain Go code.
func checkNHPoly(t *testing.T, st polyState, u *uhashKey, chunks []byte, want polyState) {
	t.Helper()
	got := st
	nhPoly(&got, u, chunks)
	if cut(got, u.streams) != cut(want, u.streams) {
		t.Errorf("%d streams, %d chunks, initial state\n%x:\ngot %x\nwant %x",
			u.streams, len(chunks)/ChunkSize, st, got, want)
	}
}

// TestPoly64Step compares POLY-64 steps with math/big.
func TestPoly64Step(t *testing.T) {
	for i, word := range keys64 {
		var p poly64Key
		key := binary.BigEndian.AppendUint64(nil, word)
		p.set(i%maxStreams, key)
		k := rfc4418.MaskedKey(key)
		for _, y := range words64 {
			for _, m := range words64 {
				want := rfc4418.Poly(64, 32, new(big.Int).SetUint64(y), k, binary.BigEndian.AppendUint64(nil, m))
				if got := reduce64(p.step(i%maxStreams, y, m)); got != want.Uint64() {
					t.Errorf("key %#x: step(%#x, %#x) = %#x, want %#x", k, y, m, got, want)
				}
			}
		}
	}
}

// TestNHPoly checks every number of chunks that one call may process, and every
// alignment for up to three chunks.
func TestNHPoly(t *testing.T) {
	const maxChunks = dispatch.MaxCall / ChunkSize
	msg := mactest.Random(maxChunks*ChunkSize, 25)
	type test struct {
		u    *uhashKey
		n    int
		want polyState
	}
	var tests []test
	for streams := 1; streams <= maxStreams; streams++ {
		u := newRandomUHASHKey(streams)
		want := newPolyState
		for n := range maxChunks + 1 {
			tests = append(tests, test{u, n, want})
			if n < maxChunks {
				want = nhPolyWant(want, u, msg[n*ChunkSize:][:ChunkSize])
			}
		}
	}
	buf := make([]byte, 32+maxChunks*ChunkSize)
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for _, tt := range tests {
			from, to := tt.n%32, tt.n%32+1
			if tt.n <= 3 {
				from, to = 0, 32
			}
			for offset := from; offset < to; offset++ {
				chunks := buf[offset:][:tt.n*ChunkSize]
				copy(chunks, msg)
				before := *tt.u
				checkNHPoly(t, newPolyState, tt.u, chunks, tt.want)
				if *tt.u != before || !bytes.Equal(chunks, msg[:len(chunks)]) {
					t.Fatal("nhPoly changed its input")
				}
			}
		}
	})
}

// TestNHPolyStates checks nhPoly from every pair of special values of y and last, in
// each stream, under each special key.
func TestNHPolyStates(t *testing.T) {
	msg := mactest.Random(2*ChunkSize, 26)
	nhKey := mactest.Random(nhKeySize, 27)
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for streams := 1; streams <= maxStreams; streams++ {
			for i := range keys64 {
				var polyKeys [maxStreams]uint64
				for s := range polyKeys {
					polyKeys[s] = keys64[(i+s)%len(keys64)]
				}
				u := newUHASHKey(nhKey, polyKeys, streams)
				for a := range words64 {
					for b := range words64 {
						var st polyState
						for s := range streams {
							st.y[s] = words64[(a+s)%len(words64)]
							st.last[s] = words64[(b+3*s)%len(words64)]
						}
						n := 1 + (a+b)%2
						checkNHPoly(t, st, u, msg[:n*ChunkSize], nhPolyWant(st, u, msg[:n*ChunkSize]))
					}
				}
				if t.Failed() {
					t.Fatalf("key %d", i)
				}
			}
		}
	})
}

// chunkOf returns a chunk whose NH value in stream s is v. All products are zero except
// three in group g: (2^32-1)·hi, 1·a and 1·b, where hi is the high word of v minus the
// length, and a+b is the sum of both words.
func chunkOf(key *nhKey, s, g int, v uint64) []byte {
	v -= 8 * ChunkSize
	hi, both := v>>32, v>>32+v&math.MaxUint32
	a := min(both, math.MaxUint32)
	var first, second [ChunkSize / groupSize][4]uint32
	first[g] = [4]uint32{math.MaxUint32, 1, uint32(both - a), 0}
	second[g] = [4]uint32{uint32(hi), uint32(a), 1, 0}
	var chunk []byte
	for g := range first {
		for i := range first[g] {
			chunk = binary.LittleEndian.AppendUint32(chunk, first[g][i]-key[s][g][i])
		}
		for i := range second[g] {
			chunk = binary.LittleEndian.AppendUint32(chunk, second[g][i]-key[s+1][g][i])
		}
	}
	return chunk
}

// TestNHPolyValues checks nhPoly for chunks whose NH values are the special words of
// words64.
func TestNHPolyValues(t *testing.T) {
	for streams := 1; streams <= maxStreams; streams++ {
		u := newRandomUHASHKey(streams)
		for s := range streams {
			var msg []byte
			for i, v := range words64 {
				chunk := chunkOf(&u.nh, s, (7*i+31)%32, v)
				if got := nhWant(&u.nh, chunk, streams)[s]; got != v {
					t.Fatalf("stream %d: chunkOf returned a chunk with NH value %#x, want %#x", s, got, v)
				}
				msg = append(msg, chunk...)
			}
			mactest.Implementations(t, "umac", func(t *testing.T) {
				// Hash all chunks in one call, then one chunk per call.
				checkNHPoly(t, newPolyState, u, msg, nhPolyWant(newPolyState, u, msg))
				st := newPolyState
				for chunk := range slices.Chunk(msg, ChunkSize) {
					next := nhPolyWant(st, u, chunk)
					checkNHPoly(t, st, u, chunk, next)
					st = next
				}
			})
		}
	}
}

// TestNHPolyGuarded checks that nhPoly stays within its buffers: inaccessible pages are
// directly before and after the chunks, the state and the key.
func TestNHPolyGuarded(t *testing.T) {
	const stateSize, keySize = int(unsafe.Sizeof(polyState{})), int(unsafe.Sizeof(uhashKey{}))
	msgs := mactest.NewGuarded(t, dispatch.MaxCall)
	states := mactest.NewGuarded(t, stateSize)
	keys := mactest.NewGuarded(t, keySize)
	msg := mactest.Random(dispatch.MaxCall, 28)
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for end, part := range guardedEnds {
			for streams := 1; streams <= maxStreams; streams++ {
				for _, n := range []int{0, 1, 2, 3, 4, 5, 17, 63, 64} {
					chunks := part(msgs, n*ChunkSize)
					copy(chunks, msg)
					u := (*uhashKey)(unsafe.Pointer(unsafe.SliceData(part(keys, keySize))))
					*u = *newRandomUHASHKey(streams)
					st := (*polyState)(unsafe.Pointer(unsafe.SliceData(part(states, stateSize))))
					*st = newPolyState
					want := nhPolyWant(*st, u, chunks)
					if nhPoly(st, u, chunks); cut(*st, streams) != cut(want, streams) {
						t.Errorf("at the %s: %d streams, %d chunks: got %x, want %x", end, streams, n, *st, want)
					}
				}
			}
		}
	})
}

// TestMaxCall checks the maximum number of bytes that are passed to the assembly per
// call.
func TestMaxCall(t *testing.T) {
	u := newRandomUHASHKey(2)
	mactest.MaxCall(t, "umac", ChunkSize, func(msg []byte) {
		st := newPolyState
		nhPoly(&st, u, msg)
	})
}

// words128 contains words around every number that a POLY-128 step treats specially.
var words128 = func() (words []word128) {
	for _, hi := range []uint64{0, 1, limit128 - 1, limit128, limit128 + 1, limit128 + 1<<31, limit128 &^ (1 << 40), math.MaxUint64 - 1, math.MaxUint64} {
		for _, lo := range []uint64{0, 1, offset128 - 1, offset128, 1 << 63, math.MaxUint64 - offset128, math.MaxUint64 - offset128 + 1, math.MaxUint64} {
			words = append(words, word128{hi, lo})
		}
	}
	return words
}()

func (w word128) bytes() []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, w.hi), w.lo)
}

// TestPoly128Step compares POLY-128 steps with math/big. Words of at least 2^128 - 2^96
// take two steps.
func TestPoly128Step(t *testing.T) {
	for i, word := range keys64 {
		var p poly128Key
		key := word128{word, keys64[(i+3)%len(keys64)]}.bytes()
		p.set(key)
		k := rfc4418.MaskedKey(key)
		for _, y := range words128 {
			for _, m := range words128 {
				want := rfc4418.Poly(128, 96, new(big.Int).SetBytes(y.bytes()), k, m.bytes())
				got := reduce128(p.step(y, m))
				if new(big.Int).SetBytes(got.bytes()).Cmp(want) != 0 {
					t.Fatalf("key %#x: from %x, %x leads to %x, want %x", k, y, m, got, want)
				}
			}
		}
	}
}

// TestPoly128Values hashes chunks after the first 16 MiB whose NH values form words
// around the limit of POLY-128.
func TestPoly128Values(t *testing.T) {
	u := newRandomUHASHKey(1)
	key := mactest.Random(16, 29)
	u.poly128[0].set(key)
	k := rfc4418.MaskedKey(key)
	values := []uint64{limit128 - 1, 5, limit128, 7, math.MaxUint64, math.MaxUint64, 3, limit128, limit128 + 1, 0}
	var msg, data []byte
	for i, v := range values {
		msg = append(msg, chunkOf(&u.nh, 0, i, v)...)
		data = binary.BigEndian.AppendUint64(data, v)
	}
	mactest.Implementations(t, "umac", func(t *testing.T) {
		// The state after the first 16 MiB, with arbitrary POLY-64 values.
		st := State{n: poly64Chunks, short: polyState{y: [maxStreams]uint64{9}, last: [maxStreams]uint64{11}}}
		y := word128{lo: st.short.sum(&u.poly64, 0)}
		st.update(u, msg)
		want := rfc4418.Poly(128, 96, big.NewInt(1), k, append(y.bytes(), data...))
		if got := reduce128(st.y128[0]); new(big.Int).SetBytes(got.bytes()).Cmp(want) != 0 {
			t.Errorf("POLY-128 = %x, want %x", got, want)
		}
	})
}

// TestSumReduced checks that POLY results are fully reduced before L3. The keys are 1,
// so each step only adds, and the sums equal the primes.
func TestSumReduced(t *testing.T) {
	u := &uhashKey{streams: 1}
	u.poly64.set(0, binary.BigEndian.AppendUint64(nil, 1))
	u.poly128[0].set(append(make([]byte, 15), 1))
	u.l3[0].setK1(mactest.Random(64, 4))

	short := polyState{y: [maxStreams]uint64{prime64 - (limit64 - 1)}, last: [maxStreams]uint64{limit64 - 1}}
	if got := short.sum(&u.poly64, 0); got != 0 {
		t.Errorf("POLY-64 of its prime = %#x, want 0", got)
	}

	const end = 0x80 << 56 // the last word's upper half if the number of values is even
	long := State{n: poly64Chunks + 2}
	long.y128[0] = word128{1<<64 - 1 - end, 1<<64 - offset128}
	if got, want := uint32(long.sum(u).hi>>32), u.l3[0].long(word128{}); got != want {
		t.Errorf("L3 of POLY-128 of its prime = %#x, want %#x, the hash of 0", got, want)
	}
}
