// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"crypto/cipher"
	"sync"

	"github.com/unimac/unimac/internal/alias"
	"github.com/unimac/unimac/internal/constanttime"
)

// A Kind is one of the AEADs that seal and open packets under one key.
type Kind uint8

const (
	ChaCha20  Kind = iota // ChaCha20-Poly1305
	XChaCha20             // XChaCha20-Poly1305
	SIV                   // ChaCha20-Poly1305-SIV
)

// A Packet is one message of many under one key. The result is appended to Dst. It may be the same
// memory as Text, and otherwise is apart from all that this packet and the others have.
type Packet = alias.Packet

const (
	// maxLanes is how many packets a group has at most.
	maxLanes = 16

	// maxLaneText and maxLaneAD are how many bytes a packet of a group may have.
	maxLaneText = 1984
	maxLaneAD   = 16

	// MinGroup is the smallest number of packets that a group takes. Callers need not call Run for fewer.
	MinGroup = 4

	// window is how many packets are sorted by their lengths, so that those of a group have
	// similar ones.
	window = 256
)

// A group works on up to maxLanes packets side by side, by one level of kernels.
type group interface {
	// run seals or opens, and makes the tags.
	run(jobs []job, opening bool)

	// end leaves nothing secret behind, and no pointers.
	end()
}

// A job is a packet of a group.
type job struct {
	*Packet
	nonce []byte

	// dst and src have one length, and are the same memory or apart. Tag is where the tag is made, and
	// all what the packet's Dst is going to be unless it is refused.
	dst, src, tag, all []byte

	// blocks is how many of the text a group makes. Of a text that has none, it makes the keys alone.
	blocks int

	// The tag that the packet came with and the one that it should have, and the random nonce that its
	// text began with. The output may overlap what came.
	came, made [TagSizeSIV]byte
	random     [NonceSizeX]byte
}

// gains says from when on packets in a group take less time than one after the other. A level has
// one for each kind.
type gains struct {
	packets int // in a call, at least
	text    int // bytes of a packet, at most
	empty   int // packets in a group, at least, if it makes no blocks of texts

	// Bytes of a packet, at least, of which a group makes the keys alone; 0 for none. The rest is
	// done as of a message by itself.
	sealApart, openApart int

	// n packets gain, which have so many blocks together, if
	// packet*n + block*blocks >= start + step*(blocks of the longest).
	packet, block, start, step int
}

// pay reports whether n packets gain.
func (g *gains) pay(n, longest, blocks int) bool {
	return g.packet*n+g.block*blocks >= g.start+g.step*longest && (longest > 0 || n >= g.empty)
}

// A Batch is packets under one key that are sealed or opened.
type Batch struct {
	AEAD       cipher.AEAD // for packets that gain nothing in a group
	Kind       Kind
	Opening    bool
	Key        *[KeySize]byte // nil if none gain
	Front, Tag int            // bytes of a random nonce before a ciphertext, and of a tag after it
	Random     []byte         // nonces of the packets to seal, if these have none
	Opened     int            // packets that were authentic

	packets []Packet
	gains   *gains
	apart   int // of these, for what is done
	less    int // bytes that a plaintext has less than a text

	// From the first group on.
	group group
	jobs  *[maxLanes]job
}

// workspaces spares allocations.
var workspaces = sync.Pool{New: func() any { return new([maxLanes]job) }}

// Run seals or opens packets, which must have been checked. Of those that are not authentic, Dst stays
// as it is, and there are zeros where their plaintexts would be.
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
		var ends [maxLaneText/64 + 1]uint16 // of packets with as many blocks
		order := memory[:0]                 // blocks, and in the lower 8 bits an index
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
		// The longest first, so that the shortest are left over.
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

// runAlone seals or opens packet i.
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

// nonce returns the nonce of packet i, except one that its text begins with.
func (b *Batch) nonce(p *Packet, i int) []byte {
	if b.Random != nil {
		return b.Random[NonceSizeX*i:][:NonceSizeX]
	}
	return p.Nonce
}

// class is how many blocks of a packet's text a group makes, or negative if none takes the packet.
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

// runGroup runs packets of a window.
func (b *Batch) runGroup(at int, order []uint16) {
	n, longest, blocks := len(order), 0, 0
	for _, x := range order {
		longest = max(longest, int(x>>8))
		blocks += int(x >> 8)
	}
	if !b.gains.pay(n, longest, blocks) {
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
		// A tag of 16 bytes has zeros after it in both arrays.
		if j.OK = constanttime.Equal32(&j.made, &j.came) == 1; j.OK {
			j.Dst = j.all
			b.Opened++
		} else {
			clear(j.dst)
		}
	}
}

// set sets what is to be done for packet i.
func (b *Batch) set(j *job, i int) {
	p, front := &b.packets[i], b.Front
	n := len(p.Text) - b.less
	var out []byte
	j.Packet, j.nonce = p, b.nonce(p, i)
	if b.Opening {
		j.all, out = alias.Extend(p.Dst, n)
		j.dst, j.src, j.tag = out, p.Text[front:][:n], j.made[:b.Tag]
		copy(j.came[:], p.Text[front+n:])
		if front > 0 {
			j.random = [NonceSizeX]byte(p.Text)
			j.nonce = j.random[:]
		}
	} else {
		p.Dst, out = alias.Extend(p.Dst, front+n+b.Tag)
		j.dst, j.src, j.tag = out[front:][:n], p.Text, out[front+n:]
	}
	if front > 0 && alias.Overlap(out, p.Text) {
		copy(j.dst, j.src) // makes room for the nonce, or takes its place
		j.src = j.dst
	}
	if b.Random != nil {
		copy(out, j.nonce)
	}
}
