// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package aegis

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

func init() {
	dispatch.Register("aegis", &choice, cpu.SSE41AES, cpu.AVX2AES, cpu.AVX2VAES, cpu.AVX512VAES)
}

// widest returns the number of lanes of the widest enabled kernel, or 0.
func widest() int {
	switch choice.Level {
	case cpu.Generic:
		return 0
	case cpu.AVX512VAES:
		return 4
	case cpu.AVX2VAES:
		return 2
	}
	return 1
}

// callKernel calls the enabled kernel for width lanes of v. It panics if there is none.
func (m *message) callKernel(v Variant, width int) {
	dispatch.CheckCall(m.n)
	is128 := v.Family() == Family128
	switch {
	case width == 4 && choice.Level == cpu.AVX512VAES && is128:
		run128X4AVX512VAES(m)
	case width == 4 && choice.Level == cpu.AVX512VAES:
		run256X4AVX512VAES(m)
	case width == 2 && choice.Level >= cpu.AVX2VAES && is128:
		run128X2AVX2VAES(m)
	case width == 2 && choice.Level >= cpu.AVX2VAES:
		run256X2AVX2VAES(m)
	case width == 1 && choice.Level >= cpu.AVX2AES && is128:
		run128AVX2AES(m)
	case width == 1 && choice.Level >= cpu.AVX2AES:
		run256AVX2AES(m)
	case width == 1 && choice.Level == cpu.SSE41AES && is128:
		run128SSE41AES(m)
	case width == 1 && choice.Level == cpu.SSE41AES:
		run256SSE41AES(m)
	default:
		panic("aegis: no kernel for so many lanes")
	}
}

func (v Variant) pairs() bool { return v == AEGIS256X2 && choice.Level == cpu.AVX512VAES }

// callPairKernel calls the kernel that processes two messages at once. It panics if no
// such kernel is enabled.
func (m *message) callPairKernel() {
	dispatch.CheckCall(2 * m.n)
	if choice.Level != cpu.AVX512VAES {
		panic("aegis: no kernel for two messages")
	}
	pair256X2AVX512VAES(m)
}
