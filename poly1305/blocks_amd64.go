// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package poly1305

import (
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

var (
	useIFMA   = cpu.AVX512IFMA()
	useAVX2   = cpu.AVX2()
	useScalar = true
)

func init() {
	impl.Register("poly1305", "avx512ifma", &useIFMA)
	impl.Register("poly1305", "avx2", &useAVX2)
	impl.Register("poly1305", "amd64", &useScalar)
}

// The numbers of bytes from which the vector kernels are faster than the scalar
// one, as measured on Emerald Rapids: when the powers of r are to be computed for
// them, and when these are at hand.
const (
	coldIFMA, warmIFMA = 288, 96
	coldAVX2, warmAVX2 = 384, 128
)

// maxBytes is what one call of assembly takes, as it cannot be preempted.
const maxBytes = 64 << 10

// A kernel is a vector kernel.
type kernel uint8

const (
	avx2 kernel = 1 + iota
	ifma
)

// table is what a vector kernel computes from r.
type table [81]uint64

// powers is what a MAC knows of tables. As a key is for one message, most MACs
// are made for a short one: they stay small, and a kernel's table is computed on
// the stack for each call, until there were so many that one is worth its memory.
// A table never changes, so that clones share it.
type powers struct {
	missed int32 // bytes for which a table would have helped, at most cold a call
	kernel kernel
	table  *table
}

// keepAfter is how many times cold bytes must have missed a table.
const keepAfter = 8

// keep returns the table that is kept for a kernel, once it is.
func (p *powers) keep(s *state, k kernel, n, cold, warm int) *table {
	if p == nil || n < warm {
		return nil
	}
	if p.table != nil && p.kernel == k {
		return p.table
	}
	if p.missed += int32(min(n, cold)); p.missed < int32(keepAfter*cold) {
		return nil
	}
	t := new(table)
	t.set(&s.r, k)
	p.kernel, p.table = k, t
	return t
}

// blocks is blocksGeneric by the best kernel that is on and pays for so many
// blocks. In p, which may be nil, it keeps what a MAC's next call can use.
func blocks(s *state, p *powers, msg []byte) {
	k, cold, warm := ifma, coldIFMA, warmIFMA
	switch {
	case useIFMA:
	case useAVX2:
		k, cold, warm = avx2, coldAVX2, warmAVX2
	case useScalar:
		blocksShort(s, msg)
		return
	default:
		blocksGeneric(s, msg)
		return
	}
	if t := p.keep(s, k, len(msg), cold, warm); t != nil {
		blocksVector(s, t, k, msg)
	} else if len(msg) >= cold {
		blocksOnce(s, k, msg)
	} else {
		blocksShort(s, msg)
	}
}

// blocksShort is the scalar kernel, which also serves the vector kernels.
func blocksShort(s *state, msg []byte) {
	for len(msg) > 0 {
		n := min(len(msg), maxBytes)
		blocksAMD64(s, unsafe.SliceData(msg), n/blockSize)
		msg = msg[n:]
	}
}

// blocksOnce is a vector kernel with a table that is not kept. It is a function of
// its own so that no other clears memory for it.
//
//go:noinline
func blocksOnce(s *state, k kernel, msg []byte) {
	var t table
	t.set(&s.r, k)
	blocksVector(s, &t, k, msg)
}

// blocksVector is a vector kernel.
func blocksVector(s *state, t *table, k kernel, msg []byte) {
	if k == avx2 {
		// It takes four blocks at a time.
		n := len(msg) % (4 * blockSize)
		blocksShort(s, msg[:n])
		msg = msg[n:]
	}
	for len(msg) > 0 {
		n := min(len(msg), maxBytes)
		if k == avx2 {
			blocksAVX2(s, &t[0], unsafe.SliceData(msg), n/blockSize)
		} else {
			blocksAVX512IFMA(s, &t[0], unsafe.SliceData(msg), n/blockSize)
		}
		msg = msg[n:]
	}
}

// powerList is what powersAMD64 stores: the lower, middle and upper words of the
// powers 8, 4, 7, 3, 6, 2, 5, 1 and 16 of r, each below 5·2^128. The first eight
// stand in the order of the lanes in blocksAVX512IFMA.
type powerList [3][9]uint64

// set computes the table of a kernel.
func (t *table) set(r *[2]uint64, k kernel) {
	var list powerList
	powersAMD64(&list[0][0], &r[0])
	t.fill(&list, k)
}

// fill makes the table of a kernel of the powers it needs.
func (t *table) fill(list *powerList, k kernel) {
	if k == ifma {
		tableAVX512IFMA(&t[0], &list[0][0])
		return
	}
	const mask26 = 1<<26 - 1
	// The powers 4, 2, 3, 1 and 8 in limbs of 26 bits.
	for lane, i := range [5]int{1, 5, 3, 7, 0} {
		w0, w1, w2 := list[0][i], list[1][i], list[2][i]
		r0, r1 := w0&mask26, w0>>26&mask26
		r2 := (w0>>52 | w1<<12) & mask26
		r3, r4 := w1>>14&mask26, w1>>40|w2<<24
		e := t[lane : lane+8*5+1]
		e[0*5], e[1*5], e[2*5], e[3*5], e[4*5] = r0, r1, r2, r3, r4
		e[5*5], e[6*5], e[7*5], e[8*5] = 5*r1, 5*r2, 5*r3, 5*r4
	}
}
