// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package aegis

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

func init() {
	impl.Register("aegis", &on, cpu.SSE41AES, cpu.AVX2AES, cpu.AVX2VAES, cpu.AVX512VAES)
}

// widest returns the number of lanes of the widest enabled kernel, or 0 if none is
// enabled.
func widest() int {
	switch on.Level {
	case cpu.Generic:
		return 0
	case cpu.AVX512VAES:
		return 4
	case cpu.AVX2VAES:
		return 2
	}
	return 1
}

// kernel calls the kernel with the given number of lanes.
func (m *message) kernel(v Variant, width int) {
	impl.CheckCall(m.n)
	family := v.Family()
	switch {
	case family == Family128 && width == 4:
		run128X4AVX512VAES(m)
	case family == Family128 && width == 2:
		run128X2AVX2VAES(m)
	case family == Family128 && on.Level > cpu.SSE41AES:
		run128AVX2AES(m)
	case family == Family128:
		run128SSE41AES(m)
	case width == 4:
		run256X4AVX512VAES(m)
	case width == 2:
		run256X2AVX2VAES(m)
	case on.Level > cpu.SSE41AES:
		run256AVX2AES(m)
	default:
		run256SSE41AES(m)
	}
}

// pairs reports whether a kernel for two messages is enabled.
func (v Variant) pairs() bool { return v == AEGIS256X2 && on.Level == cpu.AVX512VAES }

// kernelPair calls the kernel for two messages.
func (m *message) kernelPair() {
	impl.CheckCall(2 * m.n)
	pair256X2AVX512VAES(m)
}
