// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"crypto/sha256"
	"fmt"
	"reflect"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/digest"
)

// Digest proves k and returns hashes of its code and its statement.
func (k *Kernel) Digest(f *asm.File, fn *asm.Func) (Result, error) {
	said := sha256.New()
	total, err := k.proveParts(f, fn, All, said)
	total.Digest += fmt.Sprintf("-%x", said.Sum(nil)[:4])
	return total, err
}

func (r *Session) newRecord() *digest.Set {
	n, k := digest.NewSet(r.Store), r.Kernel
	n.Add("statement", digest.Text(fmt.Sprintf("%q %q %d %d %d %d %d %t %q %q", k.Claim, r.Variant, k.Unit, k.Min, k.Max, k.Step, k.Reached, k.wipes(), k.From, k.To)))
	for _, o := range r.mem.Objects() {
		if r.env.Data[o.Name] == o {
			continue // it is part of the code
		}
		n.Add("object", digest.Text(fmt.Sprintln(o.Name, o.Align, o.Writable, o.Public)), n.Term(r.mem.Size(o)))
		for at, b := range o.Fixed() {
			n.Add("contents", digest.Text(o.Name), uint64(at), n.Byte(b))
		}
	}
	n.Add("overlaps", n.Value(nil, reflect.ValueOf(r.Overlaps)))
	for _, ring := range r.Rings {
		n.Add("modulo", digest.Text(ring.Prime.String()))
	}
	if k.Step > 0 {
		r.advanceInputs()
		n.Add("rest", n.Value(nil, reflect.ValueOf(r.moves)), n.Value(nil, reflect.ValueOf(r.become)))
	}
	return n
}

func (c *Case) recordWant(n int64, last bool) {
	r := c.record
	if r == nil {
		return
	}
	for o, want := range c.want {
		hashes := append(make([]uint64, 0, 2+2*len(want)), digest.Text(o.Name), uint64(n))
		for at, b := range want.All() {
			hash := uint64(b)
			if b < secret {
				hash = r.Byte(b)
			}
			hashes = append(hashes, uint64(at), hash)
		}
		r.Add(fmt.Sprintf("want, %t", last), hashes...)
	}
}

func (c *Case) recordClaim(a *Assertion) {
	r := c.record
	if r != nil && !a.NextInstruction { // Note, which later assertions record, shows its purpose
		r.Add("claim", r.Value(a.Algebra, reflect.ValueOf(a)))
	}
}
