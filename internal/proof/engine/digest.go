// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"reflect"
	"strings"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/digest"
	"github.com/unimac/unimac/internal/proof/term"
)

// Digest proves k and returns hashes of its code and its statement.
func (k *Kernel) Digest(f *asm.File, fn *asm.Func) (Result, error) {
	said := sha256.New()
	total, err := k.proveParts(f, fn, All, func(s *Session) func() {
		s.record = s.newRecord()
		return func() {
			for _, h := range s.record.Sorted() {
				binary.Write(said, binary.LittleEndian, h)
			}
		}
	})
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
		n.Add("object", digest.Text(fmt.Sprintln(recorded(o.Name), o.Align, o.Writable, o.Public)), n.Term(r.mem.Size(o)))
		for at, b := range o.Fixed() {
			n.Add("contents", digest.Text(recorded(o.Name)), uint64(at), n.Byte(b))
		}
	}
	for _, l := range r.Overlaps {
		for d := int64(-1 << 12); d <= 1<<12; d++ {
			if l.anywhere || l.Allowed(d) {
				n.Add("overlap", digest.Text(l.Object.Name), digest.Text(l.In.Name), uint64(d))
			}
		}
	}
	for _, ring := range r.Rings {
		n.Add("modulo", digest.Text(ring.Prime.String()))
	}
	if k.Step > 0 {
		r.advanceInputs()
		for o, by := range r.moves {
			n.Add("moves", digest.Text(recorded(o.Name)), uint64(by))
		}
		for leaf, to := range r.become {
			n.Add("becomes", n.Term(leaf), n.Term(to))
		}
	}
	return n
}

// recorded returns a name as digests contain it: both parts of the frame are the frame.
func recorded(name string) string { return strings.TrimPrefix(name, "aligned ") }

func (c *Case) recordWant(n int64, last bool) {
	r := c.record
	if r == nil {
		return
	}
	for o, want := range c.want {
		hashes := append(make([]uint64, 0, 3+2*len(want)), digest.Text(recorded(o.Name)), uint64(n), 0)
		if last {
			hashes[2] = 1
		}
		for at, b := range want.All() {
			if b < secret {
				hashes = append(hashes, uint64(at), r.Byte(b))
			} else {
				hashes = append(hashes, uint64(at), uint64(b))
			}
		}
		r.Add("want", hashes...)
	}
}

func (c *Case) recordClaim(a *Assertion) {
	r := c.record
	if r == nil || a.NextInstruction { // Note, which later assertions record, shows its purpose
		return
	}
	has := func(list []Has) (sum uint64) {
		for _, h := range list {
			sum += digest.Mix(digest.Text(recorded(c.name(h.Place))), r.Term(h.Term))
		}
		return sum
	}
	terms := func(of map[term.Term]term.Term) (sum uint64) {
		for leaf, t := range of {
			sum += digest.Mix(r.Term(leaf), r.Term(t))
		}
		return sum
	}
	list := func(of []term.Term) (sum uint64) {
		for _, t := range of {
			sum += r.Term(t)
		}
		return sum
	}
	if call := a.Call; call != nil {
		cases := uint64(0)
		for _, e := range call.Cases {
			inputs := uint64(0)
			for input, values := range e.Inputs {
				inputs += digest.Mix(r.Term(input), values.Min, values.Max, values.Step)
			}
			cases += digest.Mix(digest.Text(e.Variant), inputs)
		}
		of := uint64(0)
		for name, p := range call.Buffers {
			of += digest.Mix(digest.Text(name), digest.Text(recorded(c.name(p))))
		}
		r.Add("call", digest.Text(call.To), digest.Text(call.Name), cases, of, list(call.Results))
	}
	// The constants replace fields that no longer exist, so that digests stay the same.
	r.Add("claim", has(a.Has), list(a.Unknown), terms(a.Of), terms(a.As), 0, 0,
		digest.Text(`false false "" []`), r.Value(a.Algebra, reflect.ValueOf(a.Note)))
}
