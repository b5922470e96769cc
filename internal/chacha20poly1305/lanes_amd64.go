// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"encoding/binary"
	"math"
	"sync"
	"unsafe"
)

// LaneLimits returns from how many packets on Lanes may be faster, and how much text each may have.
// They depend on the AEAD, which the size of its nonces tells. With AVX2, where Poly1305 comes after
// ChaCha20, calls of cryptAVX2 are faster for texts that are longer.
func LaneLimits(nonce int) (packets, text int) {
	switch {
	case useIFMA:
		return 7, MaxLaneText
	case !useAVX2:
		return math.MaxInt, 0
	case nonce == NonceSize:
		return 8, 64
	case nonce == NonceSizeSIV:
		return 4, maxTextAVX2
	}
	return 6, 192
}

// LanesPay reports whether n packets are faster in lanes than one after the other: the longest has so
// many blocks of text, and all together so many.
//
// On AMD Zen 5, a packet by itself takes about 114 ns and 7 ns a block. Lanes of AVX-512 take the same
// time for any number, 450 ns and 140 ns a block, and to sort and to clear another 225. ChaCha20-
// Poly1305-SIV has three blocks more, each of which waits for the one before. On Emerald Rapids, 7
// packets without text took 1.3 times as long as in a loop, and 8 as long.
//
// With AVX2, lanes take the time of whole eights of blocks. On Emerald Rapids, packets of 64 bytes in a
// loop took 0.95 of the time of 7 in lanes, 1.1 of 8 and 1.3 of 128. XChaCha20's 6 took 1.1 times
// as long and 128 1.4, with 192 bytes 12 took 1.07; SIV's 3 took 0.96 to 1.1, 4 of 256 bytes 1.16.
func LanesPay(nonce, n, longest, blocks int) bool {
	switch siv := nonce == NonceSizeSIV; {
	case useIFMA && siv:
		return 43*n+blocks >= 140+20*longest
	case useIFMA:
		return 16*n+blocks >= 96+20*longest && (n > 7 || longest > 0)
	case siv:
		return n >= 4
	case nonce == NonceSize:
		return n >= 8
	}
	return n >= 6+longest
}

const (
	// rowEnd is where the rows end, except for what may be written past the end. Before the 16 bytes
	// of the lengths is a multiple of 64, so that texts of whole blocks of ChaCha20 cross no cache lines.
	rowEnd   = 2048 + 16
	rowBytes = 2048 + 64
)

// Lanes works on up to MaxLanes packets at once, by the kernels that are on.
type Lanes struct {
	lanes // AVX-512 IFMA
	avx2  lanesAVX2
}

// lanes is what the kernels work on. The generators know the offsets.
type lanes struct {
	initial [16][MaxLanes]uint32 // the states of ChaCha20, each word of all packets
	polyKey [8][MaxLanes]uint32  // the words that blocks 0 begin with
	dst     [MaxLanes]unsafe.Pointer
	src     [MaxLanes]unsafe.Pointer
	length  [MaxLanes]int
	rowAt   [MaxLanes]uintptr // of the text in its row, from here on
	start   [MaxLanes]uint64  // the first step that each takes part in, in the order of Poly1305's lanes
	tags    [MaxLanes][TagSize]byte
	table   [2][9][8]uint64

	// rows have what is authenticated: additional data, ciphertext and lengths.
	rows [MaxLanes][rowBytes]byte

	// out are blocks of key stream, each word of all packets.
	out [16][MaxLanes]uint32

	key    [8][MaxLanes]uint32 // that was set
	ad     [MaxLanes]int       // bytes of additional data
	blocks [MaxLanes]int       // of what is authenticated
	last   [2][MaxLanes]uint32 // the ends of the nonces of XChaCha20
	siv    sivLanes
}

var lanesPool = sync.Pool{New: func() any { return new(Lanes) }}

// NewLanes returns lanes that must be given back by Free.
func NewLanes() *Lanes { return lanesPool.Get().(*Lanes) }

// Free leaves nothing secret behind, and no pointers.
func (l *Lanes) Free() {
	l.avx2.free()
	clear(l.initial[:])
	clear(l.key[:])
	clear(l.out[:])
	l.siv = sivLanes{}
	clear(l.dst[:])
	clear(l.src[:])
	lanesPool.Put(l)
}

// SetKey sets the key of all packets.
func (l *Lanes) SetKey(key *[KeySize]byte) {
	if !useIFMA {
		l.avx2.setKey(key)
		return
	}
	for i, word := range [4]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574} { // "expand 32-byte k"
		l.initial[i] = all(word)
	}
	for i := range l.key {
		l.key[i] = all(binary.LittleEndian.Uint32(key[4*i:]))
	}
	l.RestoreKey()
}

