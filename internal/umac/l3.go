// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import "encoding/binary"

const prime36 = 1<<36 - 5

// l3Key is the L3-HASH key (RFC 4418, section 5.4) of one stream.
type l3Key struct {
	k1 [8]uint64 // reduced modulo prime36
	k2 uint32
}

func (k *l3Key) setK1(key []byte) {
	for i := range k.k1 {
		k.k1[i] = reduce36(binary.BigEndian.Uint64(key[8*i:]))
	}
}

// l3Lanes holds the part of each L3 key that is needed to hash eight-byte values. The
// assembly depends on this layout.
type l3Lanes struct {
	k1 [4][maxStreams]uint64 // the last four factors
	k2 [4 * maxStreams]byte  // big-endian, as in the tag
}

func (l *l3Lanes) set(keys *[maxStreams]l3Key) {
	for s, k := range keys {
		for i := range l.k1 {
			l.k1[i][s] = k.k1[4+i]
		}
		binary.BigEndian.PutUint32(l.k2[4*s:], k.k2)
	}
}

// short pads v on the left with eight zero bytes and returns its L3-HASH. v must be the
// result of POLY-64, or the NH value of a one-chunk message.
func (k *l3Key) short(v uint64) uint32 {
	return uint32(reduce36(inner(k.k1[4:], v))) ^ k.k2
}

func (k *l3Key) long(v word128) uint32 {
	return uint32(reduce36(inner(k.k1[:4], v.hi)+inner(k.k1[4:], v.lo))) ^ k.k2
}

// inner returns the inner product of k and the four 16-bit words of v.
func inner(k []uint64, v uint64) uint64 {
	// Words of k are below 2^36, so the sum of two inner products is below 2^55.
	_ = k[3]
	return v>>48*k[0] + v>>32&0xffff*k[1] + v>>16&0xffff*k[2] + v&0xffff*k[3]
}

// reduce36 returns x modulo prime36. It avoids division, because the time of a division
// may depend on x.
func reduce36(x uint64) uint64 {
	x = x&(1<<36-1) + x>>36*5 // below 2^36 + 5·2^28, which is below 2·prime36
	y := x - prime36
	return y + prime36&-(y>>63)
}
