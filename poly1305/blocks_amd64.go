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
	coldIFMA, warmIFMA = 304, 96
	coldAVX2, warmAVX2 = 496, 128
)

// maxBytes is what one call of assembly takes, as it cannot be preempted.
const maxBytes = 64 << 10

// A kernel is a vector kernel.
type kernel uint8

const (
	avx2 kernel = 1 + iota
	ifma
)

// powers is what a vector kernel computes from the r of a message and keeps.
type powers struct {
	kernel kernel // whose table is computed, if any
	missed int    // bytes that could have used one
	table  [81]uint64
}

// pay reports whether a kernel is worth calling for n bytes. Where a table would
// help, but not enough to compute it, pay counts: a message that has come in such
// pieces for long enough will likely go on.
func (p *powers) pay(k kernel, n, cold, warm int) bool {
	if n >= cold || n < warm || p == nil {
		return n >= cold
	}
	if p.kernel != k {
		p.missed += n
	}
	return p.kernel == k || p.missed >= 4*cold
}

// blocks is blocksGeneric by the best kernel that is on and pays for so many
// blocks. What a kernel computes from r is kept in p, unless that is nil.
func blocks(s *state, p *powers, msg []byte) {
	switch {
	case useIFMA && p.pay(ifma, len(msg), coldIFMA, warmIFMA):
		blocksVector(s, p, ifma, msg)
	case useAVX2 && p.pay(avx2, len(msg), coldAVX2, warmAVX2):
		blocksVector(s, p, avx2, msg)
	case useIFMA || useAVX2 || useScalar:
		blocksShort(s, msg)
	default:
		blocksGeneric(s, msg)
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

// blocksVector is a vector kernel.
func blocksVector(s *state, p *powers, k kernel, msg []byte) {
	if p == nil {
		blocksOnce(s, k, msg)
		return
	}
	if p.kernel != k {
		p.set(&s.r, k)
	}
	if k == avx2 {
		// It takes four blocks at a time.
		n := len(msg) % (4 * blockSize)
		blocksShort(s, msg[:n])
		msg = msg[n:]
	}
	for len(msg) > 0 {
		n := min(len(msg), maxBytes)
		if k == avx2 {
			blocksAVX2(s, &p.table[0], unsafe.SliceData(msg), n/blockSize)
		} else {
			blocksAVX512IFMA(s, &p.table[0], unsafe.SliceData(msg), n/blockSize)
		}
		msg = msg[n:]
	}
}

// blocksOnce is a function of its own so that no other clears memory for powers.
//
//go:noinline
func blocksOnce(s *state, k kernel, msg []byte) {
	var p powers
	blocksVector(s, &p, k, msg)
}

// powerList is what powersAMD64 stores: the lower, middle and upper words of the
// powers of r in powerOrder, each below 5·2^128.
type powerList [3][9]uint64

// powerOrder begins with the order of the lanes in blocksAVX512IFMA.
var powerOrder = [9]int{8, 4, 7, 3, 6, 2, 5, 1, 16}

// set computes the table of a kernel.
func (p *powers) set(r *[2]uint64, k kernel) {
	var list powerList
	powersAMD64(&list[0][0], &r[0])
	p.fill(&list, k)
}

// fill makes the table of a kernel of the powers it needs.
func (p *powers) fill(list *powerList, k kernel) {
	p.kernel = k
	if k == ifma {
		tableAVX512IFMA(&p.table[0], &list[0][0])
		return
	}
	const mask26 = 1<<26 - 1
	// The powers 4, 2, 3, 1 and 8 in limbs of 26 bits.
	for lane, i := range [5]int{1, 5, 3, 7, 0} {
		w0, w1, w2 := list[0][i], list[1][i], list[2][i]
		r0, r1 := w0&mask26, w0>>26&mask26
		r2 := (w0>>52 | w1<<12) & mask26
		r3, r4 := w1>>14&mask26, w1>>40|w2<<24
		for entry, limb := range [9]uint64{r0, r1, r2, r3, r4, 5 * r1, 5 * r2, 5 * r3, 5 * r4} {
			p.table[5*entry+lane] = limb
		}
	}
}
