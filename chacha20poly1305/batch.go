// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"crypto/cipher"
	"sync"

	kernel "github.com/unimac/unimac/internal/chacha20poly1305"
)

// A Packet is one message of a batch.
type Packet struct {
	// Dst is where the result is appended, and then the result with what Dst had before.
	// Its spare capacity is used if it is enough: then nothing is allocated.
	Dst []byte

	// Nonce has the AEAD's nonce size. Each packet that is sealed needs a different one.
	Nonce []byte

	// Text is the plaintext to seal, or the ciphertext with its tag to open.
	Text []byte

	// AdditionalData is authenticated and not encrypted.
	AdditionalData []byte

	// OK reports whether OpenBatch found the packet authentic. SealBatch leaves it alone.
	OK bool
}

// SealBatch seals each packet: p.Dst = a.Seal(p.Dst, p.Nonce, p.Text, p.AdditionalData). Packets
// for the AEADs of [New], [NewX] and [NewSIV] share a key, so if there is a kernel for it, the
// lanes of the processor's vectors work on several at once. Any other AEAD works, too.
//
// It panics where Seal would, and if an output overlaps another packet's output, text, nonce or
// additional data. Then no packet is sealed, except with an AEAD of another package.
func SealBatch(a cipher.AEAD, packets []Packet) {
	if len(packets) < 2 {
		for i := range packets {
			packets[i].seal(a)
		}
		return
	}
	var b batch // to copy a literal would read in wide pieces what was written in narrow ones
	b.begin(a, packets, false)
	b.run()
}

// OpenBatch opens each packet like a.Open, appends the plaintexts to each Dst, and returns how
// many packets were authentic; each one's OK says whether it is. Of the others Dst is
// unchanged; where their plaintexts would be there may be zeros, as after Open.
//
// It panics where Open would, and otherwise like [SealBatch].
func OpenBatch(a cipher.AEAD, packets []Packet) (opened int) {
	if len(packets) == 1 {
		if packets[0].open(a); packets[0].OK {
			return 1
		}
		return 0
	}
	var b batch // to copy a literal would read in wide pieces what was written in narrow ones
	b.begin(a, packets, true)
	b.run()
	for i := range packets {
		if packets[i].OK {
			opened++
		}
	}
	return opened
}

// window is how many packets are sorted by their lengths, so that those in lanes at once have
// similar ones.
const window = 256

// batch is what SealBatch and OpenBatch work with.
type batch struct {
	aead    cipher.AEAD
	packets []Packet
	opening bool

	nonceSize, overhead int // the AEAD's

	// minLanes is the number of packets from which lanes may be faster, laneText how much text they may have.
	minLanes, laneText int

	// key is nil if there are no lanes for the AEAD.
	key  *[KeySize]byte
	kind kind

	*workspace // if there are lanes or it takes a closer look to see what overlaps
}

// A workspace is what a batch needs if it does not consist of single calls.
type workspace struct {
	lanes   *kernel.Lanes
	outputs []output
	order   [window]uint8

	// results and tags are those of the packets in lanes.
	results [kernel.MaxLanes][]byte
	tags    [kernel.MaxLanes][OverheadSIV]byte
}

// A kind is one of the AEADs that there are lanes for.
type kind uint8

const (
	chacha kind = iota
	xchacha
	siv
)

// workspaces spares allocations.
var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// begin takes up packets and checks them all before any is sealed or opened.
func (b *batch) begin(a cipher.AEAD, packets []Packet, opening bool) {
	b.aead, b.packets, b.opening = a, packets, opening
	switch a := a.(type) {
	case *chachaAEAD:
		b.key, b.kind, b.nonceSize, b.overhead = &a.key, chacha, NonceSize, Overhead
	case *xchachaAEAD:
		b.key, b.kind, b.nonceSize, b.overhead = &a.key, xchacha, NonceSizeX, Overhead
	case *sivAEAD:
		b.key, b.kind, b.nonceSize, b.overhead = &a.key, siv, NonceSizeSIV, OverheadSIV
	default:
		b.nonceSize, b.overhead = a.NonceSize(), a.Overhead()
	}
	if len(b.packets) == 0 || b.inOrder() {
		return
	}
	if b.key != nil {
		for i := range b.packets {
			if p := &b.packets[i]; b.opening {
				checkOpen(len(p.Nonce), b.nonceSize, len(p.Text), b.overhead)
			} else {
				checkSeal(len(p.Nonce), b.nonceSize, len(p.Text))
			}
		}
	}
	if !b.apart() {
		b.workspace = workspaces.Get().(*workspace)
		b.checkOverlaps()
		b.outputs = b.outputs[:0]
		workspaces.Put(b.workspace)
	}
}

// single seals or opens a packet by itself. Most need none of the checks again that are done.
func (b *batch) single(p *Packet) {
	if n := b.textSize(p); b.key != nil && b.kind == chacha && n >= 0 {
		nonce := (*[NonceSize]byte)(p.Nonce)
		if !b.opening {
			all, out := extend(p.Dst, n+Overhead)
			kernel.Seal((*[Overhead]byte)(out[n:]), out[:n], p.Text, p.AdditionalData, b.key, nonce)
			p.Dst = all
			return
		}
		all, out := extend(p.Dst, n)
		tag := [Overhead]byte(p.Text[n:]) // which the output may overlap
		if p.OK = kernel.Open(&tag, out, p.Text[:n], p.AdditionalData, b.key, nonce); p.OK {
			p.Dst = all
		}
		return
	}
	if b.opening {
		p.open(b.aead)
	} else {
		p.seal(b.aead)
	}
}

