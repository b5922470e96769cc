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

// addedSource is the source of the file added to each copy of x/crypto. The lines that
// record the copy's origin are appended when the file is written.
//
//go:embed vendored.go.txt
var addedSource []byte

// Vendor copies golang.org/x/crypto to dir. It adds a file to the ssh package that
// registers the four UMAC algorithms, except in FIPS 140-3 mode. Vendor prints a
// replace directive, preceded by a comment that names the copied version or fork. To
// use the copy, add the directive to the current module's go.mod and run "go mod tidy":
//
//	replace golang.org/x/crypto => ./dir
//
// The current module is the module of the working directory, as the go command
// determines it. The copy contains the version of x/crypto that this module requires.
// If the module cache does not contain that version, the go command downloads it. The
// copy's go.mod requires github.com/unimac/unimac in the version that the current
// module requires, or otherwise in the version of this program.
//
// If the module already replaces x/crypto, Vendor copies the replacement and, if it is
// a fork, records its name. If the replacement is a copy made by Vendor or by package
// xcrypto, Vendor copies the fork that this copy names, or otherwise the required
// version. Calling Vendor with a new folder therefore follows an update. Since dir may
// be removed before the copy is made again, the fork is also recorded in a file next to
// dir, which has the same name followed by .origin.
//
// Vendor returns an error unless dir is empty or missing. It also returns an error if
// there is no go command or no go.mod, or if the module does not require x/crypto. If
// the source is older than v0.1.0 or its layout is unknown, the error wraps
// [ErrIncompatible]. After an error, dir contains nothing.
//
// If the current module has a vendor folder, run "go mod vendor" after each change to
// the copy, because the go command builds from the vendor folder. If two modules of a
// workspace use a copy, add one replace directive to go.work instead of one to each
// go.mod, because the go command rejects different replacements of one module.
//
// Keep the folder under version control. Do not change files in a vendor folder
// instead: the next "go mod vendor" would discard the changes.
func Vendor(dir string) error {
	directives, err := vendor(dir)
	if err != nil {
		return fmt.Errorf("sshpatch: %w", err)
	}
	_, err = os.Stdout.WriteString(directives)
	return err
}

func vendor(dir string) (directives string, err error) {
	c, err := modcopy.New(dir, patch)
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

func patch(source modcopy.Source) (modcopy.Tree, error) {
	err := source.Origin.CheckVersion()
	if err == nil {
		err = checkSource(source.Files)
	}
	if err != nil {
		return nil, fmt.Errorf("%w; %s", incompatible(err), modcopy.Supported)
	}
	tree := maps.Clone(source.Files)
	tree[modcopy.PatchFile] = fmt.Appendf(nil, "%s\n%s", addedSource, source.Origin.Lines("// "))
	return tree, addRequirement(tree, source.Module)
}

// addRequirement adds a requirement on unimac to the copy's go.mod. It also copies the
// checksums that the added file needs from the current module's go.sum.
func addRequirement(tree modcopy.Tree, main *modcopy.Module) error {
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

// checkSource checks that x/crypto declares macMode and macModes as the added file
// expects.
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
