// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package mactest

import "testing"

func guardedMemory(_ testing.TB, size int) []byte {
	return make([]byte, size)
}
