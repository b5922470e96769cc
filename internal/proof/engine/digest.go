// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math/bits"
	"reflect"
	"slices"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// Digest proves the claim for all lengths, as ProveFunc does, and adds the statement's
// half to the digest of the code that ProveFunc returns. This half covers the memory that Setup declares, what Spec expects, the inputs that remain
// after a turn, and the assertions and terms that the proof compares. It is computed
// from terms, so it does not depend on the statement's wording or order.
func (k *Kernel) Digest(f *asm.File, fn *asm.Func) (Result, error) {
	said := sha256.New()
	total, err := k.proveParts(f, fn, All, func(s *Session) func() {
		s.record = s.newRecord()
		return func() {
			for _, h := range slices.Sorted(maps.Keys(s.record.said)) {
				binary.Write(said, binary.LittleEndian, h)
			}
		}
	})
	total.Digest += fmt.Sprintf("-%x", said.Sum(nil)[:4])
	return total, err
}

// A record contains hashes of what a proof says. Each hash occurs once, and the hashes
// have no order.
type record struct {
	hasher
	said map[uint64]bool
}

func (r *record) add(kind string, hashes ...uint64) {
	r.said[mix(append([]uint64{text(kind)}, hashes...)...)] = true
}

// newRecord returns a record of a session that begins, with what its statement declares.
func (r *Session) newRecord() *record {
	n, k := &record{hasher{Store: r.Store}, map[uint64]bool{}}, r.Kernel
	n.add("statement", text(fmt.Sprintf("%q %q %d %d %d %d %d %t %q %q", k.Claim, r.Variant, k.Unit, k.Min, k.Max, k.Step, k.Reached, k.wipes(), k.From, k.To)))
	for _, o := range r.mem.Objects() {
		if r.env.Data[o.Name] == o {
			continue // is part of the code
		}
		n.add("object", text(fmt.Sprintln(o.Name, o.Align, o.Writable, o.Public)), n.of(r.mem.Size(o)))
		for at, b := range o.Fixed() {
			n.add("contents", text(o.Name), uint64(at), n.byte(b))
		}
	}
	for _, l := range r.Lies {
		for d := int64(-1 << 12); d <= 1<<12; d++ {
			if l.anywhere || l.Allowed(d) {
				n.add("overlap", text(l.Object.Name), text(l.In.Name), uint64(d))
			}
		}
	}
	for _, ring := range r.Rings {
		n.add("modulo", text(ring.Prime.String()))
	}
	if k.Step > 0 {
		r.goOn(map[term.Term]term.Term{})
		for o, by := range r.moves {
			n.add("moves", text(o.Name), uint64(by))
		}
		for leaf, to := range r.become {
			n.add("becomes", n.of(leaf), n.of(to))
		}
	}
	return n
}

// want adds what Spec expects after n bytes.
func (r *record) want(of map[*machine.Object]Wanted, n int64, last bool) {
	for o, want := range of {
		hashes := []uint64{text(o.Name), uint64(n), 0}
		if last {
			hashes[2] = 1
		}
		for at, b := range want.All() {
			if b < secret {
				hashes = append(hashes, uint64(at), r.byte(b))
			} else {
				hashes = append(hashes, uint64(at), uint64(b))
			}
		}
		r.add("want", hashes...)
	}
}

// A hasher hashes terms by their structure, down to the names of inputs. Term numbers
// and the order of commutative operands do not change the hash.
type hasher struct {
	*term.Store
	known []uint64 // by term; 0 if not known
}

func (h *hasher) byte(b term.Byte) uint64 {
	of, i := b.Of()
	return mix(h.of(of), uint64(i))
}

func (h *hasher) of(t term.Term) uint64 {
	if int(t) < len(h.known) && h.known[t] != 0 {
		return h.known[t]
	}
	v := mix(uint64(h.Op(t)), uint64(h.Width(t)), h.Imm(t))
	switch h.Op(t) {
	case term.Leaf:
		info := h.Info(t)
		v = mix(uint64(term.Leaf), uint64(h.Width(t)), text(fmt.Sprintf("%s %t %d %d", info.Name, info.Public, info.Min, info.Max)))
	case term.Join:
		var b [8]term.Byte
		h.Bytes(b[:], t)
		for i := range h.Width(t) / 8 {
			v = mix(v, h.byte(b[i]))
		}
	case term.Apply:
		v = mix(v, text(h.Func(t).Name))
		if !h.Func(t).Commutative {
			for _, arg := range h.Args(t) {
				v = mix(v, h.of(term.Term(arg)))
			}
			break
		}
		fallthrough
	default:
		for i, arg := range h.Args(t) {
			coef := uint64(1)
			if h.Op(t) == term.Sum {
				coef = h.Coef(t, i)
			}
			v += mix(h.of(term.Term(arg)), coef)
		}
		v = mix(v)
	}
	if more := int(t) + 1 - len(h.known); more > 0 {
		h.known = append(h.known, make([]uint64, more)...)
	}
	h.known[t] = v
	return v
}

// mix hashes numbers.
func mix(numbers ...uint64) uint64 {
	h := uint64(len(numbers))
	for _, n := range numbers {
		high, low := bits.Mul64(h^n^0x9e3779b97f4a7c15, 0xff51afd7ed558ccd)
		h = bits.RotateLeft64(high^low, 29) * 0xc4ceb9fe1a85ec53
	}
	return h ^ h>>32
}

func text(s string) uint64 {
	sum := sha256.Sum256([]byte(s))
	return binary.LittleEndian.Uint64(sum[:])
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
