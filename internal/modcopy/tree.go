// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package modcopy

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A Tree is the files of a folder, by their paths with slashes.
type Tree map[string][]byte

// Read returns the files in a folder and below, except those of version control. It
// refuses symbolic links, pipes, devices and whatever else is no file and no folder:
// what they stand for is not a part of the source.
func Read(dir string) (Tree, error) {
	if info, err := os.Lstat(dir); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder", dir)
	}
	t := Tree{}
	files := os.DirFS(dir)
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == ".git":
			return fs.SkipDir
		case entry.IsDir() || entry.Name() == ".git": // a file in a worktree or a submodule
			return nil
		case !entry.Type().IsRegular():
			return fmt.Errorf("%s is no regular file", filepath.Join(dir, filepath.FromSlash(name)))
		}
		t[name], err = fs.ReadFile(files, name)
		return err
	})
	return t, err
}

// Paths lists the files in order.
func (t Tree) Paths() []string {
	return slices.Sorted(maps.Keys(t))
}

// CheckEmpty checks that dir does not exist or is an empty folder.
func CheckEmpty(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case dir == "":
		return errors.New("the name of the folder is empty")
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory", dir)
	}
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("folder %s is not empty", dir)
	}
	return err
}

// Write writes the tree to a folder that is not there yet, or is empty; an empty one's
// permissions are kept. The tree is written under another name in the same folder and
// renamed when it is whole, so that after an error there is nothing of it. What a process
// that was killed has left under such a name goes.
func (t Tree) Write(dir string) error {
	if err := CheckEmpty(dir); err != nil {
		return err
	}
	dir = filepath.Clean(dir) // without a slash at the end
	mode := fs.FileMode(0o755)
	if info, err := os.Lstat(dir); err == nil {
		mode = info.Mode().Perm()
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	if err := removeLeft(dir); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(parent, filepath.Base(unfinished(dir))+"*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	for _, name := range t.Paths() {
		to := filepath.Join(tmp, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, t[name], 0o644); err != nil {
			return err
		}
	}
	// A folder of MkdirTemp is for its owner alone.
	if err := os.Chmod(tmp, mode); err != nil {
		return err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(tmp, dir)
}

// unfinished is how the names of folders begin that hold a tree before it is whole.
func unfinished(dir string) string {
	return filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+".unimac-unfinished-")
}

// removeLeft removes such folders.
func removeLeft(dir string) error {
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.IsDir() && strings.HasPrefix(entry.Name(), filepath.Base(unfinished(dir))) {
			if err := os.RemoveAll(filepath.Join(filepath.Dir(dir), entry.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// Below returns the files directly in a folder of the tree, by their names.
func (t Tree) Below(folder string) Tree {
	in := Tree{}
	for name, content := range t {
		if path.Dir(name) == folder {
			in[path.Base(name)] = content
		}
	}
	return in
}
