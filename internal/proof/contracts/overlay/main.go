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
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
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

// add has a file be another.
func (o *overlay) add(path string, content []byte) error {
	name := filepath.Join(o.dir, fmt.Sprintf("%d%s", len(o.Replace), filepath.Ext(path)))
	o.Replace[path] = name
	return os.WriteFile(name, content, 0o600)
}

// A folder is a package, as go list prints it.
type folder struct {
	ImportPath, Dir string
	GoFiles, SFiles []string
	Module          *struct{ Dir string }
}

func (o *overlay) make() error {
	out, err := goCommand(o.arch, "list", "-json=ImportPath,Dir,GoFiles,SFiles,Module", module+"/...", "testing").Output()
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
			err = o.uncounted(filepath.Join(p.Dir, "allocs.go"))
		} else if len(p.SFiles) > 0 && !slices.Contains(checks, p.ImportPath) {
			err = o.wrap(&p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// uncounted has testing.AllocsPerRun count nothing, because a check allocates. One call is enough.
func (o *overlay) uncounted(file string) error {
	return o.add(file, []byte(`package testing

func AllocsPerRun(runs int, f func()) float64 {
	f()
	return 0
}
`))
}

var (
	text = regexp.MustCompile(`(?m)^TEXT ·(\w+)\(SB\)`)
	use  = regexp.MustCompile(`·(\w+)\(SB\)`)
)

// wrap gives each function in a package's assembly a wrapper.
func (o *overlay) wrap(p *folder) error {
	files := map[string]string{} // by functions
	for _, name := range p.SFiles {
		source, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return err
		}
		for _, m := range text.FindAllSubmatch(source, -1) {
			path, err := filepath.Rel(p.Module.Dir, filepath.Join(p.Dir, name))
			if err != nil {
				return err
			}
			files[string(m[1])] = filepath.ToSlash(path)
		}
	}
	for _, name := range p.SFiles {
		path := filepath.Join(p.Dir, name)
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		renamed := use.ReplaceAllFunc(source, func(s []byte) []byte {
			function := string(use.FindSubmatch(s)[1])
			if files[function] == "" {
				return s
			}
			return []byte("·" + function + assembly + "(SB)")
		})
		if err := o.add(path, renamed); err != nil {
			return err
		}
	}
	for _, name := range p.GoFiles {
		if err := o.declarations(filepath.Join(p.Dir, name), files); err != nil {
			return err
		}
	}
	if len(files) > 0 {
		return fmt.Errorf("%s: no declaration of %v", p.ImportPath, files)
	}
	return nil
}

// assembly is what the names of the functions in assembly end with, next to their wrappers.
const assembly = "Assembly"

// declarations adds wrappers to a file in which functions of the assembly are declared, and
// takes those from the list.
func (o *overlay) declarations(path string, files map[string]string) error {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
	if err != nil {
		return err
	}
	var wrappers strings.Builder
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body != nil || files[f.Name.Name] == "" {
			continue
		}
		wrappers.WriteString(wrapper(f, files[f.Name.Name]))
		delete(files, f.Name.Name)
		f.Name.Name += assembly
		o.wrapped++
	}
	if wrappers.Len() == 0 {
		return nil
	}
	// The package clause is followed by the import, which must come before other declarations.
	var source bytes.Buffer
	if err := format.Node(&source, fset, parsed); err != nil {
		return err
	}
	clause := []byte("\npackage " + parsed.Name.Name + "\n")
	before, after, ok := bytes.Cut(source.Bytes(), clause)
	if !ok {
		return fmt.Errorf("%s: no package clause", path)
	}
	all := fmt.Appendf(nil, "%s%s\nimport contracts %q\n%s\n%s", before, clause, contracts, after, wrappers.String())
	return o.add(path, all)
}

// wrapper is a function of the same name that checks the arguments and calls it.
func wrapper(f *ast.FuncDecl, file string) string {
	signature := *f
	signature.Doc, signature.Body = nil, nil
	var head bytes.Buffer
	// An empty file set keeps the printer from seeing where lines were broken.
	if err := format.Node(&head, token.NewFileSet(), &signature); err != nil {
		panic(err)
	}
	var names []string
	for _, field := range f.Type.Params.List {
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
	}
	arguments := strings.Join(names, ", ")
	call := f.Name.Name + assembly + "(" + arguments + ")"
	if f.Type.Results != nil {
		call = "return " + call
	}
	return fmt.Sprintf("\n%s {\n\tcontracts.Check(%q, %q, %s)\n\t%s\n}\n", head.String(), file, f.Name.Name, arguments, call)
}
