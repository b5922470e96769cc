// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Kernels checks that the tests execute every call to an assembly function that this
// machine can run. All arguments except -arch are passed to go test.
//
//	go run ./internal/mactest/kernels -short
//	go run ./internal/mactest/kernels -arch arm64 -exec qemu-aarch64 -short
//	go run ./internal/mactest/kernels -exec 'env GODEBUG=cpu.avx2=off' -short
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/proof/asm"
)

func main() {
	arch, args := runtime.GOARCH, os.Args[1:]
	if len(args) > 1 && args[0] == "-arch" {
		arch, args = args[1], args[2:]
	}
	if err := run(arch, args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run checks all packages with assembly functions.
func run(arch string, args []string) error {
	available, err := availableLevels(arch, args)
	if err != nil {
		return err
	}
	fmt.Println("this machine has", strings.Join(available, " "))
	out, err := goCommand(arch, "list", "-json=ImportPath,Dir,GoFiles,SFiles", "./...").Output()
	if err != nil {
		return err
	}
	var list []*goPackage
	for packages := json.NewDecoder(bytes.NewReader(out)); packages.More(); {
		p := &goPackage{}
		if err := packages.Decode(p); err != nil {
			return err
		}
		if p.functions, err = p.assembly(); err != nil {
			return err
		}
		if len(p.functions) > 0 {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return errors.New("no assembly found")
	}
	all, err := profile(arch, args, list)
	if err != nil {
		return err
	}
	for _, p := range list {
		if e := p.checkCalls(all, available); e != nil {
			err = errors.Join(err, fmt.Errorf("%s:\n%w", p.ImportPath, e))
		}
	}
	return err
}

func goCommand(arch string, args ...string) *exec.Cmd {
	c := exec.Command("go", args...)
	c.Env = append(os.Environ(), "GOARCH="+arch)
	c.Stderr = os.Stderr
	return c
}

// availableLevels returns the names of the [cpu.Level] values that the tests can use.
func availableLevels(arch string, args []string) ([]string, error) {
	test := append([]string{"test", "-count=1", "-v", "-run=^TestFeatures$"}, args...)
	out, err := goCommand(arch, append(test, "./internal/cpu")...).Output()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	available := []string{cpu.AMD64.String()}
	for _, m := range regexp.MustCompile(`this machine has ([A-Z0-9]+)`).FindAllStringSubmatch(string(out), -1) {
		available = append(available, m[1])
	}
	return available, nil
}

// A goPackage is a package in the output of go list.
type goPackage struct {
	ImportPath, Dir string
	GoFiles, SFiles []string

	functions []string // names of the assembly functions
}

// assembly returns the names of the functions in a package's assembly.
func (p *goPackage) assembly() (names []string, err error) {
	for _, name := range p.SFiles {
		f, err := asm.Read(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, err
		}
		for _, fn := range f.Funcs {
			names = append(names, fn.Name)
		}
	}
	return names, nil
}

// profile runs the tests and returns the combined coverage of all packages.
func profile(arch string, args []string, list []*goPackage) (blocks, error) {
	dir, err := os.MkdirTemp("", "unimac-kernels-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "profile")
	var paths []string
	for _, p := range list {
		paths = append(paths, p.ImportPath)
	}
	// Combine the coverage, because tests of one package may call kernels of another.
	flags := append([]string{"test", "-count=1", "-covermode=count", "-coverpkg", strings.Join(paths, ","), "-coverprofile", name}, args...)
	test := goCommand(arch, append(flags, paths...)...)
	test.Stdout = os.Stdout
	if err := test.Run(); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return readProfile(string(text))
}

// checkCalls reports calls to supported assembly functions that the tests did not
// execute.
func (p *goPackage) checkCalls(all blocks, available []string) (problems error) {
	calls := map[string]int{}
	for _, name := range p.GoFiles {
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			function, ok := call.Fun.(*ast.Ident)
			if !ok || !slices.Contains(p.functions, function.Name) {
				return true
			}
			calls[function.Name]++
			at := fset.Position(function.Pos())
			if slices.Contains(available, requiredLevel(function.Name, name).String()) && !all.executed(p.ImportPath+"/"+name, at.Line, at.Column) {
				problems = errors.Join(problems, fmt.Errorf("%s:%d: %s never ran", name, at.Line, function.Name))
			}
			return true
		})
	}
	for _, name := range p.functions {
		// The name of each assembly function must end with a CPU level.
		if requiredLevel(name, "") == cpu.Generic {
			problems = errors.Join(problems, fmt.Errorf("%s does not end with the name of a level", name))
		}
		if calls[name] == 0 {
			problems = errors.Join(problems, fmt.Errorf("nothing calls %s", name))
		}
	}
	return problems
}

// callLevels lists functions whose callers require a higher CPU level than their names.
var callLevels = map[string]cpu.Level{
	"nhAVX2": cpu.AVX2AES, "nhPolyAVX2": cpu.AVX2AES,
	"nhAVX512": cpu.AVX512AES, "nhPolyAVX512": cpu.AVX512AES,
	"powersAMD64": cpu.AVX512IFMA, "blockAMD64": cpu.AVX2,
}

// requiredLevel returns the CPU level at which a file calls a function.
func requiredLevel(function, file string) cpu.Level {
	level := cpu.LevelOf(function)
	// Files named ifma_* run only on processors with IFMA.
	if level == cpu.AMD64 && strings.HasPrefix(file, "ifma_") {
		return cpu.AVX512IFMA
	}
	if level, ok := callLevels[function]; ok {
		return level
	}
	return level
}

// A block is an entry of a coverage profile.
type block struct {
	file                             string // includes the package path
	line, column, endLine, endColumn int
	count                            int
}

type blocks []block

// readProfile parses lines of the form "file:line.column,line.column statements count".
func readProfile(text string) (list blocks, err error) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "mode:") {
			continue
		}
		path, rest, ok := strings.Cut(line, ":")
		var b block
		var statements int
		_, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &b.line, &b.column, &b.endLine, &b.endColumn, &statements, &b.count)
		if !ok || err != nil {
			return nil, fmt.Errorf("coverage profile: invalid line %q: %w", line, err)
		}
		b.file = path
		list = append(list, b)
	}
	if len(list) == 0 {
		return nil, errors.New("the coverage profile is empty")
	}
	return list, nil
}

func (list blocks) executed(file string, line, column int) bool {
	return slices.ContainsFunc(list, func(b block) bool {
		begun := b.line < line || b.line == line && b.column <= column
		ended := b.endLine < line || b.endLine == line && b.endColumn <= column
		return b.file == file && begun && !ended && b.count > 0
	})
}
