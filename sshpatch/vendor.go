// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/modcopy"
)

// addedSource is the one file of a copy that x/crypto does not have. Two lines more say what the
// copy was made of.
//
//go:embed vendored.go.txt
var addedSource []byte

// Vendor writes a copy of golang.org/x/crypto to the folder dir, with one file
// added in ssh, which registers the four algorithms where the program does not
// run in FIPS 140-3 mode. It prints to standard output what the copy is made of, in a comment, and
// the directive that makes the current module use the copy; a "go mod tidy" belongs after it:
//
//	replace golang.org/x/crypto => ./dir
//
// The current module is the module of the working directory, as the go command
// sees it. The copy has the version of x/crypto which that module requires and comes
// from the module cache, where it is downloaded to if it is not there. If the
// module replaces x/crypto already, the copy is made of the replacement, and names it if it is a fork.
// If that is a copy, by Vendor or by package xcrypto, the new one is made of what it was
// made of: of the fork that it names, or else of the required version, so that Vendor into a
// new folder follows an update. The folder's name with .origin, next to it, names the fork,
// too, because the copy may have been removed to make it again.
// The copy's go.mod requires github.com/unimac/unimac in the version that the current
// module requires, or else in the version of this program.
//
// The folder may exist if it is empty. It is an error if it is not; if there is
// no go command, no go.mod, or no x/crypto among the requirements; and one that
// wraps [ErrIncompatible] if the source is older than v0.1.0 or its layout is unknown. After an
// error there is no copy, not even a part of one.
//
// If the current module has a vendor folder, run "go mod vendor" after each change of the copy,
// because the go command builds from the vendor folder. If two modules of a workspace use a copy,
// put one replace line into go.work instead of one into each go.mod, because the go command rejects
// different replacements of one module.
//
// The result is a folder to keep under version control. Changes made inside a
// vendor folder instead would be lost at the next "go mod vendor".
func Vendor(dir string) error {
	directives, err := vendor(dir)
	if err != nil {
		return fmt.Errorf("sshpatch: %w", err)
	}
	_, err = os.Stdout.WriteString(directives)
	return err
}

// vendor is Vendor, except for printing the directives.
func vendor(dir string) (directives string, err error) {
	c, err := modcopy.New(dir, patched)
	if err != nil {
		return "", err
	}
	if err := c.Write(); err != nil {
		return "", err
	}
	lines := c.Directives()
	if m := c.Source.Module; m.UnimacVersion() == modcopy.NoVersion && !m.RequiresUnimac() {
		lines = append(lines, "// This is a development version of unimac. Replace it as well: replace "+modcopy.Unimac+" => its folder")
	}
	return strings.Join(lines, "\n") + "\n", nil
}

// patched returns a copy of a source.
func patched(source modcopy.Source) (modcopy.Tree, error) {
	err := source.Origin.CheckVersion()
	if err == nil {
		err = checkSource(source.Files)
	}
	if err != nil {
		return nil, fmt.Errorf("%w; %s", incompatible(err), modcopy.Supported)
	}
	tree := maps.Clone(source.Files)
	tree[modcopy.PatchFile] = fmt.Appendf(nil, "%s\n%s", addedSource, source.Origin.Lines("// "))
	return tree, require(tree, source.Module)
}

// require lets the go.mod of a copy require this module, and adds to its go.sum what
// the current module knows of the modules that the added file needs.
func require(tree modcopy.Tree, main *modcopy.Module) error {
	dir, err := os.MkdirTemp("", "unimac-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	mod := filepath.Join(dir, "go.mod")
	if err := os.WriteFile(mod, tree["go.mod"], 0o600); err != nil {
		return err
	}
	if _, err := modcopy.Go("mod", "edit", "-require="+modcopy.Unimac+"@"+main.UnimacVersion(), mod); err != nil {
		return err
	}
	if tree["go.mod"], err = os.ReadFile(mod); err != nil {
		return err
	}
	known, err := os.ReadFile(filepath.Join(filepath.Dir(main.File), "go.sum"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	sums := tree["go.sum"]
	for line := range strings.Lines(string(known)) {
		path, _, _ := strings.Cut(line, " ")
		if (path == modcopy.Unimac || path == "golang.org/x/sys") && !bytes.Contains(sums, []byte(line)) {
			sums = append(sums, line...)
		}
	}
	if len(sums) > 0 {
		tree["go.sum"] = sums
	}
	return nil
}

// checkSource checks that the added file will compile in package ssh of a copy, and
// mean what it says: that macMode and macModes are declared as known.
func checkSource(tree modcopy.Tree) error {
	declared, err := tree.Declared("ssh", func(string) bool { return false })
	if err != nil {
		return err
	}
	var fields []string
	modes := ""
	for _, d := range declared {
		if field, ok := strings.CutPrefix(d, "field macMode."); ok {
			fields = append(fields, field)
		} else if of, ok := strings.CutPrefix(d, "var macModes "); ok {
			modes = of
		}
	}
	if fields == nil {
		return errors.New("no struct macMode")
	}
	want := []string{"keySize int", "etm bool", "new func(key []byte) hash.Hash"}
	if !slices.Equal(fields, want) {
		return fmt.Errorf("macMode has the fields %q, want %q", fields, want)
	}
	if modes != "map[string]*macMode" {
		return fmt.Errorf("macModes is declared as %q", modes)
	}
	return nil
}
