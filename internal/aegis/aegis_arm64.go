// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package aegis

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

func init() { dispatch.Register("aegis", &choice, cpu.NEONAES) }

// widest returns the number of lanes of the enabled kernel, or 0.
func widest() int {
	if choice.Level == cpu.Generic {
		return 0
	}
	return 1 // a NEON vector holds only one 16-byte block
}

func (m *message) callKernel(v Variant, _ int) {
	dispatch.CheckCall(m.n)
	if choice.Level != cpu.NEONAES {
		panic("aegis: no kernel")
	}
	if v.Family() == Family128 {
		run128NEONAES(m)
	} else {
		run256NEONAES(m)
	}
}

func (Variant) pairs() bool { return false }

func (*message) callPairKernel() {}

//go:noescape
func run128NEONAES(m *message)

//go:noescape
func run256NEONAES(m *message)
