// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import (
	"fmt"
	"testing"

	"github.com/unimac/unimac/internal/impl"
)

// Panic returns the text that f panics with, "" if it does not.
func Panic(f func()) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprint(p)
		}
	}()
	f()
	return ""
}

// MaxCall checks that assembly of a package is given at most [impl.MaxCall] bytes at
// a time, by each implementation: call, which is the seam to the assembly, panics
// rather than take more, a multiple of step bytes. What is above the seam splits
// longer messages, or their tests would panic.
func MaxCall(t *testing.T, pkg string, step int, call func(msg []byte)) {
	Implementations(t, pkg, func(t *testing.T) {
		if name := impl.InUse(pkg); name == impl.Generic {
			t.Skip("plain Go may take any length")
		}
		call(make([]byte, impl.MaxCall))
		if Panic(func() { call(make([]byte, impl.MaxCall+step)) }) == "" {
			t.Errorf("the assembly took %d bytes", impl.MaxCall+step)
		}
	})
}
