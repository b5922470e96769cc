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
	useIFMA = cpu.AVX512IFMA()
	useAVX2 = cpu.AVX2()
)

func init() {
	impl.Register("poly1305", "avx512ifma", &useIFMA)
	impl.Register("poly1305", "avx2", &useAVX2)
}

const (
	// minIFMA and minAVX2 are the numbers of bytes from which the kernels pay,
	// the computation of powers included.
	minIFMA = 256
	minAVX2 = 256

	// maxBytes is what one call of assembly takes, as it cannot be preempted.
	maxBytes = 64 << 10
)

// powers is what a vector kernel computes from a key and keeps: its table.
type powers struct {
	kernel kernel
	table  [81]uint64
}

// A kernel is a vector kernel.
type kernel uint8

const (
	none kernel = iota
	avx2
	ifma
)

// blocks is blocksGeneric by the best kernel that is on and pays for so many
// blocks. What a kernel computes from r is kept in p, unless that is nil.
func blocks(s *state, p *powers, msg []byte) {
	switch {
	case useIFMA && len(msg) >= minIFMA:
		blocksVector(s, p, ifma, msg)
	case useAVX2 && len(msg) >= minAVX2:
		blocksVector(s, p, avx2, msg)
	default:
		blocksGeneric(s, msg)
	}
}

func blocksVector(s *state, p *powers, k kernel, msg []byte) {
	if p == nil {
		blocksOnce(s, k, msg)
		return
	}
	if p.kernel != k {
		p.set(&s.r, k)
	}
	if k == avx2 {
		// Blocks in excess of a multiple of four.
		n := len(msg) % (4 * blockSize)
		blocksGeneric(s, msg[:n])
		msg = msg[n:]
	}
	for len(msg) > 0 {
		n := min(len(msg), maxBytes)
		if k == avx2 {
			blocksAVX2(s, &p.table[0], unsafe.SliceData(msg), n/blockSize)
		} else {
			blocksIFMA(s, &p.table[0], unsafe.SliceData(msg), n/blockSize)
		}
		msg = msg[n:]
	}
}

// blocksOnce is apart so that nobody else clears memory for powers.
//
//go:noinline
func blocksOnce(s *state, k kernel, msg []byte) {
	var p powers
	blocksVector(s, &p, k, msg)
}

// set computes the table of a kernel.
func (p *powers) set(r *[2]uint64, k kernel) {
	p.kernel = k
	r1 := element{r[0], r[1]}
	r2 := r1.times(r)
	r3 := r2.times(r)
	r4 := r2.squared()
	r8 := r4.squared()
	if k == avx2 {
		for lane, e := range [5]element{r4, r2, r3, r1, r8} {
			for i := range 5 {
				limb := e.limb(26*uint(i), 26+uint(i)/4)
				p.table[5*i+lane] = limb
				if i > 0 {
					p.table[5*(i+4)+lane] = 5 * limb
				}
			}
		}
		return
	}
	r5 := r4.times(r)
	r6 := r5.times(r)
	r7 := r6.times(r)
	var list [3][9]uint64
	for i, e := range [9]element{r8, r4, r7, r3, r6, r2, r5, r1, r8.squared()} {
		list[0][i], list[1][i], list[2][i] = e[0], e[1], e[2]
	}
	tableIFMA(&p.table[0], &list[0][0])
}
