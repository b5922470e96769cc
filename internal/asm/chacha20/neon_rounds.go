// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"slices"

	"github.com/unimac/unimac/internal/asm/arm64"
)

// NEON generates arm64 code that computes blocks of ChaCha20 or Salsa20.
type NEON struct {
	*arm64.File
	member *member

	State, rows, counters arm64.Local
}

const (
	KeyAt     = 16
	counterAt = 48
	nonceAt   = 56
)

// A Shape selects layouts. Scalar blocks come first, and wide blocks come last.
type Shape struct{ Scalar, Narrow, Wide bool }

// All shapes in use, named after their number of blocks.
var (
	One   = Shape{Scalar: true}
	Four  = Shape{Wide: true}
	Five  = Shape{Scalar: true, Wide: true}
	Seven = Shape{Narrow: true, Wide: true}
	Eight = Shape{Scalar: true, Narrow: true, Wide: true}
)

func (s Shape) Blocks() int {
	n := 0
	if s.Scalar {
		n++
	}
	if s.Narrow {
		n += narrowBlocks
	}
	if s.Wide {
		n += wideBlocks
	}
	return n
}

const narrowBlocks, wideBlocks = 3, 4

// NewNEON returns a NEON whose locals are allocated in frame.
func NewNEON(f *arm64.File, frame *arm64.Frame) *NEON {
	return newNEON(f, chachaMember, frame)
}

func newNEON(f *arm64.File, m *member, frame *arm64.Frame) *NEON {
	return &NEON{f, m, frame.Local(block), frame.Local(16 * narrowBlocks), frame.Local(32)}
}

// These registers hold the blocks, so other code must not change them.
func scalarWord(i int) arm64.R   { return arm64.R(i) }
func wideWord(i int) arm64.V     { return arm64.V(i) }
func narrowRow(b, i int) arm64.V { return arm64.V(16 + 4*b + i) }
func temporary(i int) arm64.V    { return arm64.V(28 + i) }

const rotateBy8 = arm64.V(31)

var table = []uint64{
	0x3320646e61707865, 0x6b20657479622d32, // the constant words of the state
	0x0605040702010003, 0x0e0d0c0f0a09080b, // VTBL indices that rotate words to the left by 8 bits
	1, 0, // counter increment from one row d to the next
	0, 1, 2, 3, // counter increments of the wide blocks
}

const (
	rotateAt = 16
	oneAt    = 32
	wideAt   = 48
)

// Prepare emits code that stores the initial state on the stack.
func (k *NEON) Prepare(key, nonce, counter, t arm64.R) {
	// key and nonce hold addresses. The code clobbers nonce and t.
	a, b, c := temporary(0), temporary(1), temporary(2)
	if k.member == salsaMember {
		k.salsaPrepare(key, nonce, counter, t)
		return
	}
	k.Table("chacha", table, t)
	k.Op("FMOVQ", t.At(0), a.F())
	k.Op("FLDPQ", key.At(0), arm64.Pair(b, c))
	k.Op("MOVD", nonce.At(0), nonce)
	k.Op("FMOVQ", a.F(), k.State.At(0))
	k.Op("FMOVQ", b.F(), k.State.At(KeyAt))
	k.Op("FMOVQ", c.F(), k.State.At(KeyAt+16))
	k.Op("MOVD", counter, k.State.At(counterAt))
	k.Op("MOVD", nonce, k.State.At(nonceAt))
}

