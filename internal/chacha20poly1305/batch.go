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

	packets []Packet
	gains   *gains
	apart   int // sealApart or openApart
	less    int // length of a text minus length of its plaintext

	group group
	jobs  *[maxLanes]job
}

var workspaces = sync.Pool{New: func() any { return new([maxLanes]job) }}

// Run seals or opens packets. The caller must have checked the lengths and overlaps of
// their buffers. If a packet fails authentication, Run leaves the packet's Dst
// unchanged and zeroes the memory that would have held the plaintext.
func (b *Batch) Run(packets []Packet) {
	b.packets, b.gains = packets, groupGains(b.Kind)
	if b.Key == nil || b.gains == nil || len(packets) < b.gains.packets {
		for i := range packets {
			b.runAlone(i)
		}
		return
	}
	if b.apart = b.gains.sealApart; b.Opening {
		b.apart, b.less = b.gains.openApart, b.Front+b.Tag
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
		// Start with the longest packets so that an incomplete last group contains the
		// shortest ones.
		for end := len(order); end > 0; end -= maxLanes {
			b.runGroup(at, order[max(end-maxLanes, 0):end])
		}
	}
	if b.group != nil {
		b.group.end()
		*b.jobs = [maxLanes]job{}
		workspaces.Put(b.jobs)
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

// class returns the number of text blocks of p that a group would process. It returns 0
// if a group would compute only p's keys, and -1 if p does not fit in a group.
func (b *Batch) class(p *Packet) int {
	n := len(p.Text) - b.less
	switch {
	case 0 < b.apart && b.apart <= n:
		return 0
	case n < 0 || n > b.gains.text || len(p.AdditionalData) > maxLaneAD:
		return -1
	}
	return (n + 63) / 64
}

// runGroup processes packets of the window that starts at index at.
func (b *Batch) runGroup(at int, order []uint16) {
	g, n, longest, blocks := b.gains, len(order), 0, 0
	for _, x := range order {
		longest = max(longest, int(x>>8))
		blocks += int(x >> 8)
	}
	if g.packet*n+g.block*blocks < g.start+g.step*longest || longest == 0 && n < g.empty {
		for _, x := range order {
			b.runAlone(at + int(x&0xff))
		}
		return
	}
	if b.group == nil {
		b.group, b.jobs = newGroup(b.Kind, b.Key), workspaces.Get().(*[maxLanes]job)
	}
	jobs := b.jobs[:n]
	for i, x := range order {
		b.set(&jobs[i], at+int(x&0xff))
		jobs[i].blocks = int(x >> 8)
	}
	b.group.run(jobs, b.Opening)
	for i := 0; i < n && b.Opening; i++ {
		j := &jobs[i]
		if j.OK = constanttime.Equal32(&j.computed, &j.received) == 1; j.OK {
			j.Dst = j.newDst
			b.Opened++
		} else {
			clear(j.dst)
		}
	}
}

func (b *Batch) set(j *job, i int) {
	p, front := &b.packets[i], b.Front
	n := len(p.Text) - b.less
	var out []byte
	j.Packet, j.nonce = p, b.nonce(p, i)
	if b.Opening {
		j.newDst, out = alias.Extend(p.Dst, n)
		j.dst, j.src, j.tag = out, p.Text[front:][:n], j.computed[:b.Tag]
		copy(j.received[:], p.Text[front+n:])
		if front > 0 {
			j.random = [NonceSizeX]byte(p.Text)
			j.nonce = j.random[:]
		}
	} else {
		p.Dst, out = alias.Extend(p.Dst, front+n+b.Tag)
		j.dst, j.src, j.tag = out[front:][:n], p.Text, out[front+n:]
	}
	if front > 0 && alias.Overlap(out, p.Text) {
		copy(j.dst, j.src) // make room for the nonce, or close the gap that it leaves
		j.src = j.dst
	}
	if b.Random != nil {
		copy(out, j.nonce)
	}
}
