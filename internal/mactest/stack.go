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

// StackWiped runs f, which calls a kernel and nothing else that takes secrets, and
// fails the test if any of them is left on the stack afterwards. It looks for each 8
// bytes of a secret, at each place.
func StackWiped(t *testing.T, what string, f func(), secrets ...[]byte) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // so that the stack does not move
	left := make([]byte, stackSize)
	stain()
	f()
	copyStack(left)
	for _, secret := range secrets {
		for at := 0; at+8 <= len(secret); at += 8 {
			if word := secret[at : at+8]; bytes.Contains(left, word) && !bytes.Equal(word, make([]byte, 8)) {
				t.Errorf("%s: %x is left on the stack", what, word)
				return
			}
		}
	}
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