// Begin emits code that loads the initial states. The code clobbers t.
func (k *NEON) Begin(s Shape, t arm64.R) {
	if s.Narrow || s.Wide {
		k.Table("chacha", table, t)
		if k.member == chachaMember {
			k.Op("FMOVQ", t.At(rotateAt), rotateBy8.F())
		}
	}
	if s.Narrow {
		one := temporary(0)
		k.Op("FMOVQ", t.At(oneAt), one.F())
		for i := range 4 {
			k.Op("FMOVQ", k.State.At(16*i), narrowRow(0, i).F())
		}
		if s.Scalar {
			k.Op("VADD", one.D2(), narrowRow(0, 3).D2(), narrowRow(0, 3).D2())
		}
		for b := range narrowBlocks {
			if b > 0 {
				k.Op("VADD", one.D2(), narrowRow(b-1, 3).D2(), narrowRow(b, 3).D2())
			}
			k.Op("FMOVQ", narrowRow(b, 3).F(), k.rows.At(16*b))
		}
		for b := 1; b < narrowBlocks; b++ {
			for i := range 3 {
				k.Op("VMOV", narrowRow(0, i).B16(), narrowRow(b, i).B16())
			}
		}
	}
	if s.Wide {
		counter := k.member.counter()[0] // the first two words of a row
		lo, hi, from := wideWord(counter), wideWord(counter+1), wideWord(counter+2)
		k.Op("FLDPQ", t.At(wideAt), arm64.Pair(lo, hi))
		k.Op("MOVD", k.counter(), t)
		k.Op("ADD", s.Blocks()-wideBlocks, t)
		k.Op("VDUP", t, from.D2())
		k.Op("VADD", from.D2(), lo.D2(), lo.D2())
		k.Op("VADD", from.D2(), hi.D2(), hi.D2())
		k.Op("VUZP1", hi.S4(), lo.S4(), from.S4())
		k.Op("VUZP2", hi.S4(), lo.S4(), hi.S4())
		k.Op("VMOV", from.B16(), lo.B16())
		k.Op("FSTPQ", arm64.Pair(lo, hi), k.counters.At(0))
		k.Address(k.State+arm64.Local(4*counter+8), t)
		k.Op("VLD2R", t.At(0), vectors(wideWord, counter+2, 2))
		k.Address(k.State, t)
		k.loadRows(wideWord, t, false)
	}
	if s.Scalar {
		for i := 0; i < 16; i += 2 {
			k.Op("LDPW", k.State.At(4*i), arm64.Words(scalarWord(i), scalarWord(i+1)))
		}
	}
}

func (k *NEON) counter() string { return k.State.At(4 * k.member.counter()[0]) }

// loadRows emits code that broadcasts the state's words, except the counter.
func (k *NEON) loadRows(word func(int) arm64.V, p arm64.R, upper bool) {
	for i := 0; i < 16; i += 4 {
		if i != k.member.counter()[0] {
			k.Op("VLD4R.P", p.At(16), vectors(word, i, 4))
			continue
		}
		left := 16
		// These are the two words after the counter.
		if upper {
			k.Op("ADD", 8, p)
			k.Op("VLD2R", p.At(0), vectors(word, i+2, 2))
			left = 8
		}
		if i < 12 {
			k.Op("ADD", left, p)
		}
	}
}

func vectors(v func(int) arm64.V, from, n int) string {
	list := "[" + v(from).S4()
	for i := 1; i < n; i++ {
		list += ", " + v(from+i).S4()
	}
	return list + "]"
}

// DoubleRound returns one code sequence per layout, for the caller to interleave.
func (k *NEON) DoubleRound(s Shape) []arm64.Code {
	var both []arm64.Code
	if s.Scalar {
		both = append(both, k.Record(func() {
			if k.member == salsaMember {
				k.salsaScalarRounds()
				return
			}
			k.scalarRound(0)
			k.scalarRound(1)
		}))
	}
	if s.Narrow {
		both = append(both, k.Record(func() {
			k.narrowRound()
			k.rotateRows(1)
			k.narrowRound()
			k.rotateRows(3)
		}))
	}
	if s.Wide {
		both = append(both, k.Record(func() {
			if k.member == salsaMember {
				k.salsaWideRounds()
				return
			}
			k.wideRound(0)
			k.wideRound(1)
		}))
	}
	return both
}

// scalarRound emits a column round (shift 0) or a diagonal round (shift 1).
func (k *NEON) scalarRound(shift int) {
	// generateNEON tests flags after the rounds, so do not change them.
	each := func(write func(a, b, c, d arm64.R)) {
		for i := range 4 {
			write(scalarWord(i), scalarWord(4+(i+shift)%4), scalarWord(8+(i+2*shift)%4), scalarWord(12+(i+3*shift)%4))
		}
	}
	for _, left := range []int{16, 12, 8, 7} {
		if left == 16 || left == 8 {
			each(func(a, b, c, d arm64.R) { k.Op("ADDW", b, a, a) })
			each(func(a, b, c, d arm64.R) { k.Op("EORW", a, d, d) })
			each(func(a, b, c, d arm64.R) { k.Op("RORW", 32-left, d, d) })
		} else {
			each(func(a, b, c, d arm64.R) { k.Op("ADDW", d, c, c) })
			each(func(a, b, c, d arm64.R) { k.Op("EORW", c, b, b) })
			each(func(a, b, c, d arm64.R) { k.Op("RORW", 32-left, b, b) })
		}
	}
}

