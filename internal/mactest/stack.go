// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import (
	"bytes"
	"runtime/debug"
	"testing"
	"unsafe"
)

// stackSize is larger than the frame of any kernel.
const stackSize = 32 << 10

// stackRuns is the maximum number of times that StackWiped calls f.
const stackRuns = 5

// StackWiped checks that f leaves none of the secrets on the stack. f must access the
// secrets only through a call to the assembly function under test.
func StackWiped(t *testing.T, what string, f func(), secrets ...[]byte) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // keeps the garbage collector from moving the stack
	left := make([]byte, stackSize)
	var found []byte
	// Repeat f, because preemption saves all registers, and thus secrets, on the stack.
	for range stackRuns {
		fillStack()
		f()
		copyStack(left)
		if found = findSecret(left, secrets); found == nil {
			return
		}
	}
	t.Errorf("%s: %x remains on the stack", what, found)
}

// findSecret returns eight bytes of a secret that memory contains, or nil.
func findSecret(memory []byte, secrets [][]byte) []byte {
	for _, secret := range secrets {
		for at := 0; at+8 <= len(secret); at += 8 {
			// A zero word may come from other data.
			if word := secret[at : at+8]; bytes.Contains(memory, word) && !bytes.Equal(word, make([]byte, 8)) {
				return word
			}
		}
	}
	return nil
}

// fillStack overwrites what earlier calls left on the stack. It also grows the stack,
// so that it does not move while the function under test runs.
//
//go:noinline
func fillStack() {
	var frame [2 * stackSize]byte
	touch(&frame)
}

//go:noinline
func touch(frame *[2 * stackSize]byte) {
	for i := range frame {
		frame[i] = 0x5a
	}
}

// copyStack copies the stack memory below its own frame to a slice.
//
//go:noinline
func copyStack(to []byte) {
	var here byte
	// Calling a function from here on would overwrite this memory.
	below := unsafe.Add(unsafe.Pointer(&here), -stackSize)
	for i := range to {
		to[i] = *(*byte)(unsafe.Add(below, i))
	}
}
