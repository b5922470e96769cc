// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cli

import (
	"fmt"
	"io"
	"os"
	"runtime"
)

// CreateSecret writes data to a new file with mode 0600. The file appears only after
// all data is on disk. If path already exists, CreateSecret returns [ErrExists].
func CreateSecret(path string, data []byte) error {
	if _, err := os.Lstat(path); err == nil {
		return ErrExists
	}
	o, err := CreateFile(path, false)
	if err != nil {
		return err
	}
	o.Write(data) // Commit returns the error
	return o.Commit()
}

// ReadSecret returns at most the first limit bytes of the file at path. It returns an
// error if the mode gives access to anyone but the owner. On Windows, it ignores the
// mode, which does not show who has access.
func ReadSecret(path string, limit int64) ([]byte, error) {
	f, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return nil, fmt.Errorf("mode %04o lets others use the key; run chmod 600", mode)
	}
	return io.ReadAll(io.LimitReader(f, limit))
}
