// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
)

// CreateSecret writes data to a new file with mode 0600, which appears only when it is
// complete and on the disk. If path already exists, CreateSecret returns [fs.ErrExist].
func CreateSecret(path string, data []byte) error {
	switch _, err := os.Lstat(path); {
	case err == nil:
		return fs.ErrExist
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	o, err := CreateFile(path, false)
	if err != nil {
		return err
	}
	o.Write(data) // Commit returns the error
	if err = o.Commit(); err == ErrExists {
		return fs.ErrExist
	}
	return err
}

// ReadSecret returns at most limit bytes of the file at path. If anyone but the owner
// can access the file, ReadSecret returns an error.
func ReadSecret(path string, limit int64) ([]byte, error) {
	f, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := checkPrivate(f); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, limit))
}

// checkPrivate returns an error if the mode of f lets anyone but the owner access f. On
// Windows, it accepts every file, because the mode does not show who can access it.
func checkPrivate(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return fmt.Errorf("mode %04o lets others use the key; run chmod 600", mode)
	}
	return nil
}
