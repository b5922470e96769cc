// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"sync"

	"github.com/unimac/unimac/internal/alias"
)

// A Kind is one of the AEADs that seal and open packets under one key.
type Kind uint8

const (
	ChaCha20     Kind = iota // ChaCha20-Poly1305
	XChaCha20                // XChaCha20-Poly1305
	SIV                      // ChaCha20-Poly1305-SIV
	RandomNonces             // XChaCha20-Poly1305, and a text that is sealed begins with its nonce
)

// A Packet is one message of many under one key. The result is appended to Dst. It may be the same
// memory as Text, and otherwise is apart from all that this packet and the others have.
type Packet = alias.Call

const (
	// maxLanes is how many packets a group has at most.
	maxLanes = 16

	// maxLaneText and maxLaneAD are how many bytes a packet of a group may have.
	maxLaneText = 1984
	maxLaneAD   = 16

	// window is how many packets are sorted by their lengths, so that those of a group have
	// similar ones.
	window = 256

	// Classes of packets: by the blocks that groups make of their texts, and those that they do not take.
	classes = maxLaneText/64 + 2
)

// A group works on up to maxLanes packets side by side, by one level of kernels.
type group interface {
	// run seals or opens, and makes the tags.
	run(jobs []job, opening bool)

	// end leaves nothing secret behind, and no pointers.
	end()
}

// A job is a packet that is worked on.
type job struct {
	*Packet

	// dst and src have one length, and are the same memory or apart. Tag is where the tag is made, and
	// all what the packet's Dst is going to be if it opens.
	dst, src, tag, all []byte

	// blocks is how many of the text a group makes. Of a text that has none, it makes the keys alone.
	blocks int

	// The tag that the packet came with, and its nonce: the output may overlap them.
	came   [TagSizeSIV]byte
	random [NonceSizeX]byte
}

