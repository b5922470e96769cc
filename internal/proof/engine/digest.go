// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"path"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/term"
)

// Digest returns 16 hexadecimal digits that change when a statement changes: its claim,
// its lengths, the memory that Setup declares, what Spec expects after some lengths,
// and the inputs that remain after a turn. The digits are computed from terms, so they
// do not depend on the statement's wording or order. They do not depend on Left and
// assertions either, whose comparisons Compared covers.
func (k *Kernel) Digest() string {
	h := sha256.New()
	for _, part := range k.Parts() {
		part.Kernel.digest(h, part.Variant)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

func (k *Kernel) digest(w io.Writer, variant string) {
	fmt.Fprintf(w, "%q %q %d %d %d %d %d %t %q %q [] []\n", k.Claim, variant, k.Unit, k.Min, k.Max, k.Step, k.Reached, k.wipes(), k.From, k.To)
	c := newCase(k, variant, 256, -1)
	k.Setup(c)
	c.digestMemory(w)
	if k.Step > 0 {
		c.goOn(map[term.Term]term.Term{})
		c.digestAdvance(w)
	}
	for _, n := range k.samples(c) {
		c := newCase(k, variant, 256, n)
		k.Setup(c)
		k.Spec(c, n, true)
		fmt.Fprintln(w, "after", n)
		c.digestWant(w)
		if k.Step > 0 && n == k.Step {
			c.forget()
			c.more = true
			k.Spec(c, n, false)
			fmt.Fprintln(w, "turn")
			c.digestWant(w)
		}
	}
}

// samples returns some of the lengths that callers may pass: the first ones and the
// length of one turn.
func (k *Kernel) samples(c *Case) (list []int64) {
	if k.Unit == 0 {
		return []int64{0}
	}
	turn := k.Step
	if turn == 0 {
		turn = 64 * k.Unit
	}
	for _, n := range []int64{0, k.Min, k.Min + k.Unit, turn} {
		n = min(n, k.Max) / k.Unit * k.Unit
		if n >= k.Min && !slices.Contains(list, n) && (k.Given == nil || k.Given(c, n)) {
			list = append(list, n)
		}
	}
	return list
}

// digestMemory writes what Setup has declared.
func (c *Case) digestMemory(w io.Writer) {
	h := hasher{c.Store, map[term.Term]uint64{}}
	for _, o := range c.mem.Objects() {
		fmt.Fprintf(w, "%s %x %d %t %t\n", o.Name, h.of(c.mem.Size(o)), o.Align, o.Writable, o.Public)
		fixed := o.Fixed()
		for _, at := range slices.Sorted(maps.Keys(fixed)) {
			fmt.Fprintf(w, "%d %x\n", at, h.byte(fixed[at]))
		}
		for _, lie := range c.Lies {
			if lie.anywhere && lie.Object == o {
				fmt.Fprintf(w, "below %s\n", lie.In.Name)
			}
		}
	}
	for _, lie := range c.Lies {
		if lie.anywhere {
			continue
		}
		fmt.Fprintf(w, "%s in %s", lie.Object.Name, lie.In.Name)
		for d := int64(-1 << 12); d <= 1<<12; d++ {
			fmt.Fprint(w, lie.Allowed(d))
		}
	}
	for _, ring := range c.Rings {
		fmt.Fprintln(w, "modulo", ring.Prime)
	}
}

func (c *Case) digestAdvance(w io.Writer) {
	h := hasher{c.Store, map[term.Term]uint64{}}
	var lines []string
	for o, by := range c.moves {
		lines = append(lines, fmt.Sprintf("%s moves by %d\n", o.Name, by))
	}
	for leaf, to := range c.become {
		lines = append(lines, fmt.Sprintf("%s becomes %x\n", c.Info(leaf).Name, h.of(to)))
	}
	slices.Sort(lines)
	fmt.Fprint(w, lines)
}

// digestWant writes what Spec expects.
func (c *Case) digestWant(w io.Writer) {
	h := hasher{c.Store, map[term.Term]uint64{}}
	for _, o := range c.mem.Objects() {
		for at, want := range c.want[o].All() {
			switch want {
			case free:
				fmt.Fprintf(w, "%s %d anything\n", o.Name, at)
			case secret:
				fmt.Fprintf(w, "%s %d any secret\n", o.Name, at)
			case checked:
				fmt.Fprintf(w, "%s %d anything\n", o.Name, at)
			default:
				fmt.Fprintf(w, "%s %d %x\n", o.Name, at, h.byte(want))
			}
		}
	}
}

// A hasher hashes terms by their structure, down to the names of inputs. Term numbers
// and the order of commutative operands do not change the hash.
type hasher struct {
	*term.Store
	known map[term.Term]uint64
}

func (h *hasher) byte(b term.Byte) uint64 {
	of, i := b.Of()
	return mix(h.of(of), uint64(i))
}

func (h *hasher) of(t term.Term) uint64 {
	if v, ok := h.known[t]; ok {
		return v
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

// NewCase returns a case that belongs to no proof. Tests use it to compare
// specifications with numbers.
func NewCase() *Case { return newCase(&Kernel{}, "", 256, -1) }

// Specified returns a case of the kernel's first variant. It also returns the values
// that Spec requires of an object after n bytes.
func (k *Kernel) Specified(object string, n int64) (*Case, Wanted) {
	c := newCase(k, k.First().Variant, 256, n)
	k.Setup(c)
	k.Spec(c, n, true)
	for o, want := range c.want {
		if o.Name == object {
			return c, want
		}
	}
	return c, nil
}

// words says the loop's invariant in words.
func (r *Session) words() string {
	moved := map[int64][]string{} // by bytes
	for o, n := range r.moves {
		moved[n] = append(moved[n], o.Name)
	}
	var parts, inputs []string
	for _, n := range slices.Sorted(maps.Keys(moved)) {
		slices.Sort(moved[n])
		parts = append(parts, fmt.Sprintf("%s %d bytes on", strings.Join(slices.Compact(moved[n]), ", "), n))
	}
	for leaf, t := range r.become {
		name, _, isByte := strings.Cut(r.Info(leaf).Name, "[")
		by, known := r.IsConst(r.Sub(t, leaf))
		switch {
		case isByte || !known:
			inputs = append(inputs, name+" as it is then")
		case by != 0 && name != "n" && name != "turns":
			inputs = append(inputs, fmt.Sprintf("%s + %d", name, int64(by)))
		}
	}
	slices.Sort(inputs)
	parts = append(parts, slices.Compact(inputs)...)
	if r.Kernel.Invariant != nil {
		parts = append(parts, "and what the statement says")
	}
	return "as on arrival for the rest: " + strings.Join(parts, ", ")
}

// lengths says which lengths callers may give.
func (k *Kernel) lengths() string {
	switch {
	case k.Unit == 0:
		return "fixed"
	case k.Lengths != "":
		return k.Lengths
	case k.Unit == 1:
		return fmt.Sprintf("%d to %d bytes", k.Min, k.Max)
	}
	return fmt.Sprintf("multiples of %d to %d bytes", k.Unit, k.Max)
}

// Row returns the beginning of a kernel's line in the table of proven kernels.
func (k *Kernel) Row(r *Result) string {
	variants := ""
	if k.Variants != nil && k.Lengths == "" { // else they are lengths
		variants = " (" + strings.Join(k.Variants, "; ") + ")"
	}
	wiped := ""
	if k.wipes() {
		wiped = "; no secret is left in the frame"
	}
	invariant := r.Invariant
	if invariant == "" {
		invariant = "none"
	}
	return fmt.Sprintf("| %s | %s%s%s | %s | %s |", k.Name(), k.Claim, variants, wiped, k.lengths(), invariant)
}

// Name returns the kernel's name in README.md, in survivors.txt and on command lines:
// its package and its function. The name contains no path, so that files can move.
func (k *Kernel) Name() string {
	return path.Base(path.Dir(k.File)) + " " + k.Func
}
