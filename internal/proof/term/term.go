// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package term holds what registers and memory contain as expressions: terms over
// unknown inputs, each stored once, in a normal form. Two expressions that the
// normal forms know to be equal are the same number.
//
// Memory and registers are bytes. A byte is a place in a term, so that moves,
// shuffles, blends and broadcasts of whole bytes make no term at all, and a value
// that is put together from the bytes of one term is that term again.
package term

import (
	"math/bits"
	"slices"
)

// A Term is an expression of 8 to 64 bits, by its number in a Store.
type Term uint32

// A Byte is one byte of a term: the term's number times 8, and which byte, from
// the least significant one.
type Byte uint32

// Of returns the term and which of its bytes b is.
func (b Byte) Of() (Term, int) { return Term(b >> 3), int(b & 7) }

// Op says what a term is made of.
type Op uint8

const (
	Const Op = iota // Imm
	Leaf            // an unknown input
	Join            // bytes of other terms, from the least significant one
	Sum             // Imm and multiples of terms, modulo 2^width
	Xor             // Imm and terms
	And             // Imm and terms
	Or              // Imm and terms
	Shl             // a term shifted left by Imm bits, no multiple of 8
	Shr             // a term shifted right by Imm bits, no multiple of 8
	Rot             // a term rotated left by Imm bits
	Apply           // a Func

	difference // of no term: the operation of Sub
)

// A Func is an operation without a normal form of its own.
type Func struct {
	Name        string
	Commutative bool
	// Eval is its meaning, for constants; width is that of the result.
	Eval func(width int, imm uint64, args []uint64) uint64
}

// A node has no pointers, so that the garbage collector does not look at the many that there are. It never
// changes, so that who has a node, or its operands, may go on with them while the store grows.
type node struct {
	op     Op
	width  uint8 // bits
	public bool  // depends on public inputs alone
	marked bool  // depends on a marked input
	chosen bool  // depends on a choice, or is one
	fn     uint8 // of an Apply, by its number in Store.funcs
	count  uint16
	imm    uint64
	first  uint32 // where its count operands begin in Store.operands: terms, or the bytes of a Join
	factor uint32 // of a Sum: where their factors begin in Store.factors
}

// A Store holds terms. It must not be shared between goroutines.
type Store struct {
	nodes    []node
	operands []uint32
	factors  []uint64
	table    []slot // open addressing
	leaves   []*LeafInfo

	parts []part // room for what Linear works on, and for what it makes a node of
	sumOf []uint32
	times []uint64

	funcs []*Func // the first is nil, of what is no Apply
	cache cache
	same  map[[2]Byte]bool // bytes that were found to be equal
	some  *Evaluation      // of leaves that have some value
	drops []func()

	Memo map[any]any // what specifications and statements want to keep of their terms
}

// A slot has a node's number, plus 1, and the lower half of its hash; 0 is free.
type slot uint64

// LeafInfo is what is known of an unknown input.
type LeafInfo struct {
	Name     string
	Public   bool
	Marked   bool // see Store.Marked
	Min, Max uint64
}

// New returns a store that holds the constants of one byte.
func New() *Store {
	s := &Store{table: make([]slot, 1<<12), cache: make(cache, 1<<12), same: map[[2]Byte]bool{}, funcs: []*Func{nil}, Memo: map[any]any{}}
	s.some = s.Evaluate(s.someValue)
	for i := range uint64(256) {
		s.intern(node{op: Const, width: 8, public: true, imm: i}, nil, nil)
	}
	return s
}

// Drop gives the memory of all terms back. The store is of no use after it.
func (s *Store) Drop() {
	for _, f := range s.drops {
		f()
	}
	*s = Store{}
}

// OnDrop makes Drop call a function, which gives back what others keep of the terms.
func (s *Store) OnDrop(f func()) { s.drops = append(s.drops, f) }

// Len returns the number of terms.
func (s *Store) Len() int { return len(s.nodes) }

// Size returns how many operands all terms have, which is what memory they take.
func (s *Store) Size() int { return len(s.operands) }

func mask(width int) uint64 { return ^uint64(0) >> (64 - width) }

// args returns the operands of a node, and coefs the factors of a sum's. They are not to be changed.
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

// is reports whether a node of the store is n with operands.
func (s *Store) is(m, n *node, args []uint32, coefs []uint64) bool {
	return m.op == n.op && m.width == n.width && m.imm == n.imm && m.fn == n.fn &&
		slices.Equal(s.args(m), args) && (coefs == nil || slices.Equal(s.coefs(m), coefs))
}

