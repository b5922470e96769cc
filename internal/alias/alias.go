// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package alias detects overlapping buffers and allocates outputs for AEADs.
package alias

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sort"
	"sync"
	"unsafe"
)

// Overlap reports whether x and y share memory within their lengths.
func Overlap(x, y []byte) bool {
	return len(x) > 0 && len(y) > 0 &&
		uintptr(unsafe.Pointer(&x[0])) <= uintptr(unsafe.Pointer(&y[len(y)-1])) &&
		uintptr(unsafe.Pointer(&y[0])) <= uintptr(unsafe.Pointer(&x[len(x)-1]))
}

// InexactOverlap reports whether x and y share memory at different indices.
func InexactOverlap(x, y []byte) bool {
	return Overlap(x, y) && &x[0] != &y[0]
}

// Extend extends dst by n bytes, reallocating it if necessary. It returns the extended
// slice and its last n bytes.
func Extend(dst []byte, n int) (all, out []byte) {
	total := len(dst) + n
	if total <= cap(dst) {
		all = dst[:total]
	} else {
		all = make([]byte, total)
		copy(all, dst)
	}
	return all, all[len(dst):]
}

// A Packet contains the buffers of one message. Sealing or opening the message appends
// the result to Dst.
type Packet struct {
	Dst, Nonce, Text, AdditionalData []byte

	OK bool // for the callers; this package does not use it
}

type span struct{ from, to uintptr }

func spanOf(b []byte) span {
	from := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return span{from, from + uintptr(len(b))}
}

func (s span) overlaps(x span) bool {
	return x.from < s.to && s.from < x.to && x.from < x.to && s.from < s.to
}

func (s span) contains(x span) bool { return s.from <= x.from && x.to <= s.to }

// An output is the part of Dst's spare capacity where a packet's result will be
// written. It is empty if the result does not fit, because the result then goes into a
// newly allocated slice.
type output struct {
	span
	packet int
}

