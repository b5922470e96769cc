// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import "encoding/binary"

const (
	ChunkSize = 1024 // number of message bytes per NH value (RFC 4418, section 5.2)
	groupSize = 32   // number of message bytes that NH multiplies with each other; chunks are padded to a multiple

	// maxStreams is the number of hash streams for a 16-byte tag. The RFC calls streams
	// "iterations".
	maxStreams = 4
)

// nhKey is the NH key of up to four streams, in the order in which the kernels read it.
// Entry [j][g] contains the 16 bytes of the key at offset 32·g + 16·j, as four
// native-endian words. For the g-th 32 bytes of a chunk, stream s combines the first
// half with entry [s][g] and the second half with entry [s+1][g]. One aligned vector
// load fetches adjacent entries of a row. The assembly depends on the layout.
type nhKey [maxStreams + 1][ChunkSize / groupSize][4]uint32

// set loads the NH keys for the given number of streams from key, a sequence of
// big-endian words (RFC 4418, section 5.2.2).
func (k *nhKey) set(key []byte, streams int) {
	for j := range streams + 1 {
		row, rest := &k[j], key[16*j:]
		for g := range row {
			piece := (*[16]byte)(rest[32*g:])
			first, second := binary.BigEndian.Uint64(piece[:8]), binary.BigEndian.Uint64(piece[8:])
			row[g] = [4]uint32{uint32(first >> 32), uint32(first), uint32(second >> 32), uint32(second)}
		}
	}
}

// nhGeneric sets values[s] to the NH value of chunk for each stream s (RFC 4418,
// sections 5.2.1 and 5.2.2). chunk must be at most 1024 bytes long.
func nhGeneric(values *[maxStreams]uint64, key *nhKey, chunk []byte, streams int) {
	sum := values[:streams]
	for s := range sum {
		sum[s] = 8 * uint64(len(chunk)) // the NH value includes the length in bits
	}
	g := 0
	for ; len(chunk) >= groupSize; g++ {
		nhGroup(sum, key, g, chunk[:groupSize])
		chunk = chunk[groupSize:]
	}
	// Pad the rest with zeros to 32 bytes. An empty chunk is also padded to 32 bytes.
	if len(chunk) > 0 || g == 0 {
		var padded [groupSize]byte
		copy(padded[:], chunk)
		nhGroup(sum, key, g, padded[:])
	}
}

// nhPolyGeneric adds the NH values of whole chunks to POLY-64, in plain Go.
func nhPolyGeneric(st *polyState, u *uhashKey, chunks []byte) {
	var values [maxStreams]uint64
	for ; len(chunks) > 0; chunks = chunks[ChunkSize:] {
		nhGeneric(&values, &u.nh, chunks[:ChunkSize], u.streams)
		st.push(&u.poly64, values[:u.streams])
	}
}

// nhGroup adds the NH products of m to the sum of each stream. m contains the g-th 32
// bytes of a chunk.
func nhGroup(sum []uint64, key *nhKey, g int, m []byte) {
	_ = m[groupSize-1]
	m0, m1 := binary.LittleEndian.Uint32(m[0:]), binary.LittleEndian.Uint32(m[4:])
	m2, m3 := binary.LittleEndian.Uint32(m[8:]), binary.LittleEndian.Uint32(m[12:])
	m4, m5 := binary.LittleEndian.Uint32(m[16:]), binary.LittleEndian.Uint32(m[20:])
	m6, m7 := binary.LittleEndian.Uint32(m[24:]), binary.LittleEndian.Uint32(m[28:])
	for s := range sum {
		a, b := &key[s][g], &key[s+1][g]
		sum[s] += uint64(m0+a[0])*uint64(m4+b[0]) +
			uint64(m1+a[1])*uint64(m5+b[1]) +
			uint64(m2+a[2])*uint64(m6+b[2]) +
			uint64(m3+a[3])*uint64(m7+b[3])
	}
}
