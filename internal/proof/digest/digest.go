// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package digest hashes the statements proven about kernels. PROVEN.md records the
// hashes, so that a test fails if a statement changes.
package digest

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math/bits"
	"reflect"
	"slices"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A Set is an unordered set of hashes of facts about terms. It hashes terms by
// structure. The order of commutative operands has no effect.
type Set struct {
	*term.Store
	said  map[uint64]bool
	known []uint64 // by term; 0 if not yet computed
}

// NewSet returns an empty set for facts about terms of s.
func NewSet(s *term.Store) *Set { return &Set{Store: s, said: map[uint64]bool{}} }

// Add adds the hash of a fact of the given kind.
func (h *Set) Add(kind string, hashes ...uint64) {
	h.said[Mix(append([]uint64{Text(kind)}, hashes...)...)] = true
}

// Sorted returns the hashes in ascending order.
func (h *Set) Sorted() []uint64 { return slices.Sorted(maps.Keys(h.said)) }

// Byte returns the hash of a byte of a term.
func (h *Set) Byte(b term.Byte) uint64 {
	of, i := b.Of()
	return Mix(h.Term(of), uint64(i))
}

// Term returns the hash of a term.
func (h *Set) Term(t term.Term) uint64 {
	if int(t) < len(h.known) && h.known[t] != 0 {
		return h.known[t]
	}
	op := h.Op(t)
	v := Mix(uint64(op), uint64(h.Width(t)), h.Imm(t))
	if op == term.Apply {
		v = Mix(v, Text(h.Func(t).Name))
	}
	switch {
	case op == term.Leaf:
		info := h.Info(t)
		v = Mix(uint64(op), uint64(h.Width(t)), Text(fmt.Sprintf("%s %t %d %d", info.Name, info.Public, info.Min, info.Max)))
	case op == term.Join:
		for _, arg := range h.Args(t) {
			v = Mix(v, h.Byte(term.Byte(arg)))
		}
	case op == term.Apply && !h.Func(t).Commutative:
		for _, arg := range h.Args(t) {
			v = Mix(v, h.Term(term.Term(arg)))
		}
	default:
		for i, arg := range h.Args(t) {
			coef := uint64(1)
			if op == term.Sum {
				coef = h.Coef(t, i)
			}
			v += Mix(h.Term(term.Term(arg)), coef)
		}
		v = Mix(v)
	}
	h.known = append(h.known, make([]uint64, h.Len()-len(h.known))...)
	h.known[t] = v
	return v
}

// Mix hashes numbers.
func Mix(numbers ...uint64) uint64 {
	h := uint64(len(numbers))
	for _, n := range numbers {
		high, low := bits.Mul64(h^n^0x9e3779b97f4a7c15, 0xff51afd7ed558ccd)
		h = bits.RotateLeft64(high^low, 29) * 0xc4ceb9fe1a85ec53
	}
	return h ^ h>>32
}

// Text hashes a string.
func Text(s string) uint64 {
	sum := sha256.Sum256([]byte(s))
	return binary.LittleEndian.Uint64(sum[:])
}

// Value returns a hash of v: a term, polynomial, object, number, bool or string, or a
// pointer, struct, slice, array or map of these. It omits functions. Any other type fails
// the proof. Polynomials in v must come from a.
func (h *Set) Value(a *algebra.Algebra, v reflect.Value) uint64 {
	parts := make([]uint64, 1, 8)
	switch kind := v.Kind(); {
	case kind == reflect.Invalid || kind == reflect.Func:
		return 0
	case kind == reflect.Uint32 && v.Type() == reflect.TypeFor[term.Term]():
		return h.Term(term.Term(v.Uint()))
	case kind == reflect.Slice && v.Type() == reflect.TypeFor[algebra.Poly]():
		return a.Hash(v.Interface().(algebra.Poly), h.Term)
	case kind == reflect.Pointer && v.Type() == reflect.TypeFor[*algebra.Algebra]():
		return 0
	case kind == reflect.Pointer && v.Type() == reflect.TypeFor[*machine.Object]() && !v.IsNil():
		return Text(v.Interface().(*machine.Object).Name)
	case kind == reflect.Int || kind == reflect.Int64:
		return Mix(uint64(v.Int()))
	case kind == reflect.Uint64:
		return Mix(v.Uint())
	case kind == reflect.Bool || kind == reflect.String:
		return Text(fmt.Sprint(v))
	case kind == reflect.Pointer || kind == reflect.Interface:
		parts[0] = h.Value(a, v.Elem())
	case kind == reflect.Map:
		for i := v.MapRange(); i.Next(); { // ranging over Seq2 would allocate parts
			parts[0] += Mix(h.Value(a, i.Key()), h.Value(a, i.Value()))
		}
	case kind == reflect.Struct:
		for i := range v.NumField() {
			parts = append(parts, h.Value(a, v.Field(i)))
		}
	case kind == reflect.Slice || kind == reflect.Array:
		for i := range v.Len() {
			parts = append(parts, h.Value(a, v.Index(i)))
		}
	default:
		machine.Fail("a Note contains a %s, which is not hashed", v.Type())
	}
	return Mix(parts...)
}
