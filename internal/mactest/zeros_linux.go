// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import (
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Zeros returns n zero bytes in read-only memory.
func Zeros(tb testing.TB, n int) []byte {
	tb.Helper()
	const part = 8 << 20
	file, err := os.CreateTemp(tb.TempDir(), "zeros")
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(part); err != nil {
		tb.Fatal(err)
	}
	size := uintptr((n + part - 1) / part * part)
	all, err := unix.MmapPtr(-1, 0, nil, size, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		tb.Fatalf("mmap: %v", err)
	}
	tb.Cleanup(func() {
		if err := unix.MunmapPtr(all, size); err != nil {
			tb.Errorf("munmap: %v", err)
		}
	})
	// Map the same small file repeatedly to save memory.
	for at := uintptr(0); at < size; at += part {
		if _, err := unix.MmapPtr(int(file.Fd()), 0, unsafe.Add(all, at), part, unix.PROT_READ, unix.MAP_SHARED|unix.MAP_FIXED); err != nil {
			tb.Fatalf("mmap: %v", err)
		}
	}
	return unsafe.Slice((*byte)(all), n)
}
