// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Overlay runs tests in a build in which each function of the assembly has a wrapper that
// checks the call against what the function's proof takes for granted: see package
// contracts. No file of the repository changes: it is go test's flag -overlay.
//
//	go run ./internal/proof/contracts/overlay [-arch GOARCH] [flag of go test...] PACKAGE...
//
// Under other processors' emulation it is run as
//
//	go run ./internal/proof/contracts/overlay -arch arm64 -exec qemu-aarch64 -short ./umac
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

const (
	module    = "github.com/unimac/unimac"
	contracts = module + "/internal/proof/contracts"
)

// skipped are tests that cannot pass: one gives kernels powers of no r, to reach the bounds of
// their limbs; the other finds what a check leaves on the stack.
const skipped = "^(TestVectorBounds|TestStackWiped)$"

func main() {
	arch, args := runtime.GOARCH, os.Args[1:]
	if len(args) > 1 && args[0] == "-arch" {
		arch, args = args[1], args[2:]
	}
	if err := run(arch, args); err != nil {
		fmt.Fprintln(os.Stderr, "overlay:", err)
		os.Exit(1)
	}
}

// run makes the overlay in a folder of its own and runs the tests.
func run(arch string, args []string) error {
	dir, err := os.MkdirTemp("", "unimac-contracts-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	o := overlay{dir: dir, arch: arch, Replace: map[string]string{}}
	if err := o.make(); err != nil {
		return err
	}
	list, err := json.Marshal(o)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, list, 0o600); err != nil {
		return err
	}
	fmt.Printf("%d functions have a wrapper\n", o.wrapped)
	test := goCommand(arch, append([]string{"test", "-vet=off", "-skip", skipped, "-overlay", file}, args...)...)
	test.Stdout = os.Stdout
	return test.Run()
}

func goCommand(arch string, args ...string) *exec.Cmd {
	c := exec.Command("go", args...)
	c.Env = append(os.Environ(), "GOARCH="+arch)
	c.Stderr = os.Stderr
	return c
}

// An overlay is what stands for files.
type overlay struct {
	Replace map[string]string

	dir, arch string
	wrapped   int
}

// A folder is a package, as go list prints it.
type folder struct {
	ImportPath, Dir string
	GoFiles, SFiles []string
}

func (o *overlay) make() error {
	out, err := goCommand(o.arch, "list", "-json=ImportPath,Dir,GoFiles,SFiles", module+"/...", "testing").Output()
	if err != nil {
		return err
	}
	// What checks the calls cannot be checked by it.
	below, err := goCommand(o.arch, "list", "-deps", contracts).Output()
	if err != nil {
		return err
	}
	checks := strings.Fields(string(below))
	packages := json.NewDecoder(bytes.NewReader(out))
	for packages.More() {
		var p folder
		if err := packages.Decode(&p); err != nil {
			return err
		}
		if p.ImportPath == "testing" {
			// A check allocates. One call is enough.
			err = o.edit(&p, "allocs.go", func(string) string {
				return "package testing\n\nfunc AllocsPerRun(runs int, f func()) float64 { f(); return 0 }\n"
			})
		} else if len(p.SFiles) > 0 && !slices.Contains(checks, p.ImportPath) {
			err = o.wrap(&p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// edit has a file of a package be another.
func (o *overlay) edit(p *folder, file string, change func(source string) string) error {
	name := filepath.Join(p.Dir, file)
	source, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	o.Replace[name] = filepath.Join(o.dir, fmt.Sprintf("%d%s", len(o.Replace), filepath.Ext(file)))
	return os.WriteFile(o.Replace[name], []byte(change(string(source))), 0o600)
}

var (
	text = regexp.MustCompile(`(?m)^TEXT ·(\w+)\(SB\)`)
	// A function without a body: its name, its parameters and its result.
	declaration = regexp.MustCompile(`(?m)^func (\w+)\((.*)\)([^{}\n]*)$`)
	parameter   = regexp.MustCompile(`(\w+)[^,]*`)
	clause      = regexp.MustCompile(`(?m)^package \w+$`)
)

// assembly is what the names of the functions in assembly end with, next to their wrappers.
const assembly = "Assembly"

// wrap gives each function in a package's assembly a wrapper of the same name, which checks the arguments.
func (o *overlay) wrap(p *folder) error {
	files := map[string]string{} // by functions
	for _, name := range p.SFiles {
		err := o.edit(p, name, func(source string) string {
			for _, m := range text.FindAllStringSubmatch(source, -1) {
				files[m[1]] = strings.TrimPrefix(p.ImportPath, module+"/") + "/" + name
			}
			return text.ReplaceAllString(source, "TEXT ·${1}"+assembly+"(SB)")
		})
		if err != nil {
			return err
		}
	}
	for _, name := range p.GoFiles {
		err := o.edit(p, name, func(source string) string {
			wrappers := ""
			for _, d := range declaration.FindAllStringSubmatch(source, -1) {
				if function := d[1]; files[function] != "" {
					source = strings.Replace(source, "\nfunc "+function+"(", "\nfunc "+function+assembly+"(", 1)
					wrappers += wrapper(d, files[function])
					delete(files, function)
					o.wrapped++
				}
			}
			if wrappers == "" {
				return source
			}
			return clause.ReplaceAllString(source, fmt.Sprintf("$0\n\nimport contracts %q", contracts)) + wrappers
		})
		if err != nil {
			return err
		}
	}
	if len(files) > 0 {
		return fmt.Errorf("%s: no declaration of %v", p.ImportPath, files)
	}
	return nil
}

func wrapper(declaration []string, file string) string {
	function, result := declaration[1], ""
	if declaration[3] != "" {
		result = "return "
	}
	arguments := parameter.ReplaceAllString(declaration[2], "$1")
	return fmt.Sprintf("\n%s {\n\tcontracts.Check(%q, %q, %s)\n\t%s%s(%s)\n}\n",
		declaration[0], file, function, arguments, result, function+assembly, arguments)
}
