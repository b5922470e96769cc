// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// The command asm writes the assembly of the packages named on its command
// line, or of all of them. It is what "go generate ./..." at the module's root
// calls. The generators are the packages beside it, one for each kernel; its
// test runs them and compares with the files that are there.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A file is generated: its path below the module's root and its content.
type file struct {
	path     string
	generate func() []byte
}

// root is the module's root, seen from this folder.
const root = "../.."

func main() {
	packages := os.Args[1:]
	for _, name := range packages {
		if !slices.ContainsFunc(files, func(f file) bool { return f.of(name) }) {
			fail(fmt.Errorf("no file is generated for package %q", name))
		}
	}
	for _, f := range files {
		if len(packages) > 0 && !slices.ContainsFunc(packages, f.of) {
			continue
		}
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(f.path)), f.generate(), 0o666); err != nil {
			fail(err)
		}
	}
}

// of reports whether the file belongs to a package, named by its folder.
func (f file) of(pkg string) bool { return strings.HasPrefix(f.path, pkg+"/") }

func fail(err error) {
	fmt.Fprintln(os.Stderr, "asm:", err)
	os.Exit(1)
}
