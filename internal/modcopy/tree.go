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

// A Tree maps the slash-separated paths of the files in a directory to their contents.
type Tree map[string][]byte

// Read returns the regular files in a directory and its subdirectories, except for
// .git. It returns an error if it finds any other kind of file, such as a symbolic
// link.
func Read(dir string) (Tree, error) {
	if info, err := os.Lstat(dir); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", dir)
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
			return fmt.Errorf("%s is not a regular file", filepath.Join(dir, filepath.FromSlash(name)))
		}
		t[name], err = fs.ReadFile(files, name)
		return err
	})
	return t, err
}

// Paths returns the sorted paths of the files.
func (t Tree) Paths() []string {
	return slices.Sorted(maps.Keys(t))
}

// checkEmpty returns an error unless dir is missing or is an empty directory.
func checkEmpty(dir string) error {
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

// Write writes the tree to dir, which must be empty or not exist.
func (t Tree) Write(dir string) error {
	if err := checkEmpty(dir); err != nil {
		return err
	}
	dir = filepath.Clean(dir) // remove any trailing slash
	mode := fs.FileMode(0o755)
	if info, err := os.Lstat(dir); err == nil {
		// Keep the permissions of an existing directory.
		mode = info.Mode().Perm()
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	if err := removeLeft(dir); err != nil {
		return err
	}
	// Build the tree in a temporary directory, so that an error leaves nothing behind.
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
	if err := os.Chmod(tmp, mode); err != nil {
		return err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(tmp, dir)
}

func unfinished(dir string) string {
	return filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+".unimac-unfinished-")
}

// removeLeft removes the temporary directories left behind by killed processes.
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

// Below returns the files directly in a directory by their names.
func (t Tree) Below(dir string) Tree {
	in := Tree{}
	for name, content := range t {
		if path.Dir(name) == dir {
			in[path.Base(name)] = content
		}
	}
	return in
}

// Declared lists the declarations in a directory's Go files, in the format of
// [Declared.Full]. It skips test files, and files for which skip returns true.
func (t Tree) Declared(dir string, skip func(name string) bool) (all []string, err error) {
	files := t.Below(dir)
	for _, name := range files.Paths() {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || skip(name) {
			continue
		}
		declared, err := Declarations(files[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path.Join(dir, name), err)
		}
		all = append(all, declared.Full...)
	}
	return all, nil
}

// A Source contains the files from which a copy is written.
type Source struct {
	Module *Module // the current module
	Origin Origin
	Files  Tree
}

// Source reads the files of o.
func (m *Module) Source(o Origin) (Source, error) {
	dir, err := m.folderOf(o)
	if err != nil {
		return Source{}, err
	}
	files, err := Read(dir)
	return Source{m, o, files}, err
}

// A Copy is a copy of x/crypto that has not been written yet.
type Copy struct {
	Source Source
	dir    string
	tree   Tree
}

// New prepares a copy of the x/crypto version or fork that the current module uses.
// change returns the files of the copy and must not modify the source. Write will write
// the copy to dir, which must be empty or not exist.
func New(dir string, change func(Source) (Tree, error)) (*Copy, error) {
	if dir == "" {
		return nil, errors.New("the name of the folder is empty")
	}
	dir, err := filepath.Abs(dir) // also removes any trailing slash
	if err != nil {
		return nil, err
	}
	if err := checkEmpty(dir); err != nil {
		return nil, err
	}
	main, err := Current()
	if err != nil {
		return nil, err
	}
	origin, err := main.Origin(dir)
	if err != nil {
		return nil, err
	}
	source, err := main.Source(origin)
	if err != nil {
		return nil, err
	}
	tree, err := change(source)
	if err != nil {
		return nil, err
	}
	return &Copy{source, dir, tree}, nil
}

// Write writes the copy. On error, it leaves no part of the copy behind.
func (c *Copy) Write() error { return c.tree.WriteCopy(c.dir, c.Source.Origin) }

// Changes lists the files that the copy changes or adds.
func (c *Copy) Changes() (lines []string) {
	for _, name := range c.tree.Paths() {
		switch original, ok := c.Source.Files[name]; {
		case !ok:
			lines = append(lines, "add "+name)
		case string(original) != string(c.tree[name]):
			lines = append(lines, "change "+name)
		}
	}
	return lines
}

// Directives returns lines for go.mod: a comment that names the copy's origin, and a
// replace directive.
func (c *Copy) Directives() []string {
	return []string{"// a copy of " + c.Source.Origin.String(), c.Source.Module.Replace(c.dir)}
}
