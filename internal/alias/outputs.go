// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package alias

import (
	"cmp"
	"slices"
	"unsafe"
)

// A Span is memory from an address to another. They are signed, because the sign of a difference
// shows without a branch which of two is first.
type Span struct{ from, to int64 }

// SpanOf returns where b is.
func SpanOf(b []byte) Span {
	from := int64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	return Span{from, from + int64(len(b))}
}

// Meets is negative if two spans share a byte, or if one is empty and inside the other.
func (s Span) Meets(x Span) int64 { return (s.from - x.to) & (x.from - s.to) }

// MeetsInexactly is Meets, but not negative if both begin at the same address.
func (s Span) MeetsInexactly(x Span) int64 {
	return s.Meets(x) & ((s.from - x.from) | (x.from - s.from))
}

// Lacks is negative if not all of x is in s.
func (s Span) Lacks(x Span) int64 { return (x.from - s.from) | (s.to - x.to) }

// To returns the span from where s begins to where x ends.
func (s Span) To(x Span) Span { return Span{s.from, x.to} }

// End returns the empty span where s ends.
func (s Span) End() Span { return Span{s.to, s.to} }

// An Output is the memory that one of several calls is going to write to.
type Output struct {
	Span
	call int
}

// SpanAfter returns where n bytes are appended to dst, which has room for them.
func SpanAfter(dst []byte, n int) Span {
	from := SpanOf(dst).to
	return Span{from, from + int64(n)}
}

// OutputAfter returns where a call appends n bytes to dst, which has room for them.
func OutputAfter(dst []byte, n, call int) Output { return Output{SpanAfter(dst, n), call} }

// Outputs are those of calls that work together, so none may share memory with another call. None
// is empty.
type Outputs []Output

// Apart sorts the outputs by their addresses, and reports whether none overlaps another.
func (o Outputs) Apart() bool {
	if o.inOrder() {
		return true
	}
	slices.SortFunc(o, func(x, y Output) int { return cmp.Compare(x.from, y.from) })
	return o.inOrder()
}

func (o Outputs) inOrder() bool {
	var bad int64
	last := int64(0)
	for i := range o {
		bad |= o[i].from - last
		last = o[i].to
	}
	return bad >= 0
}

// All returns a span that has all outputs, which Apart sorted.
func (o Outputs) All() Span {
	if len(o) == 0 {
		return Span{}
	}
	return Span{o[0].from, o[len(o)-1].to}
}

// Meet reports whether a call's input overlaps the output of another call. The outputs are
// apart, and were sorted by Apart.
func (o Outputs) Meet(call int, input []byte) bool {
	in := SpanOf(input)
	if in.from == in.to || len(o) == 0 {
		return false
	}
	// The first output that ends after the input begins: if the calls are in the order of their
	// addresses, mostly the call's own.
	i := call
	if i >= len(o) || o[i].to <= in.from || i > 0 && in.from < o[i-1].to {
		end := len(o)
		for i = 0; i < end; {
			if middle := (i + end) / 2; o[middle].to <= in.from {
				i = middle + 1
			} else {
				end = middle
			}
		}
	}
	for ; i < len(o) && o[i].from < in.to; i++ {
		if o[i].call != call {
			return true
		}
	}
	return false
}
