// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package cpu

import "sync"

//go:generate go -C ../asm run . internal/cpu

// ThisKind returns the kind of the processor. GODEBUG does not affect it.
func ThisKind() Kind { return thisKind() }

var thisKind = sync.OnceValue(func() Kind {
	return classify(cpuid)
})

var askVAES = sync.OnceFunc(func() { vaes = hasVAES(cpuid) })

func cpuid(leaf uint32) (r registers) {
	r.a, r.b, r.c, r.d = cpuidAMD64(leaf)
	return r
}
