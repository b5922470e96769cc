// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"encoding/binary"
	"unsafe"
)

// sivLanes is what packets of ChaCha20-Poly1305-SIV have besides. A word of all packets lies
// together.
type sivLanes struct {
	mac [8][MaxLanes]uint32 // the second halves of the blocks of the nonces
	tag [8][MaxLanes]uint32
}

// SetNonceSIV sets the nonce of packet i for ChaCha20-Poly1305-SIV.
func (l *Lanes) SetNonceSIV(i int, nonce *[NonceSizeSIV]byte) {
	if !useIFMA {
		l.avx2.setNonce(i, nonce[:])
		return
	}
	l.setLast(i, nonce)
}

// setLast sets counter and nonce of the initial state of packet i.
func (l *lanes) setLast(i int, x *[16]byte) {
	for j := range 4 {
		l.initial[12+j][i] = binary.LittleEndian.Uint32(x[4*j:])
	}
}

// SetTagSIV sets the tag that packet i came with, for OpenSIV.
func (l *Lanes) SetTagSIV(i int, tag *[TagSizeSIV]byte) {
	if !useIFMA {
		l.avx2.packets[i].tag = *tag
		return
	}
	for j := range l.siv.tag {
		l.siv.tag[j][i] = binary.LittleEndian.Uint32(tag[4*j:])
	}
}

// PutTagSIV sets tag to that of packet i. What is written 8 bytes at a time may be read like that
// at once.
func (l *Lanes) PutTagSIV(tag *[TagSizeSIV]byte, i int) {
	if !useIFMA {
		*tag = l.avx2.packets[i].tag
		return
	}
	for j := range 4 {
		low, high := l.siv.tag[2*j][i], l.siv.tag[2*j+1][i]
		binary.LittleEndian.PutUint64(tag[8*j:], uint64(low)|uint64(high)<<32)
	}
}

// SealSIV encrypts the first n packets and computes their tags.
func (l *Lanes) SealSIV(n int) {
	if !useIFMA {
		l.avx2.sealSIV(n)
		return
	}
	l.deriveSIV()
	for i := range n {
		l.setRow(i)
	}
	l.tagSIV(n)
	l.xorSIV(n)
}

// OpenSIV decrypts the first n packets, whose tags are set, and computes the tags that they
// should have.
func (l *Lanes) OpenSIV(n int) {
	if !useIFMA {
		l.avx2.openSIV(n)
		return
	}
	l.deriveSIV()
	l.xorSIV(n)
	l.tagSIV(n)
	for i := range n {
		clear(l.row(i)) // it has plaintext
	}
}

// deriveSIV makes the keys that depend on the nonces alone.
func (l *lanes) deriveSIV() {
	blockLanesAVX512IFMA(l)
	copy(l.polyKey[:], l.out[:8])
	copy(l.siv.mac[:], l.out[8:])
}

// row is where packet i has its text, with zeros to a whole block of Poly1305.
func (l *lanes) row(i int) []byte {
	padded := (l.length[i] + 15) &^ 15
	return l.rows[i][rowEnd-16-padded : rowEnd-16]
}

// setRow sets the row of packet i to its text.
func (l *lanes) setRow(i int) {
	row := l.row(i)
	copy(row, unsafe.Slice((*byte)(l.src[i]), l.length[i]))
	if rest := row[l.length[i]:]; len(rest) > 0 { // mostly there is none to call clear for
		clear(rest)
	}
}

// tagSIV computes the tags of what is in the rows.
func (l *lanes) tagSIV(n int) {
	l.authenticate(n)
	copy(l.initial[4:], l.siv.mac[:])
	for i := range n {
		l.setLast(i, l.tag(i))
	}
	blockLanesAVX512IFMA(l)
	copy(l.siv.tag[:], l.out[:8])
}

// xorSIV encrypts or decrypts the texts under the keys that follow from the tags, and puts what
// comes out into the rows.
func (l *lanes) xorSIV(n int) {
	copy(l.initial[4:], l.siv.mac[:])
	copy(l.initial[12:], l.siv.tag[:4])
	blockLanesAVX512IFMA(l)
	copy(l.initial[4:], l.out[8:])
	l.initial[12] = all(1<<32 - 1) // the text begins with the next block
	copy(l.initial[13:], l.siv.tag[4:7])
	l.xor(n, 1, 0)
}