func (p *Packet) seal(a cipher.AEAD) { p.Dst = a.Seal(p.Dst, p.Nonce, p.Text, p.AdditionalData) }

func (p *Packet) open(a cipher.AEAD) {
	dst, err := a.Open(p.Dst, p.Nonce, p.Text, p.AdditionalData)
	if p.OK = err == nil; p.OK {
		p.Dst = dst
	}
}

// run seals or opens all packets.
func (b *batch) run() {
	b.minLanes, b.laneText = kernel.LaneLimits(b.nonceSize)
	if b.key == nil || len(b.packets) < b.minLanes || !b.anyWorthwhile() {
		for i := range b.packets {
			b.single(&b.packets[i])
		}
		return
	}
	b.workspace = workspaces.Get().(*workspace)
	b.lanes = kernel.NewLanes()
	b.lanes.SetKey(b.key)
	for packets := b.packets; len(packets) > 0; {
		n := min(len(packets), window)
		b.runWindow(packets[:n])
		packets = packets[n:]
	}
	b.lanes.Free()
	b.lanes = nil
	clear(b.results[:])
	workspaces.Put(b.workspace)
}

// textSize is the length of a packet's plaintext.
func (b *batch) textSize(p *Packet) int {
	if b.opening {
		return len(p.Text) - b.overhead
	}
	return len(p.Text)
}

// Classes of packets: by the number of their blocks, and those that lanes do not take.
const classes = kernel.MaxLaneText/64 + 2

func (b *batch) class(p *Packet) int {
	n := b.textSize(p)
	if n < 0 || n > b.laneText || len(p.AdditionalData) > kernel.MaxLaneAD {
		return classes - 1
	}
	return (n + 63) / 64
}

// runWindow sorts packets by their classes and has as many of them at once as lanes take.
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
		n := min(len(order), kernel.MaxLanes)
		group := order[len(order)-n:]
		order = order[:len(order)-n]
		if b.worthwhile(packets, group) {
			b.runLanes(packets, group)
			continue
		}
		for _, i := range group {
			b.single(&packets[i])
		}
	}
}

// worthwhile reports whether a group of packets, of which the last is the longest, is faster in lanes.
func (b *batch) worthwhile(packets []Packet, group []uint8) bool {
	blocks := 0
	for _, i := range group {
		blocks += b.class(&packets[i])
	}
	n := len(group)
	return kernel.LanesPay(b.nonceSize, n, b.class(&packets[group[n-1]]), blocks)
}

// anyWorthwhile reports false where no group of packets would be in lanes. It is asked
// before lanes are taken. Many that lanes take have some that are alike.
func (b *batch) anyWorthwhile() bool {
	n, longest, blocks := 0, 0, 0
	for i := range b.packets {
		if c := b.class(&b.packets[i]); c < classes-1 {
			n, longest, blocks = n+1, max(longest, c), blocks+c
		}
		if n > kernel.MaxLanes {
			return true
		}
	}
	return kernel.LanesPay(b.nonceSize, n, longest, blocks)
}

// runLanes seals or opens a group of packets in lanes.
func (b *batch) runLanes(packets []Packet, group []uint8) {
	if b.kind != chacha {
		b.lanes.RestoreKey() // the packets before had keys of their own
	}
	for i, at := range group {
		b.setLane(i, &packets[at])
	}
	if b.kind == xchacha {
		b.lanes.Derive(len(group))
	}
	switch n := len(group); {
	case b.kind == siv && b.opening:
		b.lanes.OpenSIV(n)
	case b.kind == siv:
		b.lanes.SealSIV(n)
	case b.opening:
		b.lanes.Open(n)
	default:
		b.lanes.Seal(n)
	}
	for i, at := range group {
		b.finishLane(i, &packets[at])
	}
}

// setLane puts a packet into lane i.
func (b *batch) setLane(i int, p *Packet) {
	n, extra := b.textSize(p), b.overhead
	if b.opening {
		extra = 0
		copy(b.tags[i][:], p.Text[n:])
	}
	all, out := extend(p.Dst, n+extra)
	b.results[i] = all
	b.lanes.SetText(i, out[:n], p.Text[:n], p.AdditionalData)
	switch b.kind {
	case chacha:
		b.lanes.SetNonce(i, (*[NonceSize]byte)(p.Nonce))
	case xchacha:
		b.lanes.SetNonceX(i, (*[NonceSizeX]byte)(p.Nonce))
	case siv:
		b.lanes.SetNonceSIV(i, (*[NonceSizeSIV]byte)(p.Nonce))
		if b.opening {
			b.lanes.SetTagSIV(i, &b.tags[i])
		}
	}
}

// finishLane takes what became of a packet from lane i.
func (b *batch) finishLane(i int, p *Packet) {
	all := b.results[i]
	if !b.opening {
		b.putTag(all[len(all)-b.overhead:], i)
		p.Dst = all
		return
	}
	var tag [OverheadSIV]byte
	b.putTag(tag[:b.overhead], i)
	if p.OK = kernel.Equal(tag[:b.overhead], b.tags[i][:b.overhead]); p.OK {
		p.Dst = all
	} else {
		clear(all[len(p.Dst):])
	}
}

// putTag sets tag to that of lane i.
func (b *batch) putTag(tag []byte, i int) {
	if b.kind == siv {
		b.lanes.PutTagSIV((*[OverheadSIV]byte)(tag), i)
	} else {
		*(*[Overhead]byte)(tag) = *b.lanes.Tag(i)
	}
}
