// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package term represents the contents of registers and memory as expressions in the
// inputs of a function. Each expression has a normal form, and expressions with the
// same normal form are the same Term. For example, x + y and y + x are the same Term.
// Terms can therefore be compared with ==. Start with [Store] and [Term].
package term

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// A Term identifies an expression of 8 to 64 bits in a Store.
type Term uint32

// A Byte identifies one byte of a Term. Byte i of Term t is represented as 8·t + i, where
// byte 0 is the least significant. For example, the two lowest bytes of Term 5 are
// Byte(40) and Byte(41).
type Byte uint32

// Of returns the term and the index of b.
func (b Byte) Of() (Term, int) { return Term(b >> 3), int(b & 7) }

// Op is the operation of a term.
type Op uint8

const (
	Const Op = iota // the constant Imm
	Leaf            // an unknown input
	Join            // bytes of other terms, the least significant first
	Sum             // the sum of Imm and multiples of terms, modulo 2^width
	Xor             // the exclusive or of Imm and terms
	And             // the and of Imm and terms
	Or              // the or of Imm and terms
	Shl             // a term shifted left by Imm bits, not a multiple of 8
	Shr             // a term shifted right by Imm bits, not a multiple of 8
	Rot             // a term rotated left by Imm bits
	Apply           // a Func of terms

	difference // the operation of Sub in the cache, which no term has
)

// A Func is an operation without a normal form of its own.
type Func struct {
	Name        string
	Commutative bool
	// Eval computes the operation for constants. width is the width of the result.
	Eval func(width int, imm uint64, args []uint64) uint64
}

// A node is immutable and contains no pointers, which keeps garbage collection fast.
type node struct {
	op     Op
	width  uint8 // in bits
	public bool  // depends only on public inputs
	marked bool  // depends on a marked input
	chosen bool  // is a choice or depends on one
	fn     uint8 // of an Apply: index in Store.funcs
	count  uint16
	imm    uint64
	first  uint32 // index of the first of count operands
	factor uint32 // of a Sum: index in Store.factors of the first factor
}

// A Store contains terms. It must not be used concurrently.
type Store struct {
	nodes    []node
	operands []uint32
	factors  []uint64
	table    []slot // a hash table with open addressing
	leaves   []*LeafInfo

	funcs []*Func          // the first is nil, for nodes that are not an Apply
	cache []entry          // results of operations, once there are any
	same  map[[2]Byte]bool // results of comparisons of bytes
	some  *Evaluation      // an evaluation with pseudorandom leaves
	drops []func()

	parts []part // scratch memory of Linear
	sumOf []uint32
	times []uint64

	replaced      []latest[Term]   // by term
	substitutions uint32           // the number of Substitutions
	values        []latest[uint64] // by term
	evaluations   uint32           // the number of Evaluations

	Memo map[any]any // values that specifications and statements cache together with terms
}

// A slot is hash<<32 | (node number + 1), or 0 if empty.
type slot uint64

// LeafInfo describes an unknown input.
type LeafInfo struct {
	Name     string
	Public   bool
	Marked   bool // see Store.Marked
	Reserved bool // statements must not bind the leaf in assertions
	Min, Max uint64
}

// dropped contains empty Stores whose memory New reuses, because growing is slow.
var dropped = sync.Pool{New: func() any { return &Store{} }}

// New returns a store that contains the one-byte constants.
func New() *Store {
	s := dropped.Get().(*Store)
	s.table, s.same, s.funcs, s.Memo = make([]slot, 1<<12), map[[2]Byte]bool{}, []*Func{nil}, map[any]any{}
	s.some = s.Evaluate(s.someValue)
	for i := range uint64(256) {
		s.intern(node{op: Const, width: 8, public: true, imm: i}, nil, nil)
	}
	return s
}

// Drop releases all memory. The store must not be used afterwards.
func (s *Store) Drop() {
	for _, f := range s.drops {
		f()
	}
	dropped.Put(&Store{nodes: s.nodes[:0], operands: s.operands[:0], factors: s.factors[:0], replaced: s.replaced[:0], values: s.values[:0]})
	*s = Store{}
}

// OnDrop registers a function for Drop to call.
func (s *Store) OnDrop(f func()) { s.drops = append(s.drops, f) }

// Len returns the number of terms.
func (s *Store) Len() int { return len(s.nodes) }

// Size returns the number of operands. Memory use is proportional to this number.
func (s *Store) Size() int { return len(s.operands) }

func mask(width int) uint64 { return ^uint64(0) >> (64 - width) }

