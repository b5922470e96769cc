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
	ChaCha20  Kind = iota // ChaCha20-Poly1305
	XChaCha20             // XChaCha20-Poly1305
	SIV                   // ChaCha20-Poly1305-SIV
)

// tagSizes are the sizes of the tags of each kind.
var tagSizes = [...]int{ChaCha20: TagSize, XChaCha20: TagSize, SIV: TagSizeSIV}

// A Packet is one message of many under one key.
type Packet struct {
	// The result is appended to Dst. It may be the same memory as Text, and otherwise is apart
	// from all that this packet and the others have.
	Dst []byte

	Nonce          []byte // as long as the kind has it
	Text           []byte // the plaintext, or the ciphertext and its tag; at most MaxLength and a tag
	AdditionalData []byte
	OK             bool // set by OpenAll
}

const (
	// maxLanes is how many packets a group has at most.
	maxLanes = 16

	// maxLaneText and maxLaneAD are how many bytes a packet of a group may have.
	maxLaneText = 1984
	maxLaneAD   = 16

	// window is how many packets are sorted by their lengths, so that those of a group have
	// similar ones.
	window = 256

	// Classes of packets: by the number of their blocks, and those that groups do not take.
	classes = maxLaneText/64 + 2
)

// A group is up to maxLanes packets that are worked on side by side, by one level of kernels.
type group interface {
	// begin sets the kind and the key of all packets until end.
	begin(kind Kind, key *[KeySize]byte)

	// set sets packet i: dst has the length of src, and they are the same memory or apart. The
	// tag is the one that it came with, and nil if it is sealed.
	set(i int, dst, src, ad, nonce []byte, tag *[TagSizeSIV]byte)

	// run seals or opens the first n packets, and makes their tags.
	run(n int, opening bool)

	// putTag sets tag to that of packet i: its tag, or the one that it should have.
	putTag(tag []byte, i int)

	// end leaves nothing secret behind, and no pointers.
	end()
}

// gains says from when on packets in a group take less time than one after the other. A level has
// one for each kind.
type gains struct {
	packets int // in a call, at least
	text    int // bytes of a packet, at most
	empty   int // packets in a group, at least, if none has text

	// n packets gain, which have so many blocks together, if
	// packet*n + block*blocks >= start + step*(blocks of the longest).
	packet, block, start, step int
}

// pay reports whether n packets gain.
func (g *gains) pay(n, longest, blocks int) bool {
	return g.packet*n+g.block*blocks >= g.start+g.step*longest && (longest > 0 || n >= g.empty)
}

// SealAll seals packets of one kind under one key. They must have been checked.
func SealAll(kind Kind, key *[KeySize]byte, packets []Packet) {
	var b batch
	b.start(kind, key)
	b.run(packets)
}

// OpenAll opens packets of one kind under one key, and returns how many are authentic. Of the
// others Dst stays as it is, and there are zeros where their plaintexts would be.
func OpenAll(kind Kind, key *[KeySize]byte, packets []Packet) (opened int) {
	var b batch
	b.start(kind, key)
	b.opening = true
	b.run(packets)
	for i := range packets {
		if packets[i].OK {
			opened++
		}
	}
	return opened
}

// batch is what SealAll and OpenAll work with.
type batch struct {
	kind    Kind
	key     *[KeySize]byte
	tagSize int
	opening bool
	gains   *gains
	group   group
	*workspace
}

// start sets fields one by one: a literal would be copied, in wide pieces right after it was
// written in narrow ones, for which the processor waits.
func (b *batch) start(kind Kind, key *[KeySize]byte) {
	b.kind, b.key, b.tagSize = kind, key, tagSizes[kind]
}

// A workspace is what a batch needs for groups.
type workspace struct {
	order [window]uint8

	// results and tags are those of the packets in a group: what each is going to be, and the tag
	// that it came with, which the output may overlap.
	results [maxLanes][]byte
	tags    [maxLanes][TagSizeSIV]byte

	made [TagSizeSIV]byte // the tag that a packet should have had
}

// workspaces spares allocations.
var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// run seals or opens all packets.
func (b *batch) run(packets []Packet) {
	if b.gains = groupGains(b.kind); b.gains == nil || len(packets) < b.gains.packets || !b.anyGains(packets) {
		for i := range packets {
			b.single(&packets[i])
		}
		return
	}
	b.workspace, b.group = workspaces.Get().(*workspace), newGroup()
	b.group.begin(b.kind, b.key)
	for len(packets) > 0 {
		n := min(len(packets), window)
		b.runWindow(packets[:n])
		packets = packets[n:]
	}
	b.group.end()
	clear(b.results[:])
	clear(b.made[:])
	workspaces.Put(b.workspace)
}

// textSize is the length of a packet's plaintext, or negative if it is too short to have a tag.
func (b *batch) textSize(p *Packet) int {
	if b.opening {
		return len(p.Text) - b.tagSize
	}
	return len(p.Text)
}

