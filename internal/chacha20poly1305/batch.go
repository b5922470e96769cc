// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"crypto/cipher"
	"sync"

	"github.com/unimac/unimac/internal/alias"
	"github.com/unimac/unimac/internal/constanttime"
)

// window is the number of packets that Run sorts at a time. Sorting by length puts
// packets of similar length in the same group.
const window = 256

// A Batch contains packets to seal or open under one key.
type Batch struct {
	AEAD       cipher.AEAD // for packets that are processed alone
	Kind       Kind
	Opening    bool
	Key        *[KeySize]byte // nil if no packet is processed in a group
	Front, Tag int            // sizes of the random nonce before a ciphertext and of the tag after it
	Random     []byte         // nonces of the packets to seal, if the packets contain none
	Opened     int            // number of authentic packets

	packets  []Packet
	model    *groupModel
	keysOnly int // sealKeysOnly or openKeysOnly
	less     int // length of a text minus length of its plaintext

	group   group
	grouped *[maxLanes]groupPacket
}

var workspaces = sync.Pool{New: func() any { return new([maxLanes]groupPacket) }}

// Run seals or opens packets. The caller must have checked the lengths and overlaps of
// the packets' buffers. If authentication of a packet fails, Run leaves the packet's
// Dst field unchanged and zeroes the memory that would have held the plaintext.
func (b *Batch) Run(packets []Packet) {
	b.packets, b.model = packets, groupModelOf(b.Kind)
	if b.Key == nil || b.model == nil || len(packets) < b.model.packets {
		for i := range packets {
			b.runAlone(i)
		}
		return
	}
	if b.keysOnly = b.model.sealKeysOnly; b.Opening {
		b.keysOnly, b.less = b.model.openKeysOnly, b.Front+b.Tag
	}
	for at := 0; at < len(packets); at += window {
		var memory [window]uint16
		var ends [maxLaneText/64 + 1]uint16 // for each number of blocks
		order := memory[:0]                 // number of blocks, and an index in the low 8 bits
		for i := range min(window, len(packets)-at) {
			if c := b.class(&packets[at+i]); c < 0 {
				b.runAlone(at + i)
			} else {
				order = append(order, uint16(c<<8|i))
				ends[c]++
			}
		}
		if len(order) > maxLanes {
			var sorted [window]uint16
			for c := 1; c < len(ends); c++ {
				ends[c] += ends[c-1]
			}
			for i := len(order) - 1; i >= 0; i-- {
				c := order[i] >> 8
				ends[c]--
				sorted[ends[c]] = order[i]
			}
			order = sorted[:len(order)]
		}
		// Start with the longest packets, so that an incomplete last group holds the
		// shortest packets.
		for end := len(order); end > 0; end -= maxLanes {
			b.runGroup(at, order[max(end-maxLanes, 0):end])
		}
	}
	if b.group != nil {
		b.group.end()
		*b.grouped = [maxLanes]groupPacket{}
		workspaces.Put(b.grouped)
	}
}

func (b *Batch) runAlone(i int) {
	p := &b.packets[i]
	if b.Opening {
		dst, err := b.AEAD.Open(p.Dst, p.Nonce, p.Text, p.AdditionalData)
		if p.OK = err == nil; p.OK {
			p.Dst = dst
			b.Opened++
		}
		return
	}
	p.Dst = b.AEAD.Seal(p.Dst, b.nonce(p, i), p.Text, p.AdditionalData)
}

// nonce returns the random nonce for packet i, or p.Nonce if nonces are not random.
func (b *Batch) nonce(p *Packet, i int) []byte {
	if b.Random != nil {
		return b.Random[NonceSizeX*i:][:NonceSizeX]
	}
	return p.Nonce
}

// class returns the number of text blocks of p that a group would process.
func (b *Batch) class(p *Packet) int {
	n := len(p.Text) - b.less
	switch {
	case 0 < b.keysOnly && b.keysOnly <= n:
		return 0 // the group would compute only the keys
	case n < 0 || n > b.model.text || len(p.AdditionalData) > maxLaneAD:
		return -1 // p does not fit in a group
	}
	return (n + 63) / 64
}

// runGroup processes packets of the window that starts at index at.
func (b *Batch) runGroup(at int, order []uint16) {
	m, n, longest, blocks := b.model, len(order), 0, 0
	for _, x := range order {
		longest = max(longest, int(x>>8))
		blocks += int(x >> 8)
	}
	if m.packet*n+m.block*blocks < m.start+m.step*longest || longest == 0 && n < m.empty {
		for _, x := range order {
			b.runAlone(at + int(x&0xff))
		}
		return
	}
	if b.group == nil {
		b.group, b.grouped = newGroup(b.Kind, b.Key), workspaces.Get().(*[maxLanes]groupPacket)
	}
	packets := b.grouped[:n]
	for i, x := range order {
		b.set(&packets[i], at+int(x&0xff))
		packets[i].blocks = int(x >> 8)
	}
	b.group.run(packets, b.Opening)
	for i := 0; i < n && b.Opening; i++ {
		g := &packets[i]
		if g.OK = constanttime.Equal32(&g.computed, &g.received) == 1; g.OK {
			g.Dst = g.newDst
			b.Opened++
		} else {
			clear(g.dst)
		}
	}
}

func (b *Batch) set(g *groupPacket, i int) {
	p, front := &b.packets[i], b.Front
	n := len(p.Text) - b.less
	var out []byte
	g.Packet, g.nonce = p, b.nonce(p, i)
	if b.Opening {
		g.newDst, out = alias.Extend(p.Dst, n)
		g.dst, g.src, g.tag = out, p.Text[front:][:n], g.computed[:b.Tag]
		copy(g.received[:], p.Text[front+n:])
		if front > 0 {
			g.random = [NonceSizeX]byte(p.Text)
			g.nonce = g.random[:]
		}
	} else {
		p.Dst, out = alias.Extend(p.Dst, front+n+b.Tag)
		g.dst, g.src, g.tag = out[front:][:n], p.Text, out[front+n:]
	}
	if front > 0 && alias.Overlap(out, p.Text) {
		copy(g.dst, g.src) // make room for the nonce, or close the gap that it leaves
		g.src = g.dst
	}
	if b.Random != nil {
		copy(out, g.nonce)
	}
}
