// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix

package main

import "golang.org/x/sys/unix"

// checkMemory returns an error if n more bytes of memory are not available. Without
// this check, a failed allocation would crash the program. The Go runtime allocates
// whole arenas, so checkMemory adds a margin.
func checkMemory(n int) error {
	const arenas = 128 << 20
	p, err := unix.Mmap(-1, 0, n+arenas, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return err
	}
	return unix.Munmap(p)
}
