// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !linux

package mactest

import "testing"

// Zeros returns n zero bytes, which must not be modified.
func Zeros(_ testing.TB, n int) []byte { return make([]byte, n) }
