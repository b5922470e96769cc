// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"os"
	"runtime"
	"slices"
	"syscall"
	"testing"
)

// TestSealFiles seals and opens several files, each to its name.
func TestSealFiles(t *testing.T) {
	workIn(t)
	writeFile(t, "pass", "secret words")
	for _, from := range [][]string{{"-k", "key"}, {"-passphrase-file", "pass"}} {
		args := func(command string, more ...string) []string {
			return slices.Concat([]string{command}, from, []string{"-suffix", ".sealed"}, more)
		}
		for _, name := range []string{"a", "b", "c d"} {
			writeFile(t, name, name)
		}
		runWith("", args("seal", "a", "b", "c d")...).Want(t, 0, "", "")
		for _, name := range []string{"a", "b", "c d"} {
			os.Remove(name)
		}
		runWith("", args("open", "a.sealed", "b.sealed", "c d.sealed")...).Want(t, 0, "", "")
		for _, name := range []string{"a", "b", "c d"} {
			wantContent(t, name, name)
			os.Remove(name + ".sealed")
		}
		// What goes wrong with one does not keep it from the rest.
		runWith("", args("seal", "a", "none", "b")...).Want(t, 1, "", "unimac seal: none: ")
		wantFiles(t, "a", "a.sealed", "b", "b.sealed", "c d", "key", "pass")
		runWith("", args("open", "a.sealed", "b.sealed")...).Want(t, 1, "", "unimac open: a: exists already; -f overwrites it\nunimac open: b: exists already; -f overwrites it\n")
		runWith("", args("open", "-f", "a", ".sealed", "-", "b.sealed")...).Want(t, 1, "",
			"unimac open: a: has no name that ends with .sealed\nunimac open: .sealed: has no name that ends with .sealed\nunimac open: -: has no name that ends with .sealed\n")
		os.Remove("a.sealed")
		os.Remove("b.sealed")
	}
}

// TestDevices writes to what is no file.
func TestDevices(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no /dev")
	}
	workIn(t)
	writeFile(t, "file", "content")
	runWith("", "seal", "-k", "key", "-o", "/dev/null", "file").Want(t, 0, "", "")
	runWith("", "seal", "-k", "key", "-o", "sealed", "file").Want(t, 0, "", "")
	for _, name := range []string{"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"} {
		runWith("", "open", "-k", "key", "-o", name, "sealed").Want(t, 0, "content", "")
	}
	runWith("", "open", "-k", "key", "-o", "/dev/null", "sealed").Want(t, 0, "", "")
	if info, err := os.Stat("/dev/null"); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		t.Fatalf("/dev/null is no device any more: %v, %v", info.Mode(), err)
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		runWith("", "open", "-k", "key", "-o", "/dev/full", "sealed").Want(t, 1, "", "unimac open: /dev/full: "+syscall.ENOSPC.Error()+"\n")
	}
	wantFiles(t, "file", "key", "sealed")
}