func (k *NEON) wideRound(shift int) {
	var q [4][4]arm64.V
	for i := range q {
		q[i] = [4]arm64.V{wideWord(i), wideWord(4 + (i+shift)%4), wideWord(8 + (i+2*shift)%4), wideWord(12 + (i+3*shift)%4)}
	}
	k.quarterRounds(q[:], temporary(0), temporary(1))
}

func (k *NEON) narrowRound() {
	var q [narrowBlocks][4]arm64.V
	for b := range q {
		q[b] = [4]arm64.V{narrowRow(b, 0), narrowRow(b, 1), narrowRow(b, 2), narrowRow(b, 3)}
	}
	k.quarterRounds(q[:], temporary(2))
}

// rotateRows emits code that rotates rows b, c and d for the diagonals.
func (k *NEON) rotateRows(n int) {
	for i, words := range []int{n, 2, 4 - n} {
		for b := range narrowBlocks {
			r := narrowRow(b, 1+i).B16()
			k.Op("VEXT", 4*words, r, r, r)
		}
	}
}

// quarterRounds emits interleaved quarter rounds, in which some rotations use temps.
func (k *NEON) quarterRounds(q [][4]arm64.V, temps ...arm64.V) {
	add := func(from, to int) {
		for _, q := range q {
			k.Op("VADD", q[from].S4(), q[to].S4(), q[to].S4())
		}
	}
	xor := func(from, to int) {
		for _, q := range q {
			k.Op("VEOR", q[from].B16(), q[to].B16(), q[to].B16())
		}
	}
	const a, b, c, d = 0, 1, 2, 3
	xorAndRotate := func(left int) {
		for some := range slices.Chunk(q, len(temps)) {
			for i, q := range some {
				k.Op("VEOR", q[c].B16(), q[b].B16(), temps[i].B16())
			}
			for i, q := range some {
				k.Op("VSHL", left, temps[i].S4(), q[b].S4())
			}
			for i, q := range some {
				k.Op("VSRI", 32-left, temps[i].S4(), q[b].S4())
			}
		}
	}
	add(b, a)
	xor(a, d)
	for _, q := range q {
		k.Op("VREV32", q[d].H8(), q[d].H8())
	}
	add(d, c)
	xorAndRotate(12)
	add(b, a)
	xor(a, d)
	for _, q := range q {
		k.Op("VTBL", rotateBy8.B16(), "["+q[d].B16()+"]", q[d].B16())
	}
	add(d, c)
	xorAndRotate(7)
}

// A Text holds addresses of blocks. Methods add an offset to each address.
type Text struct {
	Dst  arm64.R // holds the address at which the code stores blocks
	XOR  bool    // whether the code first XORs the blocks with input
	Src  arm64.R // holds the address of the input, if XOR is set
	Keep bool    // whether the vector code copies the input too
	Copy arm64.R // holds the address of the copy, if Keep is set
}

// FinishScalar emits code that adds the initial state to the scalar block and packs the
// block into R0, R2, ..., R14, two words per register. It clobbers u and v.
func (k *NEON) FinishScalar(u, v arm64.R) {
	for i := 0; i < 16; i += 4 {
		k.Op("LDP", k.State.At(4*i), arm64.Words(u, v))
		for j, t := range []arm64.R{u, v} {
			lo, hi := scalarWord(i+2*j), scalarWord(i+2*j+1)
			k.Op("ADDW", t, lo, lo)
			k.Op("ADD", t.String()+">>32", hi, hi)
			k.Op("ORR", hi.String()+"<<32", lo, lo)
		}
	}
}

