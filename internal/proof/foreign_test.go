// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// A cryptoUpdate describes golang.org/x/crypto's Poly1305 assembly, which was not
// written for this prover. For each block of a message of any length, including a
// partial last block, it computes h = (h + block)·r modulo 2^130 - 5.
type cryptoUpdate struct {
	memory, msg *machine.Object
	h, r        []term.Term // initial contents of the state
	head        []term.Term // h at the loop's head
	a           *algebra.Algebra
}

// cryptoMaxUpper is the largest value of h's upper word before, during and after the
// loop. cryptoH lists the registers that contain h in the loop.
const cryptoMaxUpper = 7

var cryptoH = [3]int{amd64.Architecture.At("R8"), amd64.Architecture.At("R9"), amd64.Architecture.At("R10")}

func (u *cryptoUpdate) kernel() *engine.Kernel {
	return &engine.Kernel{
		File: "sum_amd64.s", Func: "update", Claim: "h = (h + block)·r modulo 2^130 - 5 for each block, the last one perhaps partial",
		Range: engine.Range{Unit: 1, Min: 0, Max: 1 << 40},
		Loop:  engine.Loop{Step: 16, Advance: func(c *engine.Case) { c.Move(u.msg, 16) }, Invariant: u.invariant},
		Setup: u.setup,
		Spec:  func(c *engine.Case, _ int64, _ bool) { c.Checked(u.memory, 0, 24) }, // left checks these bytes
		Left:  u.left,
	}
}

// invariant returns the loop invariant: the registers contain unknown words of h. After
// an iteration, the new words must be the result of hashing 16 bytes of the message.
func (u *cryptoUpdate) invariant(c *engine.Case) *engine.Assertion {
	u.head = u.number(c, "head")
	a := &engine.Assertion{Algebra: u.a}
	for i, at := range cryptoH {
		a.HasUnknown(engine.InRegisters(at), u.head[i])
	}
	a.Where = func(s engine.View) error { return u.equal(c, s, s.Of(u.head...), 16*c.Iterations()) }
	return a
}

// number returns new unknown words of h.
func (u *cryptoUpdate) number(c *engine.Case, name string) (words []term.Term) {
	for i, limit := range []uint64{^uint64(0), ^uint64(0), cryptoMaxUpper} {
		words = append(words, c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprint(name, i), Max: limit}))
	}
	return words
}

// setup declares a macState that contains h and a clamped r, and a message that is
// passed as a slice.
func (u *cryptoUpdate) setup(c *engine.Case) {
	c.Head = "loop"
	u.memory, u.msg, u.a = engine.Writable(c.Buffer("state", 40)), c.Bytes("msg", c.N), algebra.New(c.Store)
	u.h = u.number(c, "h")
	u.r = []term.Term{c.NewLeaf(64, term.LeafInfo{Name: "r0", Max: 1<<60 - 1}), c.Shl(c.NewLeaf(64, term.LeafInfo{Name: "r1/4", Max: 1<<58 - 1}), 2)}
	for i, word := range slices.Concat(u.h, u.r) {
		u.memory.Set(int64(8*i), word)
	}
	c.Arg(u.memory.Base, u.msg.Base, c.N, c.Input("cap", true))
}

// left checks h in memory after n bytes, counted from the function's entry or from the
// loop's head.
func (u *cryptoUpdate) left(c *engine.Case, s engine.View, n int64) error {
	return u.equal(c, s, []term.Term{s.At(engine.In(u.memory, 0)), s.At(engine.In(u.memory, 8)), s.At(engine.In(u.memory, 16))}, n)
}

// equal compares words of h with the value after n bytes of the message, counted from
// the function's entry or from the loop's head. It adds a bit above each block,
// directly above the last byte of a partial block.
func (u *cryptoUpdate) equal(c *engine.Case, s engine.View, got []term.Term, n int64) error {
	begun := u.h
	if c.Looped {
		begun = u.head
	}
	return algebra.Safely(func() error {
		h, r := u.a.Number(64, begun...), u.a.Number(64, u.r...)
		for at := int64(0); at < n; at += 16 {
			if at+16 <= n {
				h = h.Plus(spec.Poly1305BlockAt(c.Store, u.a, u.msg, at)).Mul(r)
				continue
			}
			var b [16]term.Byte
			for i := range n - at {
				b[i] = u.msg.Initial(at + i)
			}
			b[n-at] = term.ConstByte(1)
			h = h.Plus(u.a.Number(64, c.Gather(b[:8]), c.Gather(b[8:]))).Mul(r)
		}
		if u.a.UpperBound(got[2]).Cmp(big.NewInt(cryptoMaxUpper)) > 0 || !s.Congruent(u.a, u.a.Number(64, got...), h, spec.Poly1305Prime) {
			return errors.New("h is not congruent modulo 2^130 - 5 or too large")
		}
		return nil
	})
}

// TestForeign proves the released assembly of the version that go.mod requires. It also
// checks that the proof fails if any one instruction is replaced by NOP.
func TestForeign(t *testing.T) {
	out, err := exec.Command("go", "mod", "download", "-json", "golang.org/x/crypto").Output()
	if err != nil {
		t.Fatal(err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	f, err := asm.Read(filepath.Join(module.Dir, "internal", "poly1305", "sum_amd64.s"))
	if err != nil {
		t.Fatal(err)
	}
	fn := f.Func("update")
	if fn == nil {
		t.Fatal("no function update")
	}
	r, err := new(cryptoUpdate).kernel().ProveFunc(f, fn, engine.All)
	if err != nil {
		t.Fatal(err)
	}
	if lines := r.Unreached(fn); len(lines) > 0 {
		t.Errorf("no run reaches the lines %v", lines)
	}
	for i := range fn.Code {
		other := *fn
		other.Code = slices.Clone(fn.Code)
		other.Code[i] = asm.Instr{Op: "NOP", Line: fn.Code[i].Line}
		if _, err := new(cryptoUpdate).kernel().ProveFunc(f, &other, engine.All); err == nil {
			t.Errorf("the proof succeeds without line %d, %s", fn.Code[i].Line, fn.Code[i].String())
		}
	}
	t.Logf("%d runs, %d instructions dropped", r.Runs, len(fn.Code))
}
