// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package mactest

import (
	"testing"

	"golang.org/x/sys/unix"
)

func guardedMemory(tb testing.TB, size int) []byte {
	tb.Helper()
	page := unix.Getpagesize()
	inner := (size + page - 1) / page * page
	all, err := unix.Mmap(-1, 0, inner+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		tb.Fatalf("mmap: %v", err)
	}
	tb.Cleanup(func() {
		if err := unix.Munmap(all); err != nil {
			tb.Errorf("munmap: %v", err)
		}
	})
	for _, guard := range [][]byte{all[:page], all[page+inner:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			tb.Fatalf("mprotect: %v", err)
		}
	}
	return all[page : page+inner : page+inner]
}