// The caller must not change the slices that args and coefs return.
func (s *Store) args(n *node) []uint32 { return s.operands[n.first:][:n.count:n.count] }

func (s *Store) coefs(n *node) []uint64 { return s.factors[n.factor:][:n.count:n.count] }

func (n *node) hash(args []uint32, coefs []uint64) uint64 {
	h := uint64(n.fn)<<16 | uint64(n.op)<<8 | uint64(n.width)
	h = (h ^ n.imm) * 0x9e3779b97f4a7c15
	for _, a := range args {
		h = (bits.RotateLeft64(h, 23) ^ uint64(a)) * 0xff51afd7ed558ccd
	}
	for _, c := range coefs {
		h = (bits.RotateLeft64(h, 29) ^ c) * 0xc4ceb9fe1a85ec53
	}
	return h ^ h>>32
}

// intern returns the term for n. It does not retain args or coefs.
func (s *Store) intern(n node, args []uint32, coefs []uint64) Term {
	h := n.hash(args, coefs) & (1<<32 - 1)
	at := h & uint64(len(s.table)-1)
	for ; s.table[at] != 0; at = (at + 1) & uint64(len(s.table)-1) {
		x := uint64(s.table[at])
		if x>>32 != h {
			continue
		}
		id := uint32(x) - 1
		m := &s.nodes[id]
		if m.op == n.op && m.width == n.width && m.imm == n.imm && m.fn == n.fn &&
			slices.Equal(s.args(m), args) && (coefs == nil || slices.Equal(s.coefs(m), coefs)) {
			return Term(id)
		}
	}
	id := uint32(len(s.nodes))
	// Other packages use the Bytes of Term 1<<29 - 1 as markers.
	if id >= 1<<29-1 || len(args) >= 1<<16 || uint64(len(s.operands)) >= 1<<32-1<<16 {
		panic("term: too many terms")
	}
	n.first, n.factor, n.count = uint32(len(s.operands)), uint32(len(s.factors)), uint16(len(args))
	s.flags(&n, args)
	s.operands, s.factors, s.nodes = append(s.operands, args...), append(s.factors, coefs...), append(s.nodes, n)
	s.table[at] = slot(h<<32 | uint64(id+1))
	if 2*len(s.nodes) > len(s.table) {
		s.grow()
	}
	return Term(id)
}

// cover extends a list that is indexed by term to all terms.
func cover[T any](list []T, s *Store) []T {
	return append(list, make([]T, len(s.nodes)-len(list))...)
}

func (s *Store) grow() {
	old := s.table
	s.table = make([]slot, 2*len(old))
	for _, x := range old {
		if x == 0 {
			continue
		}
		at := uint64(x>>32) & uint64(len(s.table)-1)
		for s.table[at] != 0 {
			at = (at + 1) & uint64(len(s.table)-1)
		}
		s.table[at] = x
	}
}

func (s *Store) flags(n *node, args []uint32) {
	if n.op == Leaf {
		return
	}
	n.public, n.chosen = true, s.funcs[n.fn] == Choice
	for _, a := range args {
		if n.op == Join {
			a >>= 3
		}
		n.public = n.public && s.nodes[a].public
		n.marked = n.marked || s.nodes[a].marked
		n.chosen = n.chosen || s.nodes[a].chosen
	}
}

// Const returns a constant.
func (s *Store) Const(width int, v uint64) Term {
	v &= mask(width)
	if width == 8 {
		return Term(v)
	}
	return s.intern(node{op: Const, width: uint8(width), imm: v}, nil, nil)
}

// NewLeaf returns a new unknown input.
func (s *Store) NewLeaf(width int, info LeafInfo) Term {
	if info.Max == 0 {
		info.Max = mask(width)
	}
	s.leaves = append(s.leaves, &info)
	return s.intern(node{op: Leaf, width: uint8(width), public: info.Public, marked: info.Marked, imm: uint64(len(s.leaves) - 1)}, nil, nil)
}

// Impossible returns the name of an input whose bounds are contradictory.
func (s *Store) Impossible() (name string, ok bool) {
	for _, info := range s.leaves {
		if info.Min > info.Max {
			return info.Name, true
		}
	}
	return "", false
}

// Unknown returns a new secret input without any known facts.
func (s *Store) Unknown(width int) Term { return s.NewLeaf(width, LeafInfo{Name: "unknown"}) }

// Op returns the operation of t.
func (s *Store) Op(t Term) Op { return s.nodes[t].op }

