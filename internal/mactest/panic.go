// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import (
	"fmt"
	"testing"

	"github.com/unimac/unimac/internal/dispatch"
)

// Panic returns the text with which f panics, or "" if f returns.
func Panic(f func()) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprint(p)
		}
	}()
	f()
	return ""
}

// MaxCall checks that one call processes [dispatch.MaxCall] bytes, but no more. call
// must pass msg, whose length is a multiple of step, to the Go function that calls the
// assembly.
func MaxCall(t *testing.T, pkg string, step int, call func(msg []byte)) {
	Implementations(t, pkg, func(t *testing.T) {
		if name := dispatch.InUse(pkg); name == dispatch.Generic {
			t.Skip("plain Go accepts any length")
		}
		call(make([]byte, dispatch.MaxCall))
		// The panic lets tests find callers that fail to split long messages.
		if Panic(func() { call(make([]byte, dispatch.MaxCall+step)) }) == "" {
			t.Errorf("a call with %d bytes did not panic", dispatch.MaxCall+step)
		}
	})
}