type workspace struct {
	outputs []output
	keys    []uint64
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// Overlapping returns a description of a forbidden overlap, or "" if there is none. The
// output of a packet is len(Text)+delta bytes long. It must not overlap:
//
//   - another packet's output, text, additional data or nonce
//   - the packet's own additional data
//   - the packet's own text, unless both begin at the same address or only the last
//     tail bytes of the text overlap
func Overlapping(packets []Packet, delta, tail int) (problem string) {
	if len(packets) <= maxPairwise {
		return pairwise(packets, delta, tail)
	}
	if len(packets) <= 8 { // using the pool would be slower for few packets
		var few [8 + 2]output
		return sweep(few[:0], nil, packets, delta, tail)
	}
	w := workspaces.Get().(*workspace)
	w.outputs = slices.Grow(w.outputs[:0], 2*len(packets)+2)
	problem = sweep(w.outputs, &w.keys, packets, delta, tail)
	workspaces.Put(w)
	return problem
}

// maxPairwise is the largest number of packets that Overlapping compares in pairs.
const maxPairwise = 3

// pairwise implements Overlapping for at most maxPairwise packets.
func pairwise(packets []Packet, delta, tail int) (problem string) {
	var outs [maxPairwise]span
	all := span{from: math.MaxUint}
	for i := range packets {
		c := &packets[i]
		if n := len(c.Text) + delta; 0 < n && n <= cap(c.Dst)-len(c.Dst) {
			from := spanOf(c.Dst).to
			outs[i] = span{from, from + uintptr(n)}
			all = span{min(all.from, from), max(all.to, from+uintptr(n))}
		}
	}
	for i := range packets {
		c, own := &packets[i], &outs[i]
		for j := range i {
			if own.overlaps(outs[j]) {
				return "two outputs"
			}
		}
		// Skip a buffer that lies outside the range of all outputs.
		if x := spanOf(c.Text); x.from < all.to && all.from < x.to {
			if own.from != x.from && own.overlaps(span{x.from, x.to - uintptr(tail)}) {
				return "output and input"
			}
			if overlapsOther(&outs, i, x) {
				return "output and another packet's input"
			}
		}
		if x := spanOf(c.AdditionalData); x.from < all.to && all.from < x.to {
			if own.overlaps(x) {
				return "output and additional data"
			}
			if overlapsOther(&outs, i, x) {
				return "output and another packet's additional data"
			}
		}
		if x := spanOf(c.Nonce); x.from < all.to && all.from < x.to && overlapsOther(&outs, i, x) {
			return "output and another packet's nonce"
		}
	}
	return ""
}

// overlapsOther reports whether x overlaps any output except outs[i].
func overlapsOther(outs *[maxPairwise]span, i int, x span) bool {
	for j := range outs {
		if j != i && outs[j].overlaps(x) {
			return true
		}
	}
	return false
}

// sweep implements Overlapping for any number of packets. It visits the outputs in
// address order. The first and last elements of outputs are sentinels.
func sweep(outputs []output, keys *[]uint64, packets []Packet, delta, tail int) (problem string) {
	outputs = append(outputs, output{})
	ascending := true
	for i := range packets {
		out, c := output{packet: i}, &packets[i]
		if n := len(c.Text) + delta; 0 < n && n <= cap(c.Dst)-len(c.Dst) {
			out.from = spanOf(c.Dst).to
			out.to = out.from + uintptr(n)
		}
		ascending = ascending && outputs[i].from <= out.from
		outputs = append(outputs, out)
	}
	if !ascending {
		sortOutputs(outputs[1:], keys)
	}
	outputs = append(outputs, output{span: span{math.MaxUint, math.MaxUint}})
	all := span{outputs[1].from, outputs[len(packets)].to}
	var gaps [3]span // the gaps that contained the previous text, additional data and nonce
	for i := 1; i < len(outputs)-1; i++ {
		// overlapsOutput needs a binary search. The comparisons with all, around and
		// gaps usually avoid it.
		out, around := &outputs[i], span{outputs[i-1].to, outputs[i+1].from}
		if !around.contains(out.span) {
			return "two outputs"
		}
		c := &packets[out.packet]
		if x := spanOf(c.Text); all.overlaps(x) {
			if out.from != x.from && out.overlaps(span{x.from, x.to - uintptr(tail)}) {
				return "output and input"
			}
			if !around.contains(x) && gaps[0].overlapsOutput(outputs, x) {
				return "output and another packet's input"
			}
		}
		if x := spanOf(c.AdditionalData); all.overlaps(x) {
			if out.overlaps(x) {
				return "output and additional data"
			}
			if !around.contains(x) && gaps[1].overlapsOutput(outputs, x) {
				return "output and another packet's additional data"
			}
		}
		if x := spanOf(c.Nonce); all.overlaps(x) && !around.contains(x) && gaps[2].overlapsOutput(outputs, x) {
			return "output and another packet's nonce"
		}
	}
	return ""
}

// sortOutputs sorts outputs by address.
func sortOutputs(outputs []output, keys *[]uint64) {
	shift, all := bits.Len(uint(len(outputs))), uintptr(0)
	for _, out := range outputs {
		all |= out.from
	}
	if keys == nil || bits.Len(uint(all))+shift > 64 {
		slices.SortFunc(outputs, func(x, y output) int { return cmp.Compare(x.from, y.from) })
		return
	}
	// Sort integers that combine an address and an index, which is faster than calling a
	// comparison function.
	*keys = (*keys)[:0]
	for i, out := range outputs {
		*keys = append(*keys, uint64(out.from)<<shift|uint64(i))
	}
	slices.Sort(*keys)
	sorted := outputs[len(outputs):]
	for _, key := range *keys {
		sorted = append(sorted, outputs[key&(1<<shift-1)])
	}
	copy(outputs, sorted)
}

// overlapsOutput reports whether x overlaps any of outputs. cache is the gap between
// outputs that the last search found.
func (cache *span) overlapsOutput(outputs []output, x span) bool {
	if cache.contains(x) {
		return false
	}
	i := sort.Search(len(outputs), func(i int) bool { return x.from < outputs[i].to })
	// The next buffer is often in the same gap.
	*cache = span{outputs[i-1].to, outputs[i].from}
	return outputs[i].from < x.to
}