// Width returns the width of t in bits.
func (s *Store) Width(t Term) int { return int(s.nodes[t].width) }

// Imm returns the constant operand of t, such as a shift count.
func (s *Store) Imm(t Term) uint64 { return s.nodes[t].imm }

// Func returns the operation of an Apply.
func (s *Store) Func(t Term) *Func { return s.funcs[s.nodes[t].fn] }

// Args returns the operands of t, such as x and y for x + y. They are Bytes if t is a
// Join, and Terms otherwise. The caller must not change the slice.
func (s *Store) Args(t Term) []uint32 { return s.args(&s.nodes[t]) }

// Coef returns the factor of operand i of a Sum.
func (s *Store) Coef(t Term, i int) uint64 { return s.coefs(&s.nodes[t])[i] }

// Public reports whether t depends only on public inputs.
func (s *Store) Public(t Term) bool { return s.nodes[t].public }

// PublicByte reports whether b depends only on public inputs.
func (s *Store) PublicByte(b Byte) bool { return s.nodes[b>>3].public }

// Marked reports whether t depends on a length or an iteration count.
func (s *Store) Marked(t Term) bool { return s.nodes[t].marked }

// Info returns the description of a Leaf.
func (s *Store) Info(t Term) *LeafInfo { return s.leaves[s.nodes[t].imm] }

// IsConst returns the value of a constant.
func (s *Store) IsConst(t Term) (uint64, bool) {
	n := &s.nodes[t]
	return n.imm, n.op == Const
}

// An entry of the cache is the result of an operation with two operands.
type entry struct {
	op           Op
	a, b, result Term
}

// cached returns f(op, a, b). It calls f unless the cache contains the result. op must not
// be 0.
func (s *Store) cached(op Op, a, b Term, f func(op Op, a, b Term) Term) Term {
	if s.cache == nil {
		s.cache = make([]entry, 1<<14)
	}
	e := &s.cache[(uint64(op)<<58|uint64(a)<<29|uint64(b))*0x9e3779b97f4a7c15>>50]
	if e.op != op || e.a != a || e.b != b {
		*e = entry{op, a, b, f(op, a, b)}
	}
	return e.result
}

// Memo returns value(), which it computes once per key and store.
func Memo[T any](s *Store, key any, value func() T) T {
	v, ok := s.Memo[key].(T)
	if !ok {
		v = value()
		s.Memo[key] = v
	}
	return v
}

// Format formats a term, abbreviating operands below a few levels.
func (s *Store) Format(t Term) string { return short(s.format(t, 4)) }

// FormatByte formats a byte like Format.
func (s *Store) FormatByte(b Byte) string { return short(s.formatByte(b, 4)) }

func short(s string) string {
	const maxLen = 300
	if len(s) > maxLen {
		s = s[:maxLen] + " …"
	}
	return s
}

func (s *Store) formatByte(b Byte, depth int) string {
	t, at := b.Of()
	if s.nodes[t].width == 8 {
		return s.format(t, depth)
	}
	return fmt.Sprintf("byte %d of %s", at, s.format(t, depth))
}

func (s *Store) format(t Term, depth int) string {
	n := &s.nodes[t]
	switch {
	case n.op == Const:
		return fmt.Sprintf("%#x", n.imm)
	case n.op == Leaf:
		return s.leaves[n.imm].Name
	case depth == 0:
		return fmt.Sprintf("t%d", t)
	}
	var parts []string
	for i, a := range s.args(n) {
		switch {
		case n.op == Join:
			parts = append(parts, s.formatByte(Byte(a), depth-1))
		case n.op == Sum && s.coefs(n)[i] != 1:
			parts = append(parts, fmt.Sprintf("%d*%s", int64(s.coefs(n)[i]), s.format(Term(a), depth-1)))
		default:
			parts = append(parts, s.format(Term(a), depth-1))
		}
	}
	if n.op != Join && n.imm != neutral(n.op, int(n.width)) {
		parts = append(parts, fmt.Sprintf("%#x", n.imm))
	}
	name := [...]string{Join: "join", Sum: " + ", Xor: " ^ ", And: " & ", Or: " | ", Shl: "shl", Shr: "shr", Rot: "rot", Apply: ""}[n.op]
	switch n.op {
	case Sum, Xor, And, Or:
		return "(" + strings.Join(parts, name) + ")"
	case Apply:
		name = s.Func(t).Name
	}
	return fmt.Sprintf("%s%d(%s)", name, n.width, strings.Join(parts, ", "))
}