// intern returns the number of a node with operands, and for a sum with factors. It keeps neither, so that callers
// make them on their stacks.
func (s *Store) intern(n node, args []uint32, coefs []uint64) Term {
	h := n.hash(args, coefs) & (1<<32 - 1)
	at := h & uint64(len(s.table)-1)
	for ; s.table[at] != 0; at = (at + 1) & uint64(len(s.table)-1) {
		if x := uint64(s.table[at]); x>>32 == h {
			if id := uint32(x) - 1; s.is(&s.nodes[id], &n, args, coefs) {
				return Term(id)
			}
		}
	}
	id := uint32(len(s.nodes))
	if id >= 1<<29 || len(args) >= 1<<16 || uint64(len(s.operands)) >= 1<<32-1<<16 {
		panic("term: too many terms")
	}
	n.first, n.factor, n.count = uint32(len(s.operands)), uint32(len(s.factors)), uint16(len(args))
	s.flags(&n, args)
	s.operands, s.factors = extend(s.operands, args...), extend(s.factors, coefs...)
	s.nodes = extend(s.nodes, n)
	s.table[at] = slot(h<<32 | uint64(id+1))
	if 2*len(s.nodes) > len(s.table) {
		s.grow()
	}
	return Term(id)
}

// extend is append that doubles what is full, as lists become long.
func extend[T any](list []T, more ...T) []T {
	if len(list)+len(more) > cap(list) {
		list = slices.Grow(list, len(list)+len(more))
	}
	return append(list, more...)
}

func (s *Store) grow() {
	old := s.table
	s.table = make([]slot, 4*len(old))
	if len(s.cache) < cacheSize {
		s.cache = make(cache, min(len(s.table), cacheSize))
	}
	for _, x := range old {
		if x == 0 {
			continue
		}
		at := uint64(x>>32) & uint64(len(s.table)-1)
		for ; s.table[at] != 0; at = (at + 1) & uint64(len(s.table)-1) {
		}
		s.table[at] = x
	}
}

// flags sets what a node inherits.
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

// Impossible returns the name of a leaf whose bounds leave it no value, if there is one.
func (s *Store) Impossible() (name string, ok bool) {
	for _, info := range s.leaves {
		if info.Min > info.Max {
			return info.Name, true
		}
	}
	return "", false
}

// Unknown returns a new secret input, of which nothing is known.
func (s *Store) Unknown(width int) Term { return s.NewLeaf(width, LeafInfo{Name: "unknown"}) }

// Op returns what t is made of.
func (s *Store) Op(t Term) Op { return s.nodes[t].op }

// Width returns the number of bits of t.
func (s *Store) Width(t Term) int { return int(s.nodes[t].width) }

// Imm returns the constant in t: the value, the summand, the number of bits.
func (s *Store) Imm(t Term) uint64 { return s.nodes[t].imm }

// Func returns the operation of an Apply.
func (s *Store) Func(t Term) *Func { return s.funcs[s.nodes[t].fn] }

// number returns the number of an operation in s.funcs.
func (s *Store) number(f *Func) uint8 {
	i := slices.Index(s.funcs, f)
	if i < 0 {
		i = len(s.funcs)
		s.funcs = append(s.funcs, f)
	}
	return uint8(i)
}

// Args returns the terms in t, which is no Join. They are not to be changed.
func (s *Store) Args(t Term) []uint32 { return s.args(&s.nodes[t]) }

// Coef returns by what argument i of a Sum is multiplied.
func (s *Store) Coef(t Term, i int) uint64 { return s.coefs(&s.nodes[t])[i] }

// Public reports whether t depends on public inputs alone.
func (s *Store) Public(t Term) bool { return s.nodes[t].public }

// PublicByte reports whether a byte depends on public inputs alone.
func (s *Store) PublicByte(b Byte) bool { return s.nodes[b>>3].public }

// Marked reports whether t depends on an input that is marked: lengths and counts
// of turns, which Substitute replaces most.
func (s *Store) Marked(t Term) bool { return s.nodes[t].marked }

// Info returns what is known of a Leaf.
func (s *Store) Info(t Term) *LeafInfo { return s.leaves[s.nodes[t].imm] }

// IsConst returns the value of a constant.
func (s *Store) IsConst(t Term) (uint64, bool) {
	n := &s.nodes[t]
	return n.imm, n.op == Const
}

// A cache remembers results of operations on two terms. Runs for other lengths do
// most of their work again: they find it here without building a normal form. It grows with the table, up to
// cacheSize, and is empty then.
type cache []entry

type entry struct {
	key    uint64
	result Term
}

const cacheSize = 1 << 16

// cached returns f(op, a, b), perhaps from before. No op is 0, so that no key is.
func (s *Store) cached(op Op, a, b Term, f func(op Op, a, b Term) Term) Term {
	key := uint64(op)<<58 | uint64(a)<<29 | uint64(b)
	e := &s.cache[key*0x9e3779b97f4a7c15>>32&uint64(len(s.cache)-1)]
	if e.key != key {
		result := f(op, a, b) // it may call cached, too
		s.cache[key*0x9e3779b97f4a7c15>>32&uint64(len(s.cache)-1)] = entry{key, result}
		return result
	}
	return e.result
}

// Once returns what a function of statements or specifications has returned for a key in this store.
func Once[T any](s *Store, key any, value func() T) T {
	v, ok := s.Memo[key].(T)
	if !ok {
		v = value()
		s.Memo[key] = v
	}
	return v
}
