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

// checkEmpty checks that dir does not exist or is an empty folder.
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

// Write writes the tree to a folder that is not there yet, or is empty; an empty one's
// permissions are kept. The tree is written under another name in the same folder and
// renamed when it is whole, so that after an error there is nothing of it. What a process
// that was killed has left under such a name goes.
func (t Tree) Write(dir string) error {
	if err := checkEmpty(dir); err != nil {
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

// Declared lists in full what the Go files of a folder declare, without those of tests and those
// that are left out.
func (t Tree) Declared(folder string, leftOut func(name string) bool) (all []string, err error) {
	files := t.Below(folder)
	for _, name := range files.Paths() {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || leftOut(name) {
			continue
		}
		declared, err := Declarations(files[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path.Join(folder, name), err)
		}
		all = append(all, declared.Full...)
	}
	return all, nil
}

// A Source is what a copy is made of.
type Source struct {
	Module *Module // the current one
	Origin Origin
	Files  Tree
}

// Source reads the files of an origin.
func (m *Module) Source(o Origin) (Source, error) {
	dir, err := m.folderOf(o)
	if err != nil {
		return Source{}, err
	}
	files, err := Read(dir)
	return Source{m, o, files}, err
}

// A Copy is a copy of x/crypto that is to be written.
type Copy struct {
	Source Source
	dir    string
	tree   Tree
}

// New prepares a copy in a folder, which must be empty or missing. It is made of what the current
// module uses, by a function that returns the changed files and leaves those of the source as
// they are.
func New(dir string, change func(Source) (Tree, error)) (*Copy, error) {
	if dir == "" {
		return nil, errors.New("the name of the folder is empty")
	}
	dir, err := filepath.Abs(dir) // and without a slash at the end
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

// Write writes the copy. After an error there is nothing of it.
func (c *Copy) Write() error { return c.tree.WriteCopy(c.dir, c.Source.Origin) }

// Changes lists the files that differ from the source's, or are added to them.
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

// Directives are the lines for go.mod that make the current module use the copy. The first is a
// comment that says what the copy is made of.
func (c *Copy) Directives() []string {
	return []string{"// a copy of " + c.Source.Origin.String(), c.Source.Module.Replace(c.dir)}
}
