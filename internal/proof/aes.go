// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// aesRotations are by how many columns ShiftRows rotates each row to the left (FIPS 197,
// section 5.1.2).
var aesRotations = [4]int{0, 1, 2, 3}

// aesEncrypt returns a block encrypted under round keys, 16 bytes each (FIPS 197, section
// 5.1). The state's columns are four bytes one after the other, as the block's.
func (c *Case) aesEncrypt(block [16]term.Byte, keys *machine.Object, at int64, rounds int) [16]term.Byte {
	add := func(round int) {
		for i := range block {
			key := keys.Initial(at + int64(16*round+i))
			c.Store.Bytes(block[i:i+1], c.Xor(c.Gather(block[i:i+1]), c.Gather([]term.Byte{key})))
		}
	}
	add(0)
	for round := 1; round <= rounds; round++ {
		c.SubBytes(block[:], block[:])
		var shifted [16]term.Byte
		for column := range 4 {
			for row, by := range aesRotations {
				shifted[4*column+row] = block[4*((column+by)%4)+row]
			}
		}
		block = shifted
		if round < rounds {
			c.MixColumns(block[:], block[:])
		}
		add(round)
	}
	return block
}

// subWord are the kernels of package umac that key schedules are made with.
var subWord = []Kernel{
	{
		File: "internal/umac/sum_amd64.s", Func: "subWordAVX2AES", Claim: "returns AES's S-box of each byte of w",
		Setup: func(c *Case) {
			w := c.Arg32("w")
			c.Memo["w"], c.Memo["ret"] = w, c.Result(4)
		},
		Spec: func(c *Case, _ int64, _ bool) {
			var b [4]term.Byte
			c.Store.Bytes(b[:], c.Memo["w"].(term.Term))
			c.SubBytes(b[:], b[:])
			for i := range b {
				c.ExpectByte(c.args, c.Memo["ret"].(int64)+int64(i), b[i])
			}
		},
	},
	{
		File: "internal/umac/sum_arm64.s", Func: "subWordNEONAES", Claim: "w is AES's S-box of each of its bytes",
		Setup: func(c *Case) {
			w := Writable(c.Buffer("w", 4))
			c.Memo["w"] = w
			c.Pointers(w)
		},
		Spec: func(c *Case, _ int64, _ bool) {
			w := c.Memo["w"].(*machine.Object)
			for i := range int64(4) {
				c.Expect(w, i, c.Apply(term.SubByte, 8, 0, c.Load(w, i, 1)))
			}
		},
	},
}
