// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import (
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/isa"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// legacy maps SSE names to their AVX names, if these are irregular.
var legacy = map[string]string{
	"MOVL": "VMOVD", "MOVOU": "VMOVDQU", "MOVOA": "VMOVDQA", "PMULULQ": "VPMULUDQ", "PSLLL": "VPSLLD", "PSRLL": "VPSRLD",
	"PUNPCKLLQ": "VPUNPCKLDQ",
}

func suffix(x *instr) {
	x.Broadcast, x.Zeroing = strings.HasPrefix(x.Suffix, "BCST"), strings.HasSuffix(x.Suffix, "Z")
	if !slices.Contains([]string{"", "Z", "BCST", "BCST.Z"}, x.Suffix) {
		machine.Fail("unsupported suffix %s", x.Suffix)
	}
	if i := x.Last() - 1; i > 0 && x.Args[i].Kind == 'k' {
		k := x.Args[i]
		x.Mask, x.Args = &k, slices.Delete(x.Args, i, i+1)
		if k.At == masks || x.N == 0 {
			machine.Fail("unsupported mask")
		}
	}
	if x.Zeroing && (x.Mask == nil || x.Args[x.Last()].Kind == 'm') {
		machine.Fail("unsupported instruction form")
	}
}

// check rejects invalid broadcasts and sets the alignment that memory operands need.
func check(x *instr, form string) {
	memory := slices.ContainsFunc(x.Args, func(o isa.Operand) bool { return o.Kind == 'm' })
	if x.Broadcast && (x.N < 4 || !strings.Contains(form, "vm v") || strings.Contains(form, "vm vm") || !memory) {
		machine.Fail("unsupported instruction form")
	}
	switch {
	case strings.HasPrefix(x.Name, "VMOVDQA"):
		x.Align = int64(x.Size)
	case x.Legacy && memory && strings.Contains(form, "vm") && x.Name != "MOVOU":
		x.Align = 16
	}
}

func setVector(x *instr, o *isa.Operand, b []term.Byte) {
	if x.Mask != nil {
		b = slices.Clone(b)
		for i := 0; i < len(b); i += x.N {
			lane, old := b[i:i+x.N], x.Word(o.At+i, x.N)
			if x.Zeroing {
				old = x.T.Const(8*x.N, 0)
			}
			x.T.Bytes(lane, x.T.Choose(maskBit(x, i/x.N), x.T.Gather(lane), old))
		}
	}
	if x.Legacy {
		x.SetBytes(o.At, 16, b)
		return
	}
	x.SetBytes(o.At, 64, b)
	x.Dirty = x.Dirty || len(b) > 16 && o.At < vectors+16*64
}

func maskBit(x *instr, i int) term.Term {
	b := x.Regs[x.Mask.At+i/8]
	if v, ok := x.ByteValue(b); ok {
		b = term.ConstByte(v)
	}
	bit, ok := x.T.MaskBit(b, i%8)
	if !ok {
		machine.Fail("cannot determine mask bit %d", i)
	}
	return bit
}

// wanted reports whether the mask, which must be constant, selects element i.
func wanted(x *instr, i int) bool {
	v, ok := x.T.IsConst(maskBit(x, i))
	if !ok {
		machine.Fail("mask bit %d is not constant", i)
	}
	return v == 1
}
