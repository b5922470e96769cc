// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package poly1305

import (
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

var useIFMA = cpu.AVX512IFMA()

func init() {
	impl.Register("poly1305", "avx512ifma", &useIFMA)
}

// minIFMA is the bytes from which the kernel pays.
const minIFMA = 256

// maxBytes is what a call of assembly may take: a thread in it cannot be
// preempted.
const maxBytes = 64 << 10

// powers keeps what a vector kernel computes from a key.
type powers struct {
	ready bool
	ifma  [9*8 + 9]uint64
}

// blocks is the kernel: blocksGeneric by the best implementation that is on and
// pays for so many blocks. The powers of the state's key are kept in p, unless it
// is nil.
func blocks(s *state, p *powers, msg []byte) {
	if useIFMA && len(msg) >= minIFMA {
		if p == nil {
			blocksOnce(s, msg)
			return
		}
		blocksVector(s, p, msg)
		return
	}
	blocksGeneric(s, msg)
}

//go:noinline
func blocksOnce(s *state, msg []byte) {
	var p powers
	blocksVector(s, &p, msg)
}

func blocksVector(s *state, p *powers, msg []byte) {
	if !p.ready {
		p.set(s.r[0], s.r[1])
	}
	for len(msg) > 0 {
		n := min(len(msg), maxBytes)
		blocksIFMA(s, &p.ifma[0], unsafe.SliceData(msg), n/blockSize)
		msg = msg[n:]
	}
}

func (p *powers) set(r0, r1 uint64) {
	var list [3][9]uint64
	put := func(i int, a0, a1, a2 uint64) {
		list[0][i], list[1][i], list[2][i] = a0, a1, a2
	}
	put(7, r0, r1, 0)
	a0, a1, a2 := multiply(r0, r1, 0, r0, r1)
	put(5, a0, a1, a2)
	b0, b1, b2 := multiply(a0, a1, a2, r0, r1)
	put(3, b0, b1, b2)
	a0, a1, a2 = square(a0, a1, a2)
	put(1, a0, a1, a2)
	b0, b1, b2 = multiply(a0, a1, a2, r0, r1)
	put(6, b0, b1, b2)
	b0, b1, b2 = multiply(b0, b1, b2, r0, r1)
	put(4, b0, b1, b2)
	b0, b1, b2 = multiply(b0, b1, b2, r0, r1)
	put(2, b0, b1, b2)
	a0, a1, a2 = square(a0, a1, a2)
	put(0, a0, a1, a2)
	a0, a1, a2 = square(a0, a1, a2)
	put(8, a0, a1, a2)
	tableIFMA(&p.ifma[0], &list[0][0])
	p.ready = true
}