// RestoreKey sets the key again that was set, after packets that had keys of their own.
func (l *Lanes) RestoreKey() {
	if !useIFMA {
		return
	}
	copy(l.initial[4:], l.key[:])
}

// all returns a word in all lanes.
func all(word uint32) (lanes [MaxLanes]uint32) {
	for i := range lanes {
		lanes[i] = word
	}
	return lanes
}

// SetText sets the text of packet i: dst has the length of src, at most MaxLaneText, and they
// are the same memory or apart. There are at most MaxLaneAD bytes of additional data.
func (l *Lanes) SetText(i int, dst, src, ad []byte) {
	if !useIFMA {
		l.avx2.setText(i, dst, src, ad)
		return
	}
	l.dst[i], l.src[i] = unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	l.length[i], l.ad[i] = len(src), len(ad)
	padded := (len(src) + 15) &^ 15
	at := rowEnd - 16 - padded
	l.rowAt[i] = unsafe.Offsetof(l.rows) + uintptr(i*rowBytes+at)
	l.blocks[i] = padded/16 + 1
	if len(ad) > 0 {
		block := (*[MaxLaneAD]byte)(l.rows[i][at-MaxLaneAD:])
		*block = [MaxLaneAD]byte{}
		copy(block[:], ad)
		l.blocks[i]++
	}
}

// SetNonce sets the nonce of packet i.
func (l *Lanes) SetNonce(i int, nonce *[NonceSize]byte) {
	if !useIFMA {
		l.avx2.setNonce(i, nonce[:])
		return
	}
	l.initial[12][i] = 0
	for j := range 3 {
		l.initial[13+j][i] = binary.LittleEndian.Uint32(nonce[4*j:])
	}
}

// SetNonceX sets the nonce of packet i for XChaCha20. Derive must follow when all are set.
func (l *Lanes) SetNonceX(i int, nonce *[24]byte) {
	if !useIFMA {
		l.avx2.setNonce(i, nonce[:16])
		copy(l.avx2.packets[i].last[:], nonce[16:])
		return
	}
	for j := range 4 {
		l.initial[12+j][i] = binary.LittleEndian.Uint32(nonce[4*j:])
	}
	for j := range l.last {
		l.last[j][i] = binary.LittleEndian.Uint32(nonce[16+4*j:])
	}
}

// Derive makes the keys of XChaCha20 of the first n packets, each its own, of the one that was set.
func (l *Lanes) Derive(n int) {
	if !useIFMA {
		l.avx2.derive(n)
		return
	}
	hChaCha20LanesAVX512IFMA(&l.lanes)
	l.initial[12], l.initial[13] = all(0), all(0)
	l.initial[14], l.initial[15] = l.last[0], l.last[1]
}

// Seal encrypts the first n packets and computes their tags.
func (l *Lanes) Seal(n int) {
	if !useIFMA {
		l.avx2.crypt(n, false)
		return
	}
	l.crypt(n, 0)
}

// Open decrypts the first n packets and computes the tags that they should have.
func (l *Lanes) Open(n int) {
	if !useIFMA {
		l.avx2.crypt(n, true)
		return
	}
	l.crypt(n, 1)
}

func (l *lanes) crypt(n, open int) {
	l.xor(n, 0, open)
	l.authenticate(n)
}

// xor encrypts the first n packets. If first is 0 and not 1, it makes the keys of Poly1305, too.
func (l *lanes) xor(n, first, open int) {
	clear(l.length[n:])
	longest := 0
	for i := range n {
		longest = max(longest, l.length[i])
	}
	xorLanesAVX512IFMA(l, first, 1+(longest+63)/64, open)
}

// authenticate computes the tags of the first n rows.
func (l *lanes) authenticate(n int) {
	steps := 0
	for i := range n {
		steps = max(steps, l.blocks[i])
	}
	for i := range MaxLanes {
		blocks := 0
		if i < n {
			// The block of a text that is not whole reaches further than the text.
			lengths := l.rows[i][rowEnd-16 : rowEnd]
			binary.LittleEndian.PutUint64(lengths[:8], uint64(l.ad[i]))
			binary.LittleEndian.PutUint64(lengths[8:], uint64(l.length[i]))
			blocks = l.blocks[i]
		}
		if blocks < steps {
			clear(l.rows[i][rowEnd-16*steps : rowEnd-16*blocks])
		}
		l.start[i>>1&1*8+i>>2*2+i&1] = uint64(steps - blocks)
	}
	tagLanesAVX512IFMA(l, &l.rows[0][rowEnd-16*steps], steps)
}

// Tag is the tag of packet i.
func (l *Lanes) Tag(i int) *[TagSize]byte {
	if !useIFMA {
		return (*[TagSize]byte)(l.avx2.packets[i].tag[:])
	}
	return l.tag(i)
}

func (l *lanes) tag(i int) *[TagSize]byte { return &l.tags[i>>1&1*8+i&1*4+i>>2] }
