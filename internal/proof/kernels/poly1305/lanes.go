// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

// The lanes of kernels. To the first of those with limbs of 26 bits, h may have been added, without a carry: that makes
// the bounds.
var (
	// One: h, to which the next block has been added.
	scalarLanes = &Lanes{Radix: 64, Width: 64, Rows: []string{"DI", "R8", "R9"}, Most: []uint64{^uint64(0), ^uint64(0), MaxH2 + 2}, Powers: []int{1}}

	Avx2Lanes = &Lanes{
		Radix: 26, Width: 64, Rows: []string{"Z10", "Z11", "0(SP)", "32(SP)", "Z12"},
		Most:   []uint64{1<<27 - 2, 1<<27 - 2, 1<<27 - 2, 1<<27 - 2, 1<<27 + 1<<25 - 2},
		Powers: []int{4, 2, 3, 1},
	}
	NeonLanes = &Lanes{
		Radix: 26, Width: 32, Rows: []string{"V10", "V11", "V12", "V13", "V14"},
		Most:   []uint64{1<<27 - 2, 1<<27 - 2, 1<<27 - 2, 1<<27 - 2, 1<<27 + 1<<25 - 2},
		Powers: []int{2, 1},
	}

	// Eight lanes of three limbs. What the lower two have above 52 bits has been added to the next one, and
	// multiplications do not see it.
	IfmaLanes = &Lanes{
		Radix: 52, Bits: 52, Width: 64, Rows: []string{"Z20", "Z18", "Z17"},
		Most:   []uint64{1<<64 - 1, 1<<64 - 1, 1<<52 - 1},
		Powers: []int{8, 4, 7, 3, 6, 2, 5, 1},
	}
)