// StoreScalar emits code that stores the completed scalar block at the given offset.
func (k *NEON) StoreScalar(t Text, offset int) {
	for i := 0; i < 16; i += 4 {
		a, b := scalarWord(i), scalarWord(i+2)
		if t.XOR {
			u, v := scalarWord(i+1), scalarWord(i+3)
			k.Op("LDP", t.Src.At(offset+4*i), arm64.Words(u, v))
			k.Op("EOR", u, a, a)
			k.Op("EOR", v, b, b)
		}
		k.Op("STP", arm64.Words(a, b), t.Dst.At(offset+4*i))
	}
}

// FinishNarrow emits code that completes and stores the narrow blocks.
func (k *NEON) FinishNarrow(t Text, offset int) {
	for i := range 4 {
		if i < 3 {
			k.Op("FMOVQ", k.State.At(16*i), temporary(i).F())
		}
		for b := range narrowBlocks {
			if i == 3 { // overwrites rotateBy8, which Begin loads again
				k.Op("FMOVQ", k.rows.At(16*b), temporary(i).F())
			}
			k.Op("VADD", temporary(i).S4(), narrowRow(b, i).S4(), narrowRow(b, i).S4())
		}
	}
	for b := range narrowBlocks {
		k.store(t, offset+block*b, [4]arm64.V{narrowRow(b, 0), narrowRow(b, 1), narrowRow(b, 2), narrowRow(b, 3)},
			[4]arm64.V{temporary(0), temporary(1), temporary(2), temporary(3)})
	}
}

func (k *NEON) store(t Text, offset int, words, free [4]arm64.V) {
	if t.XOR {
		for i := 0; i < 4; i += 2 {
			k.Op("FLDPQ", t.Src.At(offset+16*i), arm64.Pair(free[i], free[i+1]))
			if t.Keep {
				k.Op("FSTPQ", arm64.Pair(free[i], free[i+1]), t.Copy.At(offset+16*i))
			}
		}
		for i, v := range free {
			k.Op("VEOR", v.B16(), words[i].B16(), words[i].B16())
		}
	}
	for i := 0; i < 4; i += 2 {
		k.Op("FSTPQ", arm64.Pair(words[i], words[i+1]), t.Dst.At(offset+16*i))
	}
}

// FinishWide emits code that completes and stores the wide blocks, clobbering r.
func (k *NEON) FinishWide(t Text, offset int, r arm64.R) {
	k.Address(k.State, r)
	initial := func(i int) arm64.V { return arm64.V(16 + i) }
	k.loadRows(initial, r, true)
	counter := k.member.counter()[0]
	k.Op("FLDPQ", k.counters.At(0), arm64.Pair(initial(counter), initial(counter+1)))
	for i := range 16 {
		k.Op("VADD", initial(i).S4(), wideWord(i).S4(), wideWord(i).S4())
	}
	// Transpose in two passes: to the upper 16 registers and back.
	for i := 0; i < 16; i += 2 {
		k.Op("VTRN1", wideWord(i+1).S4(), wideWord(i).S4(), initial(i).S4())
		k.Op("VTRN2", wideWord(i+1).S4(), wideWord(i).S4(), initial(i+1).S4())
	}
	for i := 0; i < 16; i += 4 {
		for j := range 2 {
			k.Op("VTRN1", initial(i+2+j).D2(), initial(i+j).D2(), wideWord(i+j).D2())
			k.Op("VTRN2", initial(i+2+j).D2(), initial(i+j).D2(), wideWord(i+2+j).D2())
		}
	}
	for b := range wideBlocks {
		free := arm64.V(16 + 4*b)
		k.store(t, offset+block*b, [4]arm64.V{wideWord(b), wideWord(4 + b), wideWord(8 + b), wideWord(12 + b)},
			[4]arm64.V{free, free + 1, free + 2, free + 3})
	}
}

// Advance emits code that adds n to the counter. It overwrites t.
func (k *NEON) Advance(n int, t arm64.R) {
	k.Op("MOVD", k.counter(), t)
	k.Op("ADD", n, t)
	k.Op("MOVD", t, k.counter())
}

// Wipe emits code that clears n bytes, a multiple of 16.
func (k *NEON) Wipe(from arm64.Local, n int) {
	for i := 0; i < n; i += 16 {
		k.Op("STP", "(ZR, ZR)", from.At(i))
	}
}
