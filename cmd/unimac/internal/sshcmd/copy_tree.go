// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxDepth is how many folders may be in one another: a server could go on for ever.
const maxDepth = 256

var (
	errName   = errors.New("is not the name of a file")
	errLink   = errors.New("is a symbolic link to a folder, which could be one that it is in: not copied")
	errDeep   = errors.New("has too many folders in one another")
	errNotDir = errors.New("is no folder")
)

// plainName reports whether a name is that of a file in a folder, and no way out of
// it on any system that this program runs on.
func plainName(name string) bool {
	return name != "." && name != ".." && !strings.ContainsAny(name, "/\x00") && filepath.IsLocal(name) && filepath.Base(name) == name
}

// copyTree copies a folder. What comes from a server is written through an
// [os.Root], which neither a name nor a symbolic link leads out of.
func (c *copier) copyTree(from side, name string, info fs.FileInfo, to side, as string) error {
	if c.plan.upload {
		return c.copyFolder(from, name, info, to, as, 1)
	}
	made, err := makeFolder(to, as)
	if err != nil {
		return fmt.Errorf("%s: %w", as, err)
	}
	root, err := os.OpenRoot(as)
	if err != nil {
		return err
	}
	defer root.Close()
	below := localSide{root}
	if err := c.copyFolder(from, name, info, below, ".", 1); err != nil {
		return err
	}
	if made {
		return below.allow(".", info.Mode().Perm())
	}
	return nil
}

// makeFolder makes a folder unless there is one.
func makeFolder(to side, name string) (made bool, err error) {
	switch info, err := to.stat(name); {
	case err == nil && info.IsDir():
		return false, nil
	case err == nil:
		return false, errNotDir
	case !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	return true, to.mkdir(name)
}

// copyFolder copies what is in a folder. It goes on after errors, which it reports.
func (c *copier) copyFolder(from side, name string, info fs.FileInfo, to side, as string, depth int) error {
	if depth > maxDepth {
		return errDeep
	}
	made, err := makeFolder(to, as)
	if err != nil {
		return err
	}
	entries, err := from.list(name)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := c.copyEntry(from, name, entry, to, as, depth); err != nil {
			c.report(from.join(name, entry.Name()), err)
		}
		if c.lost {
			return errReported
		}
	}
	if made {
		return to.allow(as, info.Mode().Perm())
	}
	return nil
}

// copyEntry copies one file or folder of a folder.
func (c *copier) copyEntry(from side, folder string, entry fs.FileInfo, to side, as string, depth int) (err error) {
	if !plainName(entry.Name()) {
		return errName
	}
	name, as := from.join(folder, entry.Name()), to.join(as, entry.Name())
	if entry.IsDir() {
		return c.copyFolder(from, name, entry, to, as, depth+1)
	}
	if entry.Mode()&fs.ModeSymlink != 0 {
		if entry, err = from.stat(name); err != nil {
			return err
		}
		if entry.IsDir() {
			return errLink
		}
	}
	if as, err = replaceable(to, as); err != nil {
		return err
	}
	return c.copy(from, name, entry, to, as)
}
