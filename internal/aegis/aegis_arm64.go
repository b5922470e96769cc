// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package aegis

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

func init() { impl.Register("aegis", &on, cpu.NEONAES) }

// widest returns 1, as there are no vectors for more lanes, or 0 if no kernel is on.
func widest() int {
	if on.Level == cpu.Generic {
		return 0
	}
	return 1
}

// kernel calls the kernel for one lane.
func (m *message) kernel(v Variant, _ int) {
	if v.Family() == Family128 {
		run128NEONAES(m)
	} else {
		run256NEONAES(m)
	}
}

// pairs returns false: no kernel works on two messages.
func (Variant) pairs() bool { return false }

func (*message) kernelPair() {}

// run128NEONAES does what m says, with one of the lanes of AEGIS-128.
//
//go:noescape
func run128NEONAES(m *message)

// run256NEONAES does what m says, with one of the lanes of AEGIS-256.
//
//go:noescape
func run256NEONAES(m *message)
