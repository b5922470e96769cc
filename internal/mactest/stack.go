// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import (
	"bytes"
	"runtime/debug"
	"testing"
	"unsafe"
)

// stackSize is more than any kernel's frame.
const stackSize = 32 << 10

// stackRuns is how often a secret must be left on the stack to count. The scheduler may
// stop a goroutine wherever it is not in assembly, and then keeps all its registers on its
// stack, with what a kernel left there.
const stackRuns = 5

// StackWiped runs f, which calls a kernel and nothing else that takes secrets, and
// fails the test if any of them is left on the stack afterwards, each time. It looks for
// each 8 bytes of a secret, at each place.
func StackWiped(t *testing.T, what string, f func(), secrets ...[]byte) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // so that the stack does not move
	left := make([]byte, stackSize)
	var found []byte
	for range stackRuns {
		stain()
		f()
		copyStack(left)
		if found = find(left, secrets); found == nil {
			return
		}
	}
	t.Errorf("%s: %x is left on the stack", what, found)
}

// find returns the first 8 bytes of a secret that are somewhere in memory, or nil.
func find(memory []byte, secrets [][]byte) []byte {
	for _, secret := range secrets {
		for at := 0; at+8 <= len(secret); at += 8 {
			if word := secret[at : at+8]; bytes.Contains(memory, word) && !bytes.Equal(word, make([]byte, 8)) {
				return word
			}
		}
	}
	return nil
}

// stain makes the stack large enough for f, and removes what other calls left.
//
//go:noinline
func stain() {
	var frame [2 * stackSize]byte
	touch(&frame)
}

//go:noinline
func touch(frame *[2 * stackSize]byte) {
	for i := range frame {
		frame[i] = 0x5a
	}
}

// copyStack copies what lies below its frame, where the calls before had theirs. It
// calls nothing.
//
//go:noinline
func copyStack(to []byte) {
	var here byte
	below := unsafe.Add(unsafe.Pointer(&here), -stackSize)
	for i := range to {
		to[i] = *(*byte)(unsafe.Add(below, i))
	}
}
