// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"crypto/subtle"
	"encoding/binary"
	"sync"

	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/poly1305"
)

// A block is a ChaCha20 block: an initial state or its keystream.
type block = [chacha20.BlockSize]byte

// lanesAVX2 processes groups with AVX2. The ChaCha20 kernel computes 8 blocks at a
// time. They may come from different packets, so no lane waits while a longer packet
// finishes. Poly1305 processes one packet at a time.
type lanesAVX2 struct {
	kind    Kind
	initial block // key, with zeros for counter and nonce
	packets [maxLanes]packetAVX2
	used    int // largest number of packets so far

	// stream holds keystream blocks. It is all zeros when not in use. Its length is a
	// multiple of 8 blocks because the kernel computes 8 blocks at a time.
	stream [maxLanes * (1 + maxTextAVX2/chacha20.BlockSize)]block
}

type packetAVX2 struct {
	*groupPacket
	initial block
	sub     block // keys of ChaCha20-Poly1305-SIV
}

var lanesAVX2Pool = sync.Pool{New: func() any { return new(lanesAVX2) }}

func (l *lanesAVX2) begin(kind Kind, key *[KeySize]byte) {
	l.kind = kind
	copy(l.initial[:], "expand 32-byte k")
	copy(l.initial[16:], key[:])
}

func (l *lanesAVX2) end() {
	clear(l.packets[:l.used])
	l.initial, l.used, l.kind = block{}, 0, 0
	lanesAVX2Pool.Put(l)
}

func (l *lanesAVX2) run(packets []groupPacket, opening bool) {
	n := len(packets)
	l.used = max(l.used, n)
	for i := range packets {
		p, nonce := &l.packets[i], packets[i].nonce
		nonce = nonce[:min(len(nonce), 16)] // derive sets the rest of XChaCha20's nonce
		p.groupPacket, p.initial = &packets[i], l.initial
		copy(p.initial[len(p.initial)-len(nonce):], nonce)
	}
	switch {
	case l.kind == SIV && opening:
		l.openSIV(n)
	case l.kind == SIV:
		l.sealSIV(n)
	default:
		if l.kind == XChaCha20 {
			l.derive(n)
		}
		l.crypt(n, opening)
	}
}

func (l *lanesAVX2) blocks(n int) []block {
	for i := range n {
		l.stream[i] = l.packets[i].initial
	}
	return l.makeStream(n)
}

// makeStream replaces n initial states in stream by their keystream blocks.
func (l *lanesAVX2) makeStream(n int) []block {
	if n > 0 {
		chacha20.BlocksAVX2(&l.stream[0], (n+7)&^7)
	}
	return l.stream[:n]
}

// derive computes the subkeys of XChaCha20 and sets the nonces.
func (l *lanesAVX2) derive(n int) {
	blocks := l.blocks(n)
	for i := range blocks {
		p, word := &l.packets[i], binary.LittleEndian
		for j, at := range [8]int{0, 4, 8, 12, 48, 52, 56, 60} {
			// HChaCha20 does not add the initial state.
			word.PutUint32(p.initial[16+4*j:], word.Uint32(blocks[i][at:])-word.Uint32(p.initial[at:]))
		}
		clear(p.initial[48:56])
		copy(p.initial[56:], p.groupPacket.nonce[16:])
	}
	clear(blocks)
}

// textStream computes keystream for packets 0 to n-1. A packet's keystream starts with
// block 0, and its text starts at block textStart.
func (l *lanesAVX2) textStream(n, textStart int) []block {
	end := 0
	for i := range n {
		p := &l.packets[i]
		for counter := range textStart + p.blocks {
			l.stream[end] = p.initial
			binary.LittleEndian.PutUint32(l.stream[end][48:], uint32(counter))
			end++
		}
	}
	return l.makeStream(end)
}

// xor encrypts a packet with its keystream and returns the rest of stream.
func (p *packetAVX2) xor(stream []block) []block {
	for i := range p.blocks {
		at := i * chacha20.BlockSize
		subtle.XORBytes(p.dst[at:], p.src[at:], stream[i][:])
	}
	return stream[p.blocks:]
}

func (p *packetAVX2) key() *[KeySize]byte     { return (*[KeySize]byte)(p.initial[16:]) }
func (p *packetAVX2) nonce() *[NonceSize]byte { return (*[NonceSize]byte)(p.initial[52:]) }

func (l *lanesAVX2) crypt(n int, open bool) {
	blocks := l.textStream(n, 1)
	stream := blocks
	for i := range n {
		p := &l.packets[i]
		key, tag := (*[KeySize]byte)(stream[0][:]), (*[TagSize]byte)(p.tag)
		stream = stream[1:]
		if p.blocks == 0 {
			cryptKeyed(open, tag, p.dst, p.src, p.AdditionalData, key, p.key(), p.nonce())
			continue
		}
		if open {
			poly1305.SumAEAD(tag, p.AdditionalData, p.src, key)
		}
		stream = p.xor(stream)
		if !open {
			poly1305.SumAEAD(tag, p.AdditionalData, p.dst, key)
		}
	}
	clear(blocks)
}

func (l *lanesAVX2) sealSIV(n int) {
	l.deriveSIV(n)
	for i := range n {
		p := &l.packets[i]
		poly1305.SumAEAD(p.hash(), p.AdditionalData, p.src, lower(&p.sub))
	}
	l.tagSIV(n)
	for i := range n {
		copy(l.packets[i].received[:], l.packets[i].tag) // textSIV reads the tags from received
	}
	l.textSIV(n)
	for i := range n {
		if p := &l.packets[i]; p.blocks == 0 {
			xorSIV(p.dst, p.src, p.key(), p.nonce())
		}
	}
}

func (l *lanesAVX2) openSIV(n int) {
	l.deriveSIV(n)
	l.textSIV(n)
	for i := range n {
		if p := &l.packets[i]; p.blocks > 0 {
			poly1305.SumAEAD(p.hash(), p.AdditionalData, p.dst, lower(&p.sub))
		} else {
			openSIV(p.hash(), p.dst, p.src, p.AdditionalData, lower(&p.sub), p.key(), p.nonce())
		}
	}
	l.tagSIV(n)
}

// hash returns the part of the initial state from which tagSIV reads Poly1305's output.
func (p *packetAVX2) hash() *[TagSize]byte { return (*[TagSize]byte)(p.initial[48:]) }

// deriveSIV computes the keys that depend on the nonces only.
func (l *lanesAVX2) deriveSIV(n int) {
	blocks := l.blocks(n)
	for i := range blocks {
		l.packets[i].sub = blocks[i]
	}
	clear(blocks)
}

func (l *lanesAVX2) tagSIV(n int) {
	for i := range n {
		*l.packets[i].key() = *upper(&l.packets[i].sub)
	}
	blocks := l.blocks(n)
	for i := range blocks {
		copy(l.packets[i].tag, blocks[i][:])
	}
	clear(blocks)
}

// textSIV encrypts or decrypts the texts of packets 0 to n-1 with keys derived from
// their tags.
func (l *lanesAVX2) textSIV(n int) {
	for i := range n {
		p := &l.packets[i]
		*p.key() = *upper(&p.sub)
		copy(p.initial[48:], p.received[:16])
	}
	blocks := l.blocks(n)
	for i := range n {
		p := &l.packets[i]
		*p.key() = *upper(&blocks[i])
		copy(p.nonce()[:], p.received[16:])
	}
	blocks = l.textStream(n, 0)
	stream := blocks
	for i := range n {
		stream = l.packets[i].xor(stream)
	}
	clear(l.stream[:max(n, len(blocks))])
}
