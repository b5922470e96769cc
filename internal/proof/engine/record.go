// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A record contains hashes of a proof's assertions and of the terms that the statement
// compared to show them. Each hash occurs once, and the hashes have no order.
type record struct {
	hasher
	said map[uint64]bool
}

func (r *record) add(kind string, hashes ...uint64) {
	r.said[mix(append([]uint64{text(kind)}, hashes...)...)] = true
}

// Compared returns 16 hexadecimal digits that identify what the proof of a statement
// compares: its assertions, the terms compared to show them, and the terms that Left
// compares. It runs the proof for only a few lengths. The digits also depend on the
// kernel.
func (k *Kernel) Compared(f *asm.File, fn *asm.Func) (string, error) {
	all := sha256.New()
	for _, part := range k.Parts() {
		s, err := NewSession(part.Kernel, f, fn, part.Variant)
		if err != nil {
			return "", err
		}
		s.record = &record{hasher{s.Store, map[term.Term]uint64{}}, map[uint64]bool{}}
		_, err = s.Prove(Few)
		for _, h := range slices.Sorted(maps.Keys(s.record.said)) {
			binary.Write(all, binary.LittleEndian, h)
		}
		s.Store.Drop()
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%x", all.Sum(nil)[:8]), nil
}

// claim adds what a claim says.
func (r *record) claim(c *Case, a *Assertion) {
	has := func(list []Has) (sum uint64) {
		for _, h := range list {
			sum += mix(text(c.name(h.Place)), r.of(h.Term))
		}
		return sum
	}
	terms := func(of map[term.Term]term.Term) (sum uint64) {
		for leaf, t := range of {
			sum += mix(r.of(leaf), r.of(t))
		}
		return sum
	}
	list := func(of []term.Term) (sum uint64) {
		for _, t := range of {
			sum += r.of(t)
		}
		return sum
	}
	if call := a.Call; call != nil {
		cases := uint64(0)
		for _, e := range call.Cases {
			cases += mix(text(e.Variant), terms(e.Inputs))
		}
		r.add("call", text(call.To), text(call.Name), cases, list(call.Results))
	}
	r.add("claim", has(a.Has), list(a.Unknown), terms(a.Of), terms(a.As), 0, 0,
		text(fmt.Sprintf("%t false \"\" []", a.Everywhere)), r.note(a, reflect.ValueOf(a.Note)))
}

// note returns a hash of the contents of a Note: terms, polynomials, numbers, strings,
// and structs and lists of these.
func (r *record) note(a *Assertion, v reflect.Value) uint64 {
	switch {
	case !v.IsValid():
		return 0
	case v.Type() == reflect.TypeFor[term.Term]():
		return r.of(term.Term(v.Uint()))
	case v.Type() == reflect.TypeFor[algebra.Poly]():
		return a.Bounds.Hash(v.Interface().(algebra.Poly), r.of)
	}
	var parts []uint64
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			parts = append(parts, r.note(a, v.Field(i)))
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			parts = append(parts, r.note(a, v.Index(i)))
		}
	case reflect.Int, reflect.Uint64, reflect.Bool, reflect.String:
		parts = append(parts, text(fmt.Sprint(v)))
	default:
		machine.Fail("a Note has a %s, which is not recorded", v.Type())
	}
	return mix(parts...)
}