// nonce returns the packet's nonce: if it has none, that is a random one.
func (j *job) nonce() []byte {
	if len(j.Nonce) == 0 {
		return j.random[:]
	}
	return j.Nonce
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

// SealAll seals packets of one kind under one key. They must have been checked. Random has the nonces
// of RandomNonces, one after the other.
func SealAll(kind Kind, key *[KeySize]byte, packets []Packet, random []byte) {
	runAll(kind, key, packets, random, false)
}

// OpenAll opens packets of one kind under one key, and returns how many are authentic. Of the
// others Dst stays as it is, and there are zeros where their plaintexts would be.
func OpenAll(kind Kind, key *[KeySize]byte, packets []Packet) (opened int) {
	runAll(kind, key, packets, nil, true)
	for i := range packets {
		if packets[i].OK {
			opened++
		}
	}
	return opened
}

// batch is what runAll works with.
type batch struct {
	kind    Kind
	key     *[KeySize]byte
	random  []byte // nonces of the packets to seal
	opening bool
	front   int // bytes of a random nonce
	tagSize int
	gains   *gains
	alone   job

	// From the first group on.
	group group
	*workspace
}

// A workspace is what a batch needs for groups.
type workspace struct {
	jobs [maxLanes]job
	made [maxLanes][TagSizeSIV]byte // the tags that packets to open should have
}

// workspaces spares allocations.
var workspaces = sync.Pool{New: func() any { return new(workspace) }}

func runAll(kind Kind, key *[KeySize]byte, packets []Packet, random []byte, opening bool) {
	var b batch
	b.kind, b.key, b.random, b.opening, b.tagSize = kind, key, random, opening, TagSize
	switch kind {
	case SIV:
		b.tagSize = TagSizeSIV
	case RandomNonces:
		b.kind, b.front = XChaCha20, NonceSizeX
	}
	if b.gains = groupGains(b.kind); b.gains == nil || len(packets) < b.gains.packets {
		for i := range packets {
			b.runAlone(packets, i)
		}
		return
	}
	for len(packets) > 0 {
		n := min(len(packets), window)
		b.runWindow(packets[:n])
		packets, b.random = packets[n:], b.random[min(b.front*n, len(b.random)):]
	}
	if b.group != nil {
		b.group.end()
		*b.workspace = workspace{}
		workspaces.Put(b.workspace)
	}
}

// size is the length of a packet's plaintext, or negative if it is too short to have a tag.
func (b *batch) size(p *Packet) int {
	if b.opening {
		return len(p.Text) - b.front - b.tagSize
	}
	return len(p.Text)
}

// class is how many blocks of a packet's text a group makes, or classes-1 if none takes the packet.
func (b *batch) class(p *Packet) int {
	n, apart := b.size(p), b.gains.sealApart
	if b.opening {
		apart = b.gains.openApart
	}
	switch {
	case 0 < apart && apart <= n:
		return 0
	case n < 0 || n > b.gains.text || len(p.AdditionalData) > maxLaneAD:
		return classes - 1
	}
	return (n + 63) / 64
}

// runWindow sorts packets by their classes and has as many of them at once as a group takes.
func (b *batch) runWindow(packets []Packet) {
	var ends [classes]int
	longest, blocks := 0, 0
	for i := range packets {
		c := b.class(&packets[i])
		if ends[c]++; c < classes-1 {
			longest, blocks = max(longest, c), blocks+c
		}
	}
	inGroups := len(packets) - ends[classes-1]
	if inGroups <= maxLanes && !b.gains.pay(inGroups, longest, blocks) { // nothing to sort for
		for i := range packets {
			b.runAlone(packets, i)
		}
		return
	}
	var order [window]uint16 // the class of a packet, and in the lower 8 bits its index
	for c := 1; c < classes; c++ {
		ends[c] += ends[c-1]
	}
	for i := len(packets) - 1; i >= 0; i-- {
		c := b.class(&packets[i])
		ends[c]--
		order[ends[c]] = uint16(c<<8 | i)
	}
	for _, at := range order[inGroups:len(packets)] {
		b.runAlone(packets, int(at&0xff))
	}
	// The longest first, so that the shortest are left over.
	for end := inGroups; end > 0; end -= maxLanes {
		b.runGroup(packets, order[max(end-maxLanes, 0):end])
	}
}

// runGroup seals or opens packets, of which the last is the longest.
func (b *batch) runGroup(packets []Packet, order []uint16) {
	n, blocks := len(order), 0
	for _, at := range order {
		blocks += int(at >> 8)
	}
	if !b.gains.pay(n, int(order[n-1]>>8), blocks) {
		for _, at := range order {
			b.runAlone(packets, int(at&0xff))
		}
		return
	}
	if b.group == nil {
		b.group, b.workspace = newGroup(b.kind, b.key), workspaces.Get().(*workspace)
	}
	jobs := b.jobs[:n]
	for i := range jobs {
		b.set(&jobs[i], packets, int(order[i]&0xff))
		jobs[i].blocks = int(order[i] >> 8)
	}
	if !b.opening {
		b.group.run(jobs, false)
		return
	}
	for i := range jobs {
		jobs[i].tag = b.made[i][:b.tagSize]
	}
	b.group.run(jobs, true)
	for i := range jobs {
		j := &jobs[i]
		j.opened(Equal(j.tag, j.came[:b.tagSize]))
	}
}

// set sets what is to be done for packet i.
func (b *batch) set(j *job, packets []Packet, i int) {
	p := &packets[i]
	n, front := b.size(p), b.front
	j.Packet = p
	if b.opening {
		j.all, j.dst = alias.Extend(p.Dst, n)
		j.src = p.Text[front:][:n]
		copy(j.came[:], p.Text[front+n:])
		if copy(j.random[:front], p.Text) > 0 && alias.Overlap(j.dst, p.Text) {
			copy(j.dst, j.src) // moves to where the plaintext will be
			j.src = j.dst
		}
		return
	}
	all, out := alias.Extend(p.Dst, front+n+b.tagSize)
	p.Dst, j.src = all, p.Text
	if front > 0 {
		if alias.Overlap(out, p.Text) {
			j.src = out[front:][:copy(out[front:], p.Text)] // makes room for the nonce
		}
		copy(j.random[:], b.random[front*i:])
		out = out[copy(out, j.random[:]):]
	}
	j.dst, j.tag = out[:n], out[n:]
}

// opened says of a packet whether it is authentic.
func (j *job) opened(ok bool) {
	if j.OK = ok; ok {
		j.Dst = j.all
	} else {
		clear(j.dst)
	}
}

// runAlone seals or opens packet i.
func (b *batch) runAlone(packets []Packet, i int) {
	p, j, came := &packets[i], &b.alone, (*[TagSize]byte)(b.alone.came[:])
	if b.size(p) < 0 {
		p.OK = false
		return
	}
	b.set(j, packets, i)
	switch nonce := j.nonce(); {
	case b.kind == ChaCha20 && b.opening:
		j.opened(Open(came, j.dst, j.src, p.AdditionalData, b.key, (*[NonceSize]byte)(nonce)))
	case b.kind == ChaCha20:
		seal((*[TagSize]byte)(j.tag), j.dst, j.src, p.AdditionalData, b.key, (*[NonceSize]byte)(nonce))
	case b.kind == XChaCha20 && b.opening:
		j.opened(OpenX(came, j.dst, j.src, p.AdditionalData, b.key, (*[NonceSizeX]byte)(nonce)))
	case b.kind == XChaCha20:
		SealX((*[TagSize]byte)(j.tag), j.dst, j.src, p.AdditionalData, b.key, (*[NonceSizeX]byte)(nonce))
	case b.opening:
		j.opened(OpenSIV(&j.came, j.dst, j.src, p.AdditionalData, b.key, (*[NonceSizeSIV]byte)(nonce)))
	default:
		SealSIV((*[TagSizeSIV]byte)(j.tag), j.dst, j.src, p.AdditionalData, b.key, (*[NonceSizeSIV]byte)(nonce))
	}
}
