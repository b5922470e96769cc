// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Command asm generates the assembly for the named packages, or for all packages if
// none are named. To generate everything, run "go generate ./..." in the module root.
package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// A generator writes a package's assembly and, for amd64, Go declarations.
type generator struct {
	name  string // path of the files below the module's root, without the architecture suffix
	amd64 func() (assembly, stubs []byte)
	arm64 func() []byte
}

func (g generator) files() map[string][]byte {
	files := map[string][]byte{}
	if g.amd64 != nil {
		files[g.name+"_amd64.s"], files[g.name+"_amd64_stubs.go"] = g.amd64()
	}
	if g.arm64 != nil {
		files[g.name+"_arm64.s"] = g.arm64()
	}
	return files
}

const root = "../.."

func main() {
	packages := os.Args[1:]
	for _, name := range packages {
		if !slices.ContainsFunc(generators, func(g generator) bool { return g.of(name) }) {
			fail(fmt.Errorf("no file is generated for package %q", name))
		}
	}
	for _, g := range generators {
		if len(packages) > 0 && !slices.ContainsFunc(packages, g.of) {
			continue
		}
		for path, content := range g.files() {
			if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(path)), content, 0o666); err != nil {
				fail(err)
			}
		}
	}
}

func (g generator) of(pkg string) bool { return path.Dir(g.name) == pkg }

func fail(err error) {
	fmt.Fprintln(os.Stderr, "asm:", err)
	os.Exit(1)
}
