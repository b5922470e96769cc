// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	layout "github.com/unimac/unimac/internal/layout/blake2b"
)

// A kernel for several messages keeps one message in each lane.

type lanes struct {
	*build.Context
	*Constants
	count  int
	l      Mem // the function's argument
	blocks []Mem
	at, n  GPVirtual // number of bytes processed, and of all bytes
	v      [16]VecPhysical
}

func newLanes(f *amd64.File, c *Constants, count int, name, set string) *lanes {
	f.Function(name, "func(l *lanes, n int, f uint64)",
		fmt.Sprintf("%s compresses n bytes, which must be one or more whole blocks, of each of %d lanes, for %s.", name, count, set),
		"f must be all ones for the messages' last blocks and otherwise 0.")
	k := &lanes{Context: f.Context, Constants: c, count: count}
	k.l = Mem{Base: amd64.Load(k.Context, "l")}
	k.n = amd64.Load(k.Context, "n")
	k.at = k.GP64()
	k.XORQ(k.at, k.at)
	return k
}

func (k *lanes) pointers(from, count int) (blocks []Mem) {
	for i := range count {
		p := k.GP64()
		k.MOVQ(k.l.Offset(layout.LanesBlocks+8*(from+i)), p)
		blocks = append(blocks, Mem{Base: p, Index: k.at, Scale: 1})
	}
	return blocks
}

func (k *lanes) h(i int) Mem { return k.l.Offset(layout.LanesH + 8*layout.MaxLanes*i) }

func (k *lanes) advance(label string) {
	k.ADDQ(I32(block), k.at)
	k.CMPQ(k.at, k.n)
	k.JNE(LabelRef(label))
}

// allRounds calls half for each half round, with its Gs and message words.
func (k *lanes) allRounds(half func(g [4][4]int, w []int)) {
	for r := range rounds {
		w := sigma[r%len(sigma)]
		k.Comment(fmt.Sprintf("Round %d.", r))
		var columns, diagonals [4][4]int
		for i := range 4 {
			columns[i] = [4]int{i, 4 + i, 8 + i, 12 + i}
			diagonals[i] = [4]int{i, 4 + (i+1)%4, 8 + (i+2)%4, 12 + (i+3)%4}
		}
		half(columns, w[:8])
		half(diagonals, w[8:])
	}
}
