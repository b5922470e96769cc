// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// restObserver collects, for each path of an iteration, what replaces the terms of the
// rest of the work.
type restObserver struct {
	r     *Session
	rests map[*machine.State][]*term.Substitution // by the loop's head
}

func (restObserver) assertion(*machine.State, bool, map[term.Term]term.Term) {}
func (restObserver) fact(*machine.State, fact)                               {}

func (x restObserver) end(s *machine.State) {
	r := x.r
	if r.head == nil {
		return
	}
	of, become, moves := map[term.Term]term.Term{}, maps.Clone(r.become), maps.Clone(r.moves)
	next := r.Substitute(r.advance)
	if a := r.head.claim; a != nil && r.head.stable {
		of = r.represented(s, r.advanced(a, next))
	}
	x.rests[r.head.head] = append(x.rests[r.head.head], r.Substitute(func(leaf term.Term) term.Term {
		if t, ok := of[leaf]; ok {
			return t
		}
		r.become, r.moves = become, moves
		return r.advance(leaf)
	}))
}

// RestDiffers returns the bytes for which Spec, at the least length that takes two
// iterations, states something other than what it states about the first iteration and
// about the rest of the work.
func (r *Session) RestDiffers() (list []string, err error) {
	x := restObserver{r, map[*machine.State][]*term.Substitution{}}
	r.choose(All)
	r.observer = x
	defer func() { r.observer = nil }()
	err = machine.Try(func() {
		if r.Kernel.Step == 0 {
			return
		}
		l := r.findLoop()
		r.begins(l)
		n := r.remainders(l.from)[0]
		describe := func(n int64, last bool) map[*machine.Object]Wanted {
			r.expect(n, last)
			want := map[*machine.Object]Wanted{}
			for o, w := range r.want {
				want[o] = slices.Clone(w)
			}
			return want
		}
		iteration, rest, whole := describe(r.Kernel.Step, false), describe(n, true), describe(n+r.Kernel.Step, true)
		for _, next := range x.rests[l.head] {
			for _, o := range r.Objects() {
				by := r.moves[o]
				for at := range max(int64(len(whole[o])), by+int64(len(rest[o]))) {
					want, stated := iteration[o].At(at)
					if at >= by {
						if want, stated = rest[o].At(at - by); stated && want < secret {
							want = next.Byte(want)
						}
					}
					got, said := whole[o].At(at)
					if name := fmt.Sprintf("%s[%d]", o.Name, at); (stated != said || stated && got != want && !r.Same(got, want)) && !slices.Contains(list, name) {
						list = append(list, name)
					}
				}
			}
		}
	})
	return list, err
}

// TestRestDiffers checks that RestDiffers finds a Spec that is true of each length that
// is proven, but says something else about the rest than about the whole.
func TestRestDiffers(t *testing.T) {
	const text = `TEXT ·sums(SB), NOSPLIT, $0-24
	MOVQ out+0(FP), DI
	MOVQ in+8(FP), SI
	MOVQ n+16(FP), CX
loop:
	MOVQ (SI), AX
	MOVQ AX, (DI)
	ADDQ $8, SI
	ADDQ $8, DI
	SUBQ $1, CX
	JNE loop
	RET
`
	for _, test := range []struct {
		name   string
		differ int
		word   func(i, n int64) int64
	}{
		{"in order", 0, func(i, _ int64) int64 { return i }},
		{"reversed", 16, func(i, n int64) int64 { return n - 1 - i }},
	} {
		name := filepath.Join(t.TempDir(), "sums_amd64.s")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := asm.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		var out, in *machine.Object
		s, err := NewSession(&Kernel{
			File: "sums_amd64.s", Func: "sums", Claim: test.name,
			Range: Range{Unit: 1, Min: 1, Max: 1000}, Loop: Loop{Step: 1},
			Setup: func(c *Case) {
				n := c.Scale(c.N, 8)
				out, in = Writable(c.Bytes("out", n)), c.Bytes("in", n)
				c.Arg(out.Base, in.Base, c.N)
			},
			Spec: func(c *Case, n int64, _ bool) {
				for i := range n {
					c.Expect(out, 8*i, in.Load(8*test.word(i, n), 8))
				}
			},
		}, f, f.Func("sums"), "")
		if err != nil {
			t.Fatal(err)
		}
		list, err := s.RestDiffers()
		if err != nil || len(list) != test.differ {
			t.Errorf("%s: got %q and error %v, want %d bytes", test.name, list, err, test.differ)
		}
		s.Store.Drop()
	}
}
