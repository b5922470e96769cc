// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"encoding/binary"
	"slices"
	"sync"
	"unsafe"

	"github.com/unimac/unimac/internal/dispatch"
)

const (
	// rowEnd is the offset at which the data in a row ends: padded text and its lengths.
	rowEnd   = 2048 + 16 // 2048 aligns texts of whole ChaCha20 blocks with cache lines
	rowBytes = 2048 + 64 // kernels may write beyond rowEnd
)

// lanes processes a group with the AVX-512 IFMA kernels, one packet per lane. The
// assembly generators use the field offsets.
type lanes struct {
	initial [16][maxLanes]uint32 // ChaCha20 states; each row contains one word of all packets
	polyKey [8][maxLanes]uint32  // first words of block 0
	dst     [maxLanes]unsafe.Pointer
	src     [maxLanes]unsafe.Pointer
	length  [maxLanes]int
	rowAt   [maxLanes]uintptr // distance from here to the text in its row
	start   [maxLanes]uint64  // first step of each packet, in the order of Poly1305's lanes
	tags    [maxLanes][TagSize]byte
	table   [2][9][8]uint64

	// rows contain each packet's data to authenticate: additional data, ciphertext and
	// lengths.
	rows [maxLanes][rowBytes]byte

	// out contains keystream blocks. Each row contains one word of all packets.
	out [16][maxLanes]uint32

	kind   Kind
	key    [8][maxLanes]uint32 // the key passed to newGroup
	ad     [maxLanes]int       // lengths of additional data in bytes
	blocks [maxLanes]int       // numbers of blocks to authenticate

	// sivMAC contains the second halves of the nonces' blocks, and sivTag the tags.
	sivMAC, sivTag [8][maxLanes]uint32
}

var lanesPool = sync.Pool{New: func() any { return new(lanes) }}

func (l *lanes) begin(kind Kind, key *[KeySize]byte) {
	l.kind = kind
	for i, word := range [4]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574} { // "expand 32-byte k"
		l.initial[i] = all(word)
	}
	for i := range l.key {
		l.key[i] = all(binary.LittleEndian.Uint32(key[4*i:]))
	}
}

// end wipes everything except the rows, which contain only public data.
func (l *lanes) end() {
	clear(l.initial[:])
	clear(l.key[:])
	clear(l.out[:])
	clear(l.tags[:])
	if l.kind == SIV {
		clear(l.sivMAC[:])
		clear(l.sivTag[:])
	}
	clear(l.dst[:])
	clear(l.src[:])
	lanesPool.Put(l)
}

func all(word uint32) (lanes [maxLanes]uint32) {
	for i := range lanes {
		lanes[i] = word
	}
	return lanes
}

func (l *lanes) set(i int, g *groupPacket) {
	size, ad, nonce := len(g.src), g.AdditionalData, g.nonce
	l.dst[i], l.src[i] = unsafe.Pointer(unsafe.SliceData(g.dst)), unsafe.Pointer(unsafe.SliceData(g.src))
	l.length[i], l.ad[i] = size, len(ad)
	padded := (size + 15) &^ 15
	at := rowEnd - 16 - padded
	l.rowAt[i] = unsafe.Offsetof(l.rows) + uintptr(i*rowBytes+at)
	l.blocks[i] = padded/16 + 1
	if len(ad) > 0 {
		block := (*[maxLaneAD]byte)(l.rows[i][at-maxLaneAD:])
		*block = [maxLaneAD]byte{}
		copy(block[:], ad)
		l.blocks[i]++
	}
	if word := binary.LittleEndian; l.kind == ChaCha20 { // counter is already 0
		words := (*[NonceSize]byte)(nonce)
		l.initial[13][i], l.initial[14][i], l.initial[15][i] = word.Uint32(words[:]), word.Uint32(words[4:]), word.Uint32(words[8:])
	} else {
		l.setLast(i, (*[16]byte)(nonce)) // run sets the rest of XChaCha20's nonce
	}
}

// setLast sets counter and nonce in the initial state of packet i.
func (l *lanes) setLast(i int, x *[16]byte) {
	for j := range 4 {
		l.initial[12+j][i] = binary.LittleEndian.Uint32(x[4*j:])
	}
}

