// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestRenameRefused renames a file in a folder that must not change. The file must keep
// only its old name.
func TestRenameRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, mode := range map[string]fs.FileMode{"closed": 0o555, "open": 0o777} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, name, "file"), name)
		if err := errors.Join(os.Chown(filepath.Join(dir, name, "file"), 65534, -1), os.Chmod(filepath.Join(dir, name), mode)); err != nil && os.Getuid() == 0 {
			t.Fatal(err)
		}
		defer os.Chmod(filepath.Join(dir, name), 0o700)
	}
	folder, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	path := func(name string) string { return fmt.Sprintf("/proc/self/fd/%d/%s", folder.Fd(), name) }
	result := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked, so the thread ends with this goroutine
		if os.Getuid() == 0 {
			unix.SetfsuidRetUid(65534)
		}
		result <- renameNew(path("closed/file"), path("open/new"))
	}()
	if err := <-result; !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got error %v, want %v", err, fs.ErrPermission)
	}
	wantFile(t, filepath.Join(dir, "closed", "file"), "closed")
	if _, err := os.Lstat(filepath.Join(dir, "open", "new")); err == nil {
		t.Error("a rejected rename created the new name")
	}
	if err := renameNew(path("open/file"), path("open/new")); err != nil {
		t.Error(err)
	}
}
