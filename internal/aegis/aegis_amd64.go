// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package aegis

import (
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

//go:generate go -C ../asm run . internal/aegis

var on impl.Choice

func init() { impl.Register("aegis", &on, cpu.AVX2AES, cpu.AVX2VAES, cpu.AVX512VAES) }

// anyKernel reports whether a kernel is on.
func anyKernel() bool { return on.Level != cpu.Generic }

// width returns how many lanes of a variant the best kernel that is on takes at once.
func (v Variant) width() int {
	switch on.Level {
	case cpu.AVX512VAES:
		return v.Lanes()
	case cpu.AVX2VAES:
		return min(v.Lanes(), 2)
	}
	return 1
}

// kernel calls the kernel for so many lanes, from one on.
func (m *message) kernel(p *part, lane, width int) {
	stride, at := blockSize*m.variant.Lanes(), blockSize*lane
	context := constant(contexts, wordStride*(int(m.variant)%3))
	state, sums := (*byte)(unsafe.Pointer(m.state)), (*byte)(unsafe.Pointer(m.sums)) // blocks come first
	family := m.variant.Family()
	switch p.operation {
	case absorbing:
		switch {
		case family == Family128 && width == 4:
			absorb128X4AVX512VAES(p.src, p.n, stride, at, p.last, state, m.key, m.nonce, context, p.mode, sums, m.x, m.y)
		case family == Family128 && width == 2:
			absorb128X2AVX2VAES(p.src, p.n, stride, at, p.last, state, m.key, m.nonce, context, p.mode, sums, m.x, m.y)
		case family == Family128 && width == 1:
			absorb128AVX2AES(p.src, p.n, stride, at, p.last, state, m.key, m.nonce, context, p.mode, sums, m.x, m.y)
		case family == Family256 && width == 4:
			absorb256X4AVX512VAES(p.src, p.n, stride, at, p.last, state, m.key, m.nonce, context, p.mode, sums, m.x, m.y)
		case family == Family256 && width == 2:
			absorb256X2AVX2VAES(p.src, p.n, stride, at, p.last, state, m.key, m.nonce, context, p.mode, sums, m.x, m.y)
		case family == Family256 && width == 1:
			absorb256AVX2AES(p.src, p.n, stride, at, p.last, state, m.key, m.nonce, context, p.mode, sums, m.x, m.y)
		}
	case sealing:
		switch {
		case family == Family128 && width == 4:
			seal128X4AVX512VAES(p.dst, p.src, p.n, stride, at, p.last, state, m.key, m.nonce, context, p.mode, sums, m.x, m.y)
		case family == Family128 && width == 2:
			seal128X2AVX2VAES(p.dst, p.src, p.n, stride, at, p.last, state, m.key, m.nonce, context, p.mode, sums, m.x, m.y)
		case family == Family128 && width == 1:
			seal128AVX2AES(p.dst, p.src, p.n, stride, at, p.last, state, m.key, m.nonce, context, p.mode, sums, m.x, m.y)
		case family == Family256 && width == 4:
			seal256X4AVX512VAES(p.dst, p.src, p.n, stride, at, p.last, state, m.key, m.nonce, context, p.mode, sums, m.x, m.y)
		case family == Family256 && width == 2:
			seal256X2AVX2VAES(p.dst, p.src, p.n, stride, at, p.last, state, m.key, m.nonce, context, p.mode, sums, m.x, m.y)
		case family == Family256 && width == 1:
			seal256AVX2AES(p.dst, p.src, p.n, stride, at, p.last, state, m.key, m.nonce, context, p.mode, sums, m.x, m.y)
		}
	case opening:
		switch {
		case family == Family128 && width == 4:
			open128X4AVX512VAES(p.dst, p.src, p.n, stride, at, p.last, p.mask, state, m.key, m.nonce, context, p.mode, sums, m.x, m.y)
		case family == Family128 && width == 2:
			open128X2AVX2VAES(p.dst, p.src, p.n, stride, at, p.last, p.mask, state, m.key, m.nonce, context, p.mode, sums, m.x, m.y)
		case family == Family128 && width == 1:
			open128AVX2AES(p.dst, p.src, p.n, stride, at, p.last, p.mask, state, m.key, m.nonce, context, p.mode, sums, m.x, m.y)
		case family == Family256 && width == 4:
			open256X4AVX512VAES(p.dst, p.src, p.n, stride, at, p.last, p.mask, state, m.key, m.nonce, context, p.mode, sums, m.x, m.y)
		case family == Family256 && width == 2:
			open256X2AVX2VAES(p.dst, p.src, p.n, stride, at, p.last, p.mask, state, m.key, m.nonce, context, p.mode, sums, m.x, m.y)
		case family == Family256 && width == 1:
			open256AVX2AES(p.dst, p.src, p.n, stride, at, p.last, p.mask, state, m.key, m.nonce, context, p.mode, sums, m.x, m.y)
		}
	}
}
