// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"cmp"
	"slices"
	"unsafe"
)

// An output is the memory that a packet's result is going to be written to.
type output struct {
	memory span
	packet int
}

// A span is memory from an address to another.
type span struct{ from, to uintptr }

func spanOf(b []byte) span {
	from := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return span{from, from + uintptr(len(b))}
}

// meets reports whether a byte of b is in the span.
func (s span) meets(b []byte) bool {
	from := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return from < s.to && from+uintptr(len(b)) > s.from && len(b) > 0
}

// checkOverlaps panics if an output overlaps something of another packet, or of its own what
// Seal or Open would not let it overlap. The packets may be many and their lists are mostly
// in order of addresses, so it sorts outputs and looks each of the others up where the last
// was.
func (b *batch) checkOverlaps() {
	overhead := b.overhead
	if b.opening {
		overhead = -overhead
	}
	inOrder := true
	last := uintptr(0)
	all := span{from: ^uintptr(0)} // from the first output to the end of the last
	for i := range b.packets {
		p := &b.packets[i]
		n := len(p.Text) + overhead
		if n <= 0 || n > cap(p.Dst)-len(p.Dst) {
			continue // there is no output, or in new memory
		}
		out := p.Dst[len(p.Dst) : len(p.Dst)+n]
		text := p.Text
		if b.opening {
			text = text[:n]
		}
		checkOverlap(out, text, p.AdditionalData)
		memory := spanOf(out)
		inOrder = inOrder && memory.from >= last
		last = memory.to
		all.from, all.to = min(all.from, memory.from), max(all.to, memory.to)
		b.outputs = append(b.outputs, output{memory, i})
	}
	if len(b.outputs) == 0 {
		return
	}
	if !inOrder {
		b.sortOutputs()
		for i := range b.outputs[1:] {
			if b.outputs[i].memory.to > b.outputs[i+1].memory.from {
				panic("chacha20poly1305: invalid buffer overlap of two outputs")
			}
		}
	}
	b.checkInputs(all)
}

// checkInputs panics if an input overlaps the output of another packet. All outputs are in a
// span, sorted.
func (b *batch) checkInputs(all span) {
	var text, data, nonce lookup
	for i := range b.packets {
		p := &b.packets[i]
		if all.meets(p.Text) && text.overlaps(b.outputs, i, p.Text) {
			panic("chacha20poly1305: invalid buffer overlap of output and another packet's input")
		}
		if all.meets(p.AdditionalData) && data.overlaps(b.outputs, i, p.AdditionalData) {
			panic("chacha20poly1305: invalid buffer overlap of output and another packet's additional data")
		}
		if all.meets(p.Nonce) && nonce.overlaps(b.outputs, i, p.Nonce) {
			panic("chacha20poly1305: invalid buffer overlap of output and another packet's nonce")
		}
	}
}

// sortOutputs sorts outputs by their addresses. A few are sorted here, because slices.SortFunc
// takes as long for them as to encrypt a packet.
func (b *batch) sortOutputs() {
	if len(b.outputs) > 16 {
		slices.SortFunc(b.outputs, func(x, y output) int { return cmp.Compare(x.memory.from, y.memory.from) })
		return
	}
	for i, o := range b.outputs {
		for ; i > 0 && b.outputs[i-1].memory.from > o.memory.from; i-- {
			b.outputs[i] = b.outputs[i-1]
		}
		b.outputs[i] = o
	}
}

// lookup looks inputs up in the outputs. It is where the last one was.
type lookup int

// overlaps reports whether a packet's input overlaps the output of another. The outputs are
// sorted and apart.
func (l *lookup) overlaps(outputs []output, packet int, input []byte) bool {
	in := spanOf(input)
	// The first output that ends after the input begins: mostly where the last one was, or
	// the next.
	first := func(i int) bool {
		return i < len(outputs) && outputs[i].memory.to > in.from && (i == 0 || outputs[i-1].memory.to <= in.from)
	}
	i := int(*l)
	if !first(i) {
		if i++; !first(i) {
			i, _ = slices.BinarySearchFunc(outputs, in.from, func(o output, from uintptr) int {
				if o.memory.to > from {
					return 1
				}
				return -1
			})
		}
		*l = lookup(i)
	}
	for ; i < len(outputs) && outputs[i].memory.from < in.to; i++ {
		if outputs[i].packet != packet {
			return true
		}
	}
	return false
}
