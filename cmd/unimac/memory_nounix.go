// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !unix

package main

// checkMemory does nothing on systems without mmap.
func checkMemory(int) error { return nil }