func (l *lanes) run(packets []groupPacket, opening bool) {
	n, open := len(packets), 0
	for i := range packets {
		l.set(i, &packets[i])
	}
	if opening {
		open = 1
	}
	copy(l.initial[4:], l.key[:]) // earlier packets may have had derived keys
	switch l.kind {
	case SIV:
		l.runSIV(packets, opening)
		return
	case XChaCha20:
		hChaCha20LanesAVX512IFMA(l)
		l.initial[12], l.initial[13] = all(0), all(0)
		for i := range packets {
			l.initial[14][i] = binary.LittleEndian.Uint32(packets[i].nonce[16:])
			l.initial[15][i] = binary.LittleEndian.Uint32(packets[i].nonce[20:])
		}
	}
	// The kernel computes blocks in pairs, starting with block 0, which contains the
	// Poly1305 key. If the number of blocks is odd, it is faster to compute block 0 in
	// a separate call.
	blocks, first := l.textBlocks(n), 0
	if blocks%2 == 0 {
		blockLanesAVX512IFMA(l)
		copy(l.polyKey[:], l.out[:8])
		first = 1
	}
	dispatch.CheckCall(maxLanes * 64 * (1 + blocks))
	if blocks > 0 {
		xorLanesAVX512IFMA(l, first, 1+blocks, open)
	}
	l.authenticate(n)
	for i := range packets {
		*(*[TagSize]byte)(packets[i].tag) = *l.tag(i)
	}
}

// textBlocks returns the number of blocks in the longest of the first n texts.
func (l *lanes) textBlocks(n int) int {
	clear(l.length[n:]) // unused lanes
	return (slices.Max(l.length[:]) + 63) / 64
}

func (l *lanes) authenticate(n int) {
	clear(l.blocks[n:])
	steps := slices.Max(l.blocks[:])
	for i, blocks := range &l.blocks {
		lengths := l.rows[i][rowEnd-16 : rowEnd]
		binary.LittleEndian.PutUint64(lengths[:8], uint64(l.ad[i]))
		binary.LittleEndian.PutUint64(lengths[8:], uint64(l.length[i]))
		if blocks < steps {
			clear(l.rows[i][rowEnd-16*steps : rowEnd-16*blocks])
		}
		l.start[i>>1&1*8+i>>2*2+i&1] = uint64(steps - blocks)
	}
	dispatch.CheckCall(maxLanes * 16 * steps)
	tagLanesAVX512IFMA(l, &l.rows[0][rowEnd-16*steps], steps)
}

func (l *lanes) tag(i int) *[TagSize]byte { return &l.tags[i>>1&1*8+i&1*4+i>>2] }

func (l *lanes) runSIV(packets []groupPacket, opening bool) {
	n := len(packets)
	blockLanesAVX512IFMA(l) // keys that depend on the nonce only
	copy(l.polyKey[:], l.out[:8])
	copy(l.sivMAC[:], l.out[8:])
	if opening {
		for i := range packets {
			for k := range l.sivTag {
				l.sivTag[k][i] = binary.LittleEndian.Uint32(packets[i].received[4*k:])
			}
		}
		l.xorSIV(n)
		l.tagSIV(n)
		for i := range n {
			clear(l.row(i)) // contains plaintext
		}
	} else {
		for i := range packets {
			row := l.row(i)
			if rest := row[copy(row, packets[i].src):]; len(rest) > 0 { // usually empty, and clear costs a call
				clear(rest)
			}
		}
		l.tagSIV(n)
		l.xorSIV(n)
	}
	for i := range packets {
		for k := range 4 { // 8 bytes at a time, as they are read
			low, high := l.sivTag[2*k][i], l.sivTag[2*k+1][i]
			binary.LittleEndian.PutUint64(packets[i].tag[8*k:], uint64(low)|uint64(high)<<32)
		}
	}
}

// row returns the part of rows[i] for the text of packet i, padded to a multiple of 16
// bytes.
func (l *lanes) row(i int) []byte {
	padded := (l.length[i] + 15) &^ 15
	return l.rows[i][rowEnd-16-padded : rowEnd-16]
}

func (l *lanes) tagSIV(n int) {
	l.authenticate(n)
	copy(l.initial[4:], l.sivMAC[:])
	for i := range n {
		l.setLast(i, l.tag(i))
	}
	blockLanesAVX512IFMA(l)
	copy(l.sivTag[:], l.out[:8])
}

// xorSIV encrypts or decrypts the text of each of the first n packets with a text key
// derived from the packet's tag. It writes the result to the packet's dst and to
// l.rows.
func (l *lanes) xorSIV(n int) {
	copy(l.initial[4:], l.sivMAC[:])
	copy(l.initial[12:], l.sivTag[:4])
	blockLanesAVX512IFMA(l)
	copy(l.initial[4:], l.out[8:])
	l.initial[12] = all(1<<32 - 1) // the text begins with the next block
	copy(l.initial[13:], l.sivTag[4:7])
	if blocks := l.textBlocks(n); blocks > 0 {
		dispatch.CheckCall(maxLanes * 64 * (1 + blocks))
		xorLanesAVX512IFMA(l, 1, 1+blocks, 0)
	}
}
