// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// A strictness determines whether only the user can have written a file.
type strictness struct {
	home  string // folders above it are not checked
	user  int
	owner func(fs.FileInfo) (user int, known bool) // known is false if files have no owners
}

// strict returns the strictness for the current user.
func strict() strictness { return strictness{home: inHome(), user: os.Getuid(), owner: ownerOf} }

// check returns an error unless the file at path, and each folder above it up to the
// home, belongs to the user or to root and cannot be written by other users. A folder
// with the sticky bit, such as /tmp, may be writable by other users, because they
// cannot replace its entries, and check checks the entry on the path. If the file at
// path is no longer the opened file, check returns an error.
func (s strictness) check(path string, opened fs.FileInfo) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return err
	}
	home := s.home
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real
	}
	for at, above := path, false; ; at, above = filepath.Dir(at), true {
		info, err := os.Lstat(at)
		if err != nil {
			return err
		}
		if !above && !os.SameFile(info, opened) {
			return fmt.Errorf("%s: was replaced while it was read", cli.Escape(at))
		}
		if err := s.checkOne(info, above); err != nil {
			return fmt.Errorf("%s: %w", cli.Escape(at), err)
		}
		if at == home || at == filepath.Dir(at) {
			return nil
		}
	}
}

func (s strictness) checkOne(info fs.FileInfo, folder bool) error {
	owner, known := s.owner(info)
	switch mode := info.Mode(); {
	case !known:
		return nil
	case owner != s.user && owner != 0:
		return fmt.Errorf("belongs to user %d, who could change it", owner)
	case mode.Perm()&0o022 != 0 && !(folder && mode&fs.ModeSticky != 0):
		return fmt.Errorf("mode %04o lets others change it; run chmod go-w", mode.Perm())
	}
	return nil
}
