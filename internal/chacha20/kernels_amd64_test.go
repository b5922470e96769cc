// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20

// The tests of this package are for the kernels, at every length.
func init() { slowVectors = false }
