// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package alias tells whether buffers share memory, and gives outputs theirs.
package alias

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"
	"sync"
	"unsafe"
)

// Overlap reports whether x and y share a byte. Only the bytes within their
// lengths count, not those within their capacities.
func Overlap(x, y []byte) bool {
	return len(x) > 0 && len(y) > 0 &&
		uintptr(unsafe.Pointer(&x[0])) <= uintptr(unsafe.Pointer(&y[len(y)-1])) &&
		uintptr(unsafe.Pointer(&y[0])) <= uintptr(unsafe.Pointer(&x[len(x)-1]))
}

// InexactOverlap reports whether x and y share a byte at different indices:
// the overlap that an in-place cipher cannot work with.
func InexactOverlap(x, y []byte) bool {
	return Overlap(x, y) && &x[0] != &y[0]
}

// Extend returns dst with n more bytes, in its own memory if that is enough, and those bytes.
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

// A Call has the buffers of one of several calls that work together: it reads the others and appends
// to Dst.
type Call struct {
	Dst, Nonce, Text, AdditionalData []byte

	OK bool // of those who work, not of this package
}

// A span is memory from an address to another. They are signed, because the sign of a difference
// shows without a branch which of two is first.
type span struct{ from, to int64 }

func spanOf(b []byte) span {
	from := int64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	return span{from, from + int64(len(b))}
}

// meets is negative if two spans share a byte, or if one is empty and inside the other.
func (s span) meets(x span) int64 { return (s.from - x.to) & (x.from - s.to) }

// shares reports whether two spans share a byte.
func (s span) shares(x span) bool { return max(s.from, x.from) < min(s.to, x.to) }

// lacks is negative if not all of x is in s.
func (s span) lacks(x span) int64 { return (x.from - s.from) | (s.to - x.to) }

// output returns the memory that a call is going to write to, so many bytes more than the text: none
// if that is yet to be allocated.
func (c *Call) output(more int) (out span) {
	if n := len(c.Text) + more; 0 < n && n <= cap(c.Dst)-len(c.Dst) {
		out.from = spanOf(c.Dst).to
		out.to = out.from + int64(n)
	}
	return out
}

// Overlapping returns what overlaps that must not, in words, or nothing. No output may overlap
// anything of another call, nor the call's own additional data or, except exactly, its text. Of that it
// may overlap the last tail bytes. An output has so many bytes more than the text.
//
// Mostly the outputs are in the order of their addresses, and what each call reads is outside of all
// outputs, or between the one before and the one after its own.
func Overlapping(calls []Call, more, tail int) (what string) {
	if len(calls) == 0 {
		return ""
	}
	next := calls[0].output(more)
	all, before := span{next.from, calls[len(calls)-1].output(more).to}, next.from
	for i := range calls {
		c, out := &calls[i], next
		next = span{all.to, all.to}
		if i+1 < len(calls) {
			next = calls[i+1].output(more)
		}
		between := span{before, next.from}
		if out.from == 0 || between.lacks(out) < 0 {
			return sortAndSweep(calls, more, tail)
		}
		if x := spanOf(c.Text); all.meets(x) < 0 && (between.lacks(x) < 0 || out.from != x.from && out.meets(x) < 0) {
			return sortAndSweep(calls, more, tail)
		}
		if x := spanOf(c.AdditionalData); all.meets(x) < 0 && (between.lacks(x) < 0 || out.meets(x) < 0) {
			return sortAndSweep(calls, more, tail)
		}
		if x := spanOf(c.Nonce); all.meets(x) < 0 && between.lacks(x) < 0 {
			return sortAndSweep(calls, more, tail)
		}
		before = out.to
	}
	return ""
}

type output struct {
	span
	call int
}

// A sorter sorts outputs.
type sorter struct {
	outputs, sorted []output
	keys            []uint64
}

var sorters = sync.Pool{New: func() any { return new(sorter) }}

// sortAndSweep is Overlapping for any order.
func sortAndSweep(calls []Call, more, tail int) (what string) {
	s := sorters.Get().(*sorter)
	s.outputs = s.outputs[:0]
	for i := range calls {
		s.outputs = append(s.outputs, output{calls[i].output(more), i})
	}
	s.sort()
	what = sweep(s.sorted, calls, tail)
	sorters.Put(s)
	return what
}

// sort has sorted be the outputs by their addresses. It sorts numbers, an address with an index below it, where
// there is room for both: for a function that compares outputs it would take three times as long.
func (s *sorter) sort() {
	s.keys, s.sorted = s.keys[:0], s.sorted[:0]
	shift, all := bits.Len(uint(len(s.outputs))), int64(0)
	for i, out := range s.outputs {
		all |= out.from
		s.keys = append(s.keys, uint64(out.from)<<shift|uint64(i))
	}
	if all>>(64-shift) != 0 {
		s.sorted = append(s.sorted, s.outputs...)
		slices.SortFunc(s.sorted, func(x, y output) int { return cmp.Compare(x.from, y.from) })
		return
	}
	slices.Sort(s.keys)
	for _, key := range s.keys {
		s.sorted = append(s.sorted, s.outputs[key&(1<<shift-1)])
	}
}

// sweep is Overlapping for outputs that are sorted by their addresses.
func sweep(outputs []output, calls []Call, tail int) string {
	var texts, data, nonces lookup
	reach := int64(0)
	for i, out := range outputs {
		if out.from < reach {
			return "two outputs"
		}
		reach = out.to
		c := &calls[out.call]
		text := spanOf(c.Text)
		body := span{text.from, max(text.from, text.to-int64(tail))}
		switch {
		case out.from != text.from && out.shares(body):
			return "output and input"
		case out.shares(spanOf(c.AdditionalData)):
			return "output and additional data"
		case texts.meet(outputs, i, text):
			return "output and another packet's input"
		case data.meet(outputs, i, spanOf(c.AdditionalData)):
			return "output and another packet's additional data"
		case nonces.meet(outputs, i, spanOf(c.Nonce)):
			return "output and another packet's nonce"
		}
	}
	return ""
}

// A lookup is where the last input was found among the outputs: mostly the next is there or next to it.
type lookup int

// meet reports whether an input overlaps an output that is not its own. The outputs are sorted, and
// apart up to its own.
func (l *lookup) meet(outputs []output, own int, in span) bool {
	// The first output that ends after the input begins.
	first := func(i int) bool {
		return (i == 0 || outputs[i-1].to <= in.from) && (i == len(outputs) || in.from < outputs[i].to)
	}
	i := min(int(*l), len(outputs)-1)
	if !first(i) {
		if i++; !first(i) {
			i = sort.Search(len(outputs), func(i int) bool { return in.from < outputs[i].to })
		}
		*l = lookup(i)
	}
	for ; i < len(outputs) && outputs[i].from < in.to; i++ {
		if i != own && in.from < in.to {
			return true
		}
	}
	return false
}
