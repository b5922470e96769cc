// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// smallDisk mounts a file system of 1 MiB until the test ends.
func smallDisk(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	err := syscall.Mount("unimac", dir, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "size=1m")
	switch {
	case errors.Is(err, syscall.EPERM), errors.Is(err, syscall.EACCES):
		t.Skipf("mounting is not permitted: %v", err) // containers, also in CI, may forbid it
	case err != nil:
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestFullDisk checks outputs that exceed the space on the disk.
func TestFullDisk(t *testing.T) {
	disk := smallDisk(t)
	content, sealed := workInFaults(t)
	on := func(name string) string { return filepath.Join(disk, name) }
	writeFile(t, on("old"), "before")
	check := func(args, stdoutTo, stderr string, want ...string) {
		t.Helper()
		fields := strings.Fields(args)
		cmd := program(t, fields...)
		if stdoutTo != "" {
			f, err := os.Create(stdoutTo)
			if err != nil {
				t.Fatal(err)
			}
			defer os.Remove(stdoutTo)
			defer f.Close()
			cmd.Stdout = f
		}
		r := finish(t, cmd)
		if stderr := fmt.Sprintf("unimac %s: %s: no space left on device\n", fields[0], stderr); r.Status != 1 || r.Stderr != stderr {
			t.Errorf("%s: got status %d, stderr %q, want 1, %q", args, r.Status, r.Stderr, stderr)
		}
		wantContent(t, on("old"), "before")
		if stdoutTo == "" {
			names, err := filepath.Glob(on("*"))
			hidden, _ := filepath.Glob(on(".*"))
			if names = append(names, hidden...); err != nil || len(names) != len(want) {
				t.Errorf("%s: got files %q on the disk, error %v, want %q", args, names, err, want)
			}
		}
		wantUntouched(t, content, sealed)
	}
	for _, flag := range []string{"", "-f "} {
		check("seal -k key "+flag+"-o "+on("out")+" content", "", on("out"), "old")
		check("open -k key "+flag+"-o "+on("out")+" sealed", "", on("out"), "old")
	}
	check("seal -k key -f -o "+on("old")+" content", "", on("old"), "old")
	check("open -k key -f -o "+on("old")+" sealed", "", on("old"), "old")
	check("seal -k key content", on("out"), "standard output")
	check("open -k key sealed", on("out"), "standard output")

	// Leave no space at all. An empty file still has some.
	full, err := os.Create(on("full"))
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	for size := 1 << 16; size > 0; {
		if _, err := full.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	check("keygen "+on("key"), "", on("key"), "old", "full")
	check("seal -k key -o "+on("out")+" list", "", on("out"), "old", "full")
	check("sum -k key content", on("out"), "standard output")
	check("check -k key list", on("out"), "standard output")
}

// TestInputClosedFirst checks that the input is closed before the output gets its name,
// which may be the same: Windows does not replace an open file.
func TestInputClosedFirst(t *testing.T) {
	dir := workIn(t)
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		t.Skip(err) // containers may forbid it
	}
	defer syscall.Close(fd)
	writeFile(t, "in", "content")
	if _, err := syscall.InotifyAddWatch(fd, dir, syscall.IN_CLOSE_NOWRITE|syscall.IN_MOVED_TO); err != nil {
		t.Skip(err)
	}
	for _, command := range []string{"seal", "open"} {
		runWith("", command, "-k", "key", "-f", "-o", "in", "in").Want(t, 0, "", "")
		events := make([]byte, 4096)
		n, err := syscall.Read(fd, events)
		if err != nil {
			t.Fatal(err)
		}
		var masks []uint32
		for events = events[:n]; len(events) > 0; {
			size := syscall.SizeofInotifyEvent + binary.NativeEndian.Uint32(events[12:])
			if name := events[syscall.SizeofInotifyEvent:size]; string(bytes.TrimRight(name, "\x00")) == "in" {
				masks = append(masks, binary.NativeEndian.Uint32(events[4:]))
			}
			events = events[size:]
		}
		if !slices.Equal(masks, []uint32{syscall.IN_CLOSE_NOWRITE, syscall.IN_MOVED_TO}) {
			t.Errorf("%s: got events %x, want the input closed and then the output renamed", command, masks)
		}
	}
}
