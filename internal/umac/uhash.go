// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"encoding/binary"

	"github.com/unimac/unimac/internal/dispatch"
)

// UHASH (RFC 4418, section 5) compresses a message in three layers. L1 hashes each
// 1024-byte chunk to an eight-byte NH value. If there are several NH values, L2 hashes
// them to 16 bytes: the first 2^14 values (16 MiB of the message) with a polynomial
// over prime64, and later values with a polynomial over prime128. L3 hashes 16 bytes to
// four. A tag of 4n bytes consists of the results of n such streams, each with its own
// part of the key.

type uhashKey struct {
	nh      nhKey // first, so that it starts on a cache line
	streams int
	poly64  poly64Key
	poly128 [maxStreams]poly128Key
	l3      [maxStreams]l3Key
}

// set derives the keys for the given number of streams (RFC 4418, section 5.1).
func (u *uhashKey) set(kdf *kdf, streams int) {
	u.streams = streams
	var buf [ChunkSize + (maxStreams-1)*16]byte
	u.nh.set(kdf.derive(buf[:ChunkSize+(streams-1)*16], 1), streams)
	poly := kdf.derive(buf[:24*streams], 2)
	for s := range streams {
		u.poly64.set(s, poly[24*s:])
		u.poly128[s].set(poly[24*s+8:])
	}
	k1 := kdf.derive(buf[:64*streams], 3)
	for s := range streams {
		u.l3[s].setK1(k1[64*s:])
	}
	k2 := kdf.derive(buf[:4*streams], 4)
	for s := range streams {
		u.l3[s].k2 = binary.BigEndian.Uint32(k2[4*s:])
	}
	clear(buf[:])
}

// uhash is the output of UHASH: four bytes per stream, with stream 0 in the high half
// of hi. The bytes of unused streams are zero.
type uhash struct{ hi, lo uint64 }

// withStream returns a copy of h in which the four bytes of stream s are word.
func (h uhash) withStream(s int, word uint32) uhash {
	switch s { // these bytes of h must be zero
	case 0:
		h.hi |= uint64(word) << 32
	case 1:
		h.hi |= uint64(word)
	case 2:
		h.lo |= uint64(word) << 32
	case 3:
		h.lo |= uint64(word)
	}
	return h
}

func (u *uhashKey) hash(msg []byte) uhash {
	if len(msg) > ChunkSize {
		var st State
		st.update(u, msg)
		return st.sum(u)
	}
	var v [maxStreams]uint64
	nh(&v, &u.nh, msg, u.streams)
	h := uhash{hi: uint64(u.l3[0].short(v[0])) << 32}
	if u.streams == 1 {
		return h
	}
	h.hi |= uint64(u.l3[1].short(v[1]))
	if u.streams == 2 {
		return h
	}
	h.lo = uint64(u.l3[2].short(v[2])) << 32
	if u.streams == 3 {
		return h
	}
	h.lo |= uint64(u.l3[3].short(v[3]))
	return h
}

// State is the state of L2-HASH after a prefix of a message.
type State struct {
	n     uint64 // number of chunks processed
	short polyState
	y128  [maxStreams]word128 // POLY-128 over the values after the first poly64Chunks
	half  [maxStreams]uint64  // the high word of POLY-128's next word if n is odd
}

// polyState holds the last NH value and the result of POLY-64 over all earlier values.
// The assembly depends on the layout.
type polyState struct {
	y [maxStreams]uint64

	// last is separate because a kernel can process it together with the next chunk. If
	// it is the only value, it goes directly to L3-HASH, without POLY-64.
	last [maxStreams]uint64
}

// newPolyState is the state before the first NH value. POLY starts with y = 1: the
// first step computes y = 0·k + last = 1.
var newPolyState = polyState{last: [maxStreams]uint64{1, 1, 1, 1}}

func (st *polyState) push(p *poly64Key, values []uint64) {
	for s, v := range values {
		st.y[s] = p.step(s, st.y[s], st.last[s])
		st.last[s] = v
	}
}

func (st *polyState) sum(p *poly64Key, s int) uint64 {
	return reduce64(p.step(s, st.y[s], st.last[s]))
}

// poly64Chunks is the number of chunks that POLY-64 hashes before POLY-128 takes over.
// Their NH values are 2^17 bytes long per stream (RFC 4418, section 5.3.1).
const poly64Chunks = 1 << 14

// Begun reports whether a chunk has been processed.
func (st *State) Begun() bool { return st.n > 0 }

// Reset discards the message.
func (st *State) Reset() { st.n = 0 }

// Update processes more of the message, in whole chunks.
func (st *State) Update(k *Key, chunks []byte) { st.update(&k.uhash, chunks) }

// Sum stores the tag of the whole message in tag. The message consists of the chunks
// processed so far, followed by tail, which must be shorter than a chunk. Sum does not
// change st. If no chunks have been processed, use [Key.Sum] instead.
func (st *State) Sum(tag []byte, k *Key, pad *CachedPad, tail []byte) {
	whole := *st
	whole.update(&k.uhash, tail)
	putTag(tag, whole.sum(&k.uhash), pad.encrypted(k.aes))
}

// update processes more of the message, in whole chunks except at its end.
func (st *State) update(u *uhashKey, msg []byte) {
	if st.n == 0 {
		st.short = newPolyState
	}
	for len(msg) >= ChunkSize && st.n < poly64Chunks {
		n := int(min(uint64(len(msg)), (poly64Chunks-st.n)*ChunkSize, dispatch.MaxCall)) / ChunkSize
		nhPoly(&st.short, u, msg[:n*ChunkSize])
		st.n += uint64(n)
		msg = msg[n*ChunkSize:]
	}
	var values [maxStreams]uint64
	for ; len(msg) > 0; st.n++ {
		n := min(len(msg), ChunkSize)
		nh(&values, &u.nh, msg[:n], u.streams)
		if st.n < poly64Chunks {
			st.short.push(&u.poly64, values[:u.streams])
		} else {
			st.pushLong(u, values[:u.streams])
		}
		msg = msg[n:]
	}
}

// pushLong adds the NH values of a chunk after the first poly64Chunks.
func (st *State) pushLong(u *uhashKey, values []uint64) {
	for s, v := range values {
		p := &u.poly128[s]
		if st.n == poly64Chunks {
			st.y128[s] = p.step(word128{lo: 1}, word128{lo: st.short.sum(&u.poly64, s)})
		}
		if st.n%2 == 0 {
			st.half[s] = v
		} else {
			st.y128[s] = p.step(st.y128[s], word128{st.half[s], v})
		}
	}
}

// sum returns UHASH of the processed chunks. There must be at least one.
func (st *State) sum(u *uhashKey) uhash {
	var h uhash
	for s := range u.streams {
		switch {
		case st.n == 1:
			h = h.withStream(s, u.l3[s].short(st.short.last[s]))
		case st.n <= poly64Chunks:
			h = h.withStream(s, u.l3[s].short(st.short.sum(&u.poly64, s)))
		default:
			// POLY-128's input ends with the byte 0x80 and is padded with zeros.
			const end = 0x80 << 56
			m := word128{end, 0}
			if st.n%2 == 1 {
				m = word128{st.half[s], end}
			}
			h = h.withStream(s, u.l3[s].long(reduce128(u.poly128[s].step(st.y128[s], m))))
		}
	}
	return h
}
