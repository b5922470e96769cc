// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package modcopy

import (
	"errors"
	"path/filepath"
)

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
	if err := CheckEmpty(dir); err != nil {
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
