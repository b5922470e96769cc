// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Overlay runs go test with a check before every call to an assembly function (see
// package contracts). It uses the -overlay flag of go test, so no source file is
// modified.
//
//	go run ./internal/proof/contracts/overlay [-arch GOARCH] [go test flags] PACKAGE...
//
// For another processor, an emulator runs the tests:
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
	"slices"
	"strings"
)

const (
	module    = "github.com/unimac/unimac"
	contracts = module + "/internal/proof/contracts"
)

// skipped matches tests that fail or take too long if calls are checked.
const skipped = "^(TestVectorBounds|Test.*Wiped)$|^TestRFC$/33554432"

func main() {
	args := os.Args[1:]
	if len(args) > 1 && args[0] == "-arch" {
		os.Setenv("GOARCH", args[1])
		args = args[2:]
	}
	if err := run(args); err != nil {
		fmt.Fprintln(os.Stderr, "overlay:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	dir, err := os.MkdirTemp("", "unimac-contracts-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	o := overlay{dir: dir, Replace: map[string]string{}}
	if err := o.make(); err != nil {
		return err
	}
	list, _ := json.Marshal(o) // strings can always be encoded
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, list, 0o600); err != nil {
		return err
	}
	test := exec.Command("go", append([]string{"test", "-vet=off", "-skip", skipped, "-overlay", file}, args...)...)
	test.Stdout, test.Stderr = os.Stdout, os.Stderr
	return test.Run()
}

// An overlay is the JSON file for the go command's -overlay flag.
type overlay struct {
	Replace map[string]string // by source file
	dir     string
}

// A folder is a package in the output of go list.
type folder struct {
	ImportPath, Dir string
	GoFiles, SFiles []string
}

func (o *overlay) make() error {
	list := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,SFiles", "testing", module+"/...")
	list.Stderr = os.Stderr
	out, err := list.Output()
	for packages := json.NewDecoder(bytes.NewReader(out)); packages.More() && err == nil; {
		var p folder
		switch err = packages.Decode(&p); {
		case err != nil:
		case p.ImportPath == "testing":
			// Report no allocations, because a check allocates.
			err = o.edit(&p, "allocs.go", func(string) string {
				return "package testing\n\nfunc AllocsPerRun(runs int, f func()) float64 { f(); return 0 }\n"
			})
		case len(p.SFiles) > 0 && p.ImportPath != module+"/internal/cpu": // which package contracts imports
			err = o.wrap(&p)
		}
	}
	return err
}

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
	// declaration matches a function without a body.
	declaration = regexp.MustCompile(`(?m)^func (\w+)\((.*)\)([^{}\n]*)$`)
	parameter   = regexp.MustCompile(`(\w+)[^,]*`)
	clause      = regexp.MustCompile(`(?m)^package \w+$`)
)

// assembly is a suffix for the assembly functions, whose names the wrappers take.
const assembly = "Assembly"

func (o *overlay) wrap(p *folder) error {
	files := map[string]string{} // by function
	for _, name := range slices.Concat(p.SFiles, p.GoFiles) {
		err := o.edit(p, name, func(source string) string {
			if filepath.Ext(name) == ".s" {
				for _, m := range text.FindAllStringSubmatch(source, -1) {
					files[m[1]] = strings.TrimPrefix(p.ImportPath, module+"/") + "/" + name
				}
				return text.ReplaceAllString(source, "TEXT ·${1}"+assembly+"(SB)")
			}
			wrappers := ""
			for _, d := range declaration.FindAllStringSubmatch(source, -1) {
				function, arguments, result := d[1], parameter.ReplaceAllString(d[2], "$1"), ""
				if files[function] == "" {
					continue
				}
				if d[3] != "" {
					result = "return "
				}
				wrappers += fmt.Sprintf("\n%s {\n\tcontracts.Check(%q, %q, %s)\n\t%s%s(%s)\n}\n",
					d[0], files[function], function, arguments, result, function+assembly, arguments)
				source = strings.Replace(source, "\nfunc "+function+"(", "\nfunc "+function+assembly+"(", 1)
				delete(files, function)
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
