// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package poly1305

import "github.com/unimac/unimac/internal/impl"

// IFMA is what package chacha20poly1305 needs of Poly1305 with AVX-512 IFMA: its kernel that
// encrypts next to it takes the table, and what that leaves over is authenticated here. The
// generators know the layout.
type IFMA struct {
	table Table
	//lint:ignore U1000 assembly alone reads and writes it
	moreTable [9][2]uint64 // of the powers 32 or 64, and 24

	powers     powerList
	morePowers [3][2]uint64
}

// SetPowers computes the powers of r. More than Blocks needs are 24, and 32 by a square of 16 or 64
// by two.
func (p *IFMA) SetPowers(r *[2]uint64, squares int) {
	powersAMD64(&p.powers[0][0], &r[0])
	if squares > 0 {
		morePowersAMD64(&p.powers[0][0], squares)
	}
}

// SetTable makes the table of the powers.
func (p *IFMA) SetTable(all bool) {
	tableAVX512IFMA(&p.table[0], &p.powers[0][0])
	if all {
		moreTableAVX512IFMA(&p.table[0], &p.powers[0][0])
	}
}

// Table returns the table of the powers 8 to 1 in lanes, of 16, and of what SetPowers had more.
func (p *IFMA) Table() *uint64 { return &p.table[0] }

// Blocks is blocksGeneric for n blocks, at least one and at most impl.MaxCall bytes.
func (p *IFMA) Blocks(s *State, msg *byte, n int) {
	impl.CheckCall(n * BlockSize)
	blocksAVX512IFMA(s, &p.table[0], msg, n)
}

// BlocksAMD64 is blocksGeneric for n blocks, at least one and at most impl.MaxCall bytes.
func (s *State) BlocksAMD64(msg *byte, n int) {
	impl.CheckCall(n * BlockSize)
	blocksAMD64(s, msg, n)
}
