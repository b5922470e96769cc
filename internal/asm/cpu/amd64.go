// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package cpu generates the function that executes CPUID.
package cpu

import (
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// AMD64 returns internal/cpu/cpuid_amd64.s and its Go declaration.
func AMD64() (assembly, stubs []byte) {
	f := amd64.NewFile("cpu")
	f.Function("cpuidAMD64", "func(leaf uint32) (a, b, c, d uint32)",
		"cpuidAMD64 returns the result of CPUID for subleaf 0 of a leaf.")
	f.Load(f.Param("leaf"), EAX)
	f.XORL(ECX, ECX)
	f.CPUID()
	f.Store(EAX, f.Return("a"))
	f.Store(EBX, f.Return("b"))
	f.Store(ECX, f.Return("c"))
	f.Store(EDX, f.Return("d"))
	f.RET()
	return f.Bytes("internal/asm/cpu")
}
