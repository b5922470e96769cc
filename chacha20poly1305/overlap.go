// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"cmp"
	"math"
	"slices"
	"unsafe"

	kernel "github.com/unimac/unimac/internal/chacha20poly1305"
)

// A region is memory from an address to another. They are signed, because the sign of a difference
// shows without a branch which of two is first.
type region struct{ from, to int64 }

func regionOf(b []byte) region {
	from := int64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	return region{from, from + int64(len(b))}
}

// meets is negative if two regions share a byte, or if one is empty and inside the other.
func (r region) meets(x region) int64 { return (r.from - x.to) & (x.from - r.to) }

// meetsInexactly is meets, but not negative if both begin at the same address.
func (r region) meetsInexactly(x region) int64 {
	return r.meets(x) & ((r.from - x.from) | (x.from - r.from))
}

// output returns the memory that a packet's result is going to be written to. It reports false if
// there is no such memory yet, or if the packet is too short to have a result.
func (b *batch) output(p *Packet) (out region, ok bool) {
	n := b.outputSize(p)
	from := regionOf(p.Dst).to
	return region{from, from + int64(n)}, uint(n) <= uint(cap(p.Dst)-len(p.Dst))
}

func (b *batch) outputSize(p *Packet) int {
	if b.opening {
		return len(p.Text) - b.overhead
	}
	return len(p.Text) + b.overhead
}

// inOrder reports whether all packets have valid lengths, the addresses of their outputs ascend, and
// each input is outside of all outputs, or between those of the packets before and after its own.
// That is the usual case.
func (b *batch) inOrder() bool {
	last := &b.packets[len(b.packets)-1]
	all := region{regionOf(b.packets[0].Dst).to, regionOf(last.Dst).to + int64(len(last.Text)+b.overhead)}
	before := all.from
	for i := range b.packets {
		p := &b.packets[i]
		out, ok := b.output(p)
		if !ok || len(p.Nonce) != b.nonceSize || uint64(len(p.Text)) > kernel.MaxLength {
			return false
		}
		next := all.to
		if i+1 < len(b.packets) {
			next = regionOf(b.packets[i+1].Dst).to
		}
		if next < out.to {
			return false
		}
		if x := regionOf(p.Nonce); all.meets(x) < 0 && (x.from < before || next < x.to) {
			return false
		}
		if x := regionOf(p.AdditionalData); all.meets(x) < 0 && (x.from < before || next < x.to || out.meets(x) < 0) {
			return false
		}
		if x := regionOf(p.Text); all.meets(x) < 0 && (x.from < before || next < x.to || out.meetsInexactly(x) < 0) {
			return false
		}
		before = out.to
	}
	return true
}

// few is the number of packets up to which apart compares all pairs.
const few = 16

// apart reports whether there are few packets, and none of their outputs meets anything of another
// packet, or of its own what it must not. If it reports false, checkOverlaps must decide.
func (b *batch) apart() bool {
	if len(b.packets) > few {
		return false
	}
	var memory [few]struct{ out, text region }
	outputs, others := region{from: math.MaxInt64}, region{from: math.MaxInt64}
	var bad int64
	for i := range b.packets {
		p, x := &b.packets[i], &memory[i]
		var ok bool
		if x.out, ok = b.output(p); !ok {
			return false
		}
		x.text = regionOf(p.Text)
		nonce, data := regionOf(p.Nonce), regionOf(p.AdditionalData)
		if data.from == data.to {
			data = nonce
		}
		outputs = region{min(outputs.from, x.out.from), max(outputs.to, x.out.to)}
		others = region{min(others.from, nonce.from, data.from), max(others.to, nonce.to, data.to)}
		bad |= x.out.meetsInexactly(x.text)
		for j := range memory[:i] {
			y := &memory[j]
			bad |= x.out.meets(y.out) | x.out.meets(y.text) | y.out.meets(x.text)
		}
	}
	if outputs.meets(others) < 0 {
		for i := range b.packets {
			nonce, data := regionOf(b.packets[i].Nonce), regionOf(b.packets[i].AdditionalData)
			for j := range memory[:len(b.packets)] {
				bad |= memory[j].out.meets(nonce) | memory[j].out.meets(data)
			}
		}
	}
	return bad >= 0
}

// An output is the memory of a packet's result.
type output struct {
	region
	packet int
}

// checkOverlaps panics if an output overlaps something of another packet, or of its own what
// Seal or Open would not let it overlap. It sorts the outputs and looks the inputs up.
func (b *batch) checkOverlaps() {
	for i := range b.packets {
		p := &b.packets[i]
		out, ok := b.output(p)
		if !ok || out.from == out.to {
			continue
		}
		n := b.outputSize(p)
		checkOverlap(p.Dst[len(p.Dst):len(p.Dst)+n], p.Text[:min(n, len(p.Text))], p.AdditionalData)
		b.outputs = append(b.outputs, output{out, i})
	}
	if len(b.outputs) == 0 {
		return
	}
	slices.SortFunc(b.outputs, func(x, y output) int { return cmp.Compare(x.from, y.from) })
	for i := range b.outputs[1:] {
		if b.outputs[i].to > b.outputs[i+1].from {
			panic("chacha20poly1305: invalid buffer overlap of two outputs")
		}
	}
	b.checkInputs(region{b.outputs[0].from, b.outputs[len(b.outputs)-1].to})
}

// checkInputs panics if an input overlaps the output of another packet. All outputs are in a
// span, sorted.
func (b *batch) checkInputs(all region) {
	var text, data, nonce lookup
	for i := range b.packets {
		p := &b.packets[i]
		if all.meets(regionOf(p.Text)) < 0 && text.overlaps(b.outputs, i, p.Text) {
			panic("chacha20poly1305: invalid buffer overlap of output and another packet's input")
		}
		if all.meets(regionOf(p.AdditionalData)) < 0 && data.overlaps(b.outputs, i, p.AdditionalData) {
			panic("chacha20poly1305: invalid buffer overlap of output and another packet's additional data")
		}
		if all.meets(regionOf(p.Nonce)) < 0 && nonce.overlaps(b.outputs, i, p.Nonce) {
			panic("chacha20poly1305: invalid buffer overlap of output and another packet's nonce")
		}
	}
}

// lookup looks inputs up in the outputs. It is where the last one was.
type lookup int

// overlaps reports whether a packet's input overlaps the output of another. The outputs are
// sorted and apart.
func (l *lookup) overlaps(outputs []output, packet int, input []byte) bool {
	in := regionOf(input)
	if in.from == in.to {
		return false
	}
	// The first output that ends after the input begins: mostly where the last one was, or
	// the next.
	first := func(i int) bool {
		return i < len(outputs) && outputs[i].to > in.from && (i == 0 || outputs[i-1].to <= in.from)
	}
	i := int(*l)
	if !first(i) {
		if i++; !first(i) {
			i, _ = slices.BinarySearchFunc(outputs, in.from, func(o output, from int64) int {
				if o.to > from {
					return 1
				}
				return -1
			})
		}
		*l = lookup(i)
	}
	for ; i < len(outputs) && outputs[i].from < in.to; i++ {
		if outputs[i].packet != packet {
			return true
		}
	}
	return false
}
