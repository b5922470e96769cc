// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package poly1305

import "github.com/unimac/unimac/internal/dispatch"

// IFMA holds the powers of r, and a table built from them, for the AVX-512 IFMA kernels
// in this package and in chacha20poly1305. The assembly depends on its layout.
type IFMA struct {
	table Table
	//lint:ignore U1000 only assembly reads and writes it
	moreTable [9][2]uint64 // r^32 or r^64, and r^24

	powers     powerList
	morePowers [3][2]uint64
}

// SetPowers computes the powers of r that Blocks needs. For chacha20poly1305, it also
// computes r^24 and r^32 if squares is 1, or r^24 and r^64 if squares is 2.
func (p *IFMA) SetPowers(r *[2]uint64, squares int) {
	powersAMD64(&p.powers[0][0], &r[0])
	if squares > 0 {
		morePowersAMD64(&p.powers[0][0], squares)
	}
}

// SetTable computes the table entries that Blocks needs. If extended is true, it also
// computes the entries that chacha20poly1305 needs. These require that SetPowers was
// called with squares = 1 or 2.
func (p *IFMA) SetTable(extended bool) {
	tableAVX512IFMA(&p.table[0], &p.powers[0][0])
	if extended {
		moreTableAVX512IFMA(&p.table[0], &p.powers[0][0])
	}
}

// Table returns a pointer to the table of powers in the layout that the kernels read.
func (p *IFMA) Table() *uint64 { return &p.table[0] }

// Blocks adds n blocks to s with the AVX-512 IFMA kernel. n must be at least 1, and the
// blocks must not exceed dispatch.MaxCall bytes in total.
func (p *IFMA) Blocks(s *State, msg *byte, n int) {
	dispatch.CheckCall(n * BlockSize)
	blocksAVX512IFMA(s, &p.table[0], msg, n)
}

// BlocksAMD64 adds n blocks to s with the scalar kernel. n must be at least 1, and the
// blocks must not exceed dispatch.MaxCall bytes in total.
func (s *State) BlocksAMD64(msg *byte, n int) {
	dispatch.CheckCall(n * BlockSize)
	blocksAMD64(s, msg, n)
}
