// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import "encoding/binary"

// UHASH (RFC 4418, section 5) compresses a message in three layers. L1 turns
// each chunk of 1024 bytes into an NH value of eight bytes. L2 hashes the NH
// values, if there is more than one, to 16 bytes: by a polynomial over
// prime64 for the first 2^14 values (16 MiB of message), then over prime128.
// L3 hashes the 16 bytes to four. A tag of 4n bytes runs n such streams, each
// with its own part of the key.

// uhashKey is the key of UHASH for up to four streams.
type uhashKey struct {
	streams int
	nh      nhKey
	poly    [maxStreams]polyKey
	l3      [maxStreams][8]uint64 // L3-HASH's K1, reduced modulo prime36
	mask    [maxStreams]uint32    // L3-HASH's K2
}

// uhash is the result of UHASH, four bytes of each stream.
type uhash [maxStreams]uint32

// set derives the key of a number of streams (RFC 4418, section 5.1).
func (u *uhashKey) set(kdf *kdf, streams int) {
	u.streams = streams
	var buf [chunkSize + (maxStreams-1)*16]byte
	u.nh.set(kdf.derive(buf[:chunkSize+(streams-1)*16], 1))
	poly := kdf.derive(buf[:24*streams], 2)
	for s := range streams {
		u.poly[s].set(poly[24*s:])
	}
	l3 := kdf.derive(buf[:64*streams], 3)
	for s := range streams {
		for i := range u.l3[s] {
			u.l3[s][i] = binary.BigEndian.Uint64(l3[64*s+8*i:]) % prime36
		}
	}
	mask := kdf.derive(buf[:4*streams], 4)
	for s := range streams {
		u.mask[s] = binary.BigEndian.Uint32(mask[4*s:])
	}
	clear(buf[:])
}

const prime36 = 1<<36 - 5

// l3Short is L3-HASH of an L2 value that is left-padded with eight zero bytes,
// the result of POLY-64 or the NH value of a message of one chunk.
func (u *uhashKey) l3Short(s int, v uint64) uint32 {
	k := &u.l3[s]
	return reduce36(v>>48*k[4]+v>>32&0xffff*k[5]+v>>16&0xffff*k[6]+v&0xffff*k[7]) ^ u.mask[s]
}

// l3Long is L3-HASH of any 16-byte L2 value.
func (u *uhashKey) l3Long(s int, v [2]uint64) uint32 {
	k, hi, lo := &u.l3[s], v[0], v[1]
	return reduce36(hi>>48*k[0]+hi>>32&0xffff*k[1]+hi>>16&0xffff*k[2]+hi&0xffff*k[3]+
		lo>>48*k[4]+lo>>32&0xffff*k[5]+lo>>16&0xffff*k[6]+lo&0xffff*k[7]) ^ u.mask[s]
}

// reduce36 returns x modulo prime36, cut to 32 bits, for x below 2^55: eight
// products of 16 by 36 bits.
func reduce36(x uint64) uint32 {
	x = x&(1<<36-1) + x>>36*5 // below 2^36 + 5·2^19 < 2·prime36
	y := x - prime36
	return uint32(y + prime36&-(y>>63))
}

// hash is UHASH of a whole message.
func (u *uhashKey) hash(msg []byte) (h uhash) {
	if len(msg) > chunkSize {
		var st l2State
		st.update(u, msg)
		return st.sum(u)
	}
	var values [maxStreams]uint64
	nh(values[:], &u.nh, msg, u.streams)
	for s := range u.streams {
		h[s] = u.l3Short(s, values[s])
	}
	return h
}

// l2State is L2-HASH over a growing sequence of chunks. It keeps the first NH
// value of each stream, which is the result if no other follows.
type l2State struct {
	n     uint64                // chunks taken
	first [maxStreams]uint64    // their first NH value
	y64   [maxStreams]uint64    // POLY-64 so far
	y128  [maxStreams][2]uint64 // POLY-128 so far, high word first
	half  [maxStreams]uint64    // the high word of POLY-128's next word, where n is odd
}

// poly64Chunks is how many NH values POLY-64 takes: 2^17 bytes of them.
const poly64Chunks = 1 << 14

// update takes more of the message. If its length is no multiple of chunkSize,
// the message ends with it.
func (st *l2State) update(u *uhashKey, msg []byte) {
	var values [nhBatch / chunkSize * maxStreams]uint64
	for len(msg) > 0 {
		batch := msg[:min(len(msg), nhBatch)]
		chunks := (len(batch) + chunkSize - 1) / chunkSize
		nh(values[:], &u.nh, batch, u.streams)
		st.take(u, values[:chunks*u.streams])
		msg = msg[len(batch):]
	}
}

// take adds NH values, one of each stream for each chunk.
func (st *l2State) take(u *uhashKey, values []uint64) {
	if st.n == 0 {
		copy(st.first[:], values[:u.streams])
		st.y64 = [maxStreams]uint64{1, 1, 1, 1}
	}
	for len(values) > 0 && st.n < poly64Chunks {
		n := min(len(values)/u.streams, int(poly64Chunks-st.n))
		for s := range u.streams {
			st.y64[s] = u.poly[s].poly64(st.y64[s], values[s:n*u.streams], u.streams)
		}
		st.n += uint64(n)
		values = values[n*u.streams:]
	}
	for ; len(values) > 0; values = values[u.streams:] {
		st.takeLong(u, values[:u.streams])
	}
}

// takeLong adds the NH values of one chunk behind the first poly64Chunks.
func (st *l2State) takeLong(u *uhashKey, values []uint64) {
	if st.n == poly64Chunks {
		for s := range values {
			st.y128[s] = u.poly[s].poly128([2]uint64{0, 1}, 0, reduce64(st.y64[s]))
		}
	}
	if st.n%2 == 0 {
		copy(st.half[:], values)
	} else {
		for s, v := range values {
			st.y128[s] = u.poly[s].poly128(st.y128[s], st.half[s], v)
		}
	}
	st.n++
}

// sum is UHASH of what was taken, at least one chunk.
func (st *l2State) sum(u *uhashKey) (h uhash) {
	for s := range u.streams {
		switch {
		case st.n == 1:
			h[s] = u.l3Short(s, st.first[s])
		case st.n <= poly64Chunks:
			h[s] = u.l3Short(s, reduce64(st.y64[s]))
		default:
			// A byte 0x80 ends POLY-128's string; zeros fill the last word.
			const end = 0x80 << 56
			hi, lo := uint64(end), uint64(0)
			if st.n%2 == 1 {
				hi, lo = st.half[s], end
			}
			h[s] = u.l3Long(s, reduce128(u.poly[s].poly128(st.y128[s], hi, lo)))
		}
	}
	return h
}
