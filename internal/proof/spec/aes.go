// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package spec

import (
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// AESRotations are by how many columns ShiftRows rotates each row to the left (FIPS 197,
// section 5.1.2).
var AESRotations = [4]int{0, 1, 2, 3}

// AESEncrypt returns a block encrypted under round keys, 16 bytes each (FIPS 197, section
// 5.1). The state's columns are four bytes one after the other, as the block's.
func AESEncrypt(c *term.Store, block [16]term.Byte, keys *machine.Object, at int64, rounds int) [16]term.Byte {
	add := func(round int) {
		for i := range block {
			key := keys.Initial(at + int64(16*round+i))
			c.Bytes(block[i:i+1], c.Xor(c.Gather(block[i:i+1]), c.Gather([]term.Byte{key})))
		}
	}
	add(0)
	for round := 1; round <= rounds; round++ {
		c.SubBytes(block[:], block[:])
		var shifted [16]term.Byte
		for column := range 4 {
			for row, by := range AESRotations {
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