func (b *batch) class(p *Packet) int {
	n := b.textSize(p)
	if n < 0 || n > b.gains.text || len(p.AdditionalData) > maxLaneAD {
		return classes - 1
	}
	return (n + 63) / 64
}

// anyGains reports false where no group of packets would gain. It is asked before there is a
// group. Many packets have some that are alike.
func (b *batch) anyGains(packets []Packet) bool {
	n, longest, blocks := 0, 0, 0
	for i := range packets {
		if c := b.class(&packets[i]); c < classes-1 {
			n, longest, blocks = n+1, max(longest, c), blocks+c
		}
		if n > maxLanes {
			return true
		}
	}
	return b.gains.pay(n, longest, blocks)
}

// runWindow sorts packets by their classes and has as many of them at once as a group takes.
func (b *batch) runWindow(packets []Packet) {
	var ends [classes]int
	for i := range packets {
		ends[b.class(&packets[i])]++
	}
	alone := len(packets) - ends[classes-1]
	for c := 1; c < classes; c++ {
		ends[c] += ends[c-1]
	}
	for i := len(packets) - 1; i >= 0; i-- {
		c := b.class(&packets[i])
		ends[c]--
		b.order[ends[c]] = uint8(i)
	}
	for _, i := range b.order[alone:len(packets)] {
		b.single(&packets[i])
	}
	// The longest first, so that the shortest are left over.
	for order := b.order[:alone]; len(order) > 0; {
		n := min(len(order), maxLanes)
		b.runGroup(packets, order[len(order)-n:])
		order = order[:len(order)-n]
	}
}

// runGroup seals or opens packets, of which the last is the longest.
func (b *batch) runGroup(packets []Packet, order []uint8) {
	n, blocks := len(order), 0
	for _, i := range order {
		blocks += b.class(&packets[i])
	}
	if !b.gains.pay(n, b.class(&packets[order[n-1]]), blocks) {
		for _, i := range order {
			b.single(&packets[i])
		}
		return
	}
	for i, at := range order {
		p := &packets[at]
		size := len(p.Text)
		more, tag := b.tagSize, (*[TagSizeSIV]byte)(nil)
		if b.opening {
			size, more, tag = size-b.tagSize, 0, &b.tags[i]
			copy(tag[:], p.Text[size:])
		}
		all, out := alias.Extend(p.Dst, size+more)
		b.results[i] = all
		b.group.set(i, out[:size], p.Text[:size], p.AdditionalData, p.Nonce, tag)
	}
	b.group.run(n, b.opening)
	for i, at := range order {
		b.finish(i, &packets[at])
	}
}

// finish takes what became of packet i of the group.
func (b *batch) finish(i int, p *Packet) {
	all, size := b.results[i], b.tagSize
	if !b.opening {
		b.group.putTag(all[len(all)-size:], i)
		p.Dst = all
		return
	}
	tag := b.made[:size]
	b.group.putTag(tag, i)
	if p.OK = Equal(tag, b.tags[i][:size]); p.OK {
		p.Dst = all
	} else {
		clear(all[len(p.Dst):])
	}
}

// single seals or opens a packet by itself.
func (b *batch) single(p *Packet) {
	n := b.textSize(p)
	switch {
	case n < 0:
		p.OK = false
	case b.opening:
		all, out := alias.Extend(p.Dst, n)
		if p.OK = b.open(out, p, n); p.OK {
			p.Dst = all
		}
	case b.kind == ChaCha20:
		all, out := alias.Extend(p.Dst, n+TagSize)
		seal((*[TagSize]byte)(out[n:]), out[:n], p.Text, p.AdditionalData, b.key, (*[NonceSize]byte)(p.Nonce))
		p.Dst = all
	case b.kind == XChaCha20:
		all, out := alias.Extend(p.Dst, n+TagSize)
		SealX((*[TagSize]byte)(out[n:]), out[:n], p.Text, p.AdditionalData, b.key, (*[NonceSizeX]byte)(p.Nonce))
		p.Dst = all
	default:
		all, out := alias.Extend(p.Dst, n+TagSizeSIV)
		SealSIV((*[TagSizeSIV]byte)(out[n:]), out[:n], p.Text, p.AdditionalData, b.key, (*[NonceSizeSIV]byte)(p.Nonce))
		p.Dst = all
	}
}

// open opens a packet to out, which may overlap the tag: that is read before.
func (b *batch) open(out []byte, p *Packet, n int) bool {
	text := p.Text[:n]
	if b.kind == SIV {
		tag := [TagSizeSIV]byte(p.Text[n:])
		return OpenSIV(&tag, out, text, p.AdditionalData, b.key, (*[NonceSizeSIV]byte)(p.Nonce))
	}
	tag := [TagSize]byte(p.Text[n:])
	if b.kind == XChaCha20 {
		return OpenX(&tag, out, text, p.AdditionalData, b.key, (*[NonceSizeX]byte)(p.Nonce))
	}
	return Open(&tag, out, text, p.AdditionalData, b.key, (*[NonceSize]byte)(p.Nonce))
}
