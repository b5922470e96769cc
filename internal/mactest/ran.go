// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build implcount

package mactest

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/impl"
)

// Ran is the TestMain of a package with kernels, in builds with the tag implcount:
// it runs the tests and fails if assembly that this machine can run did not run in
// them. What must run it finds by itself, in the package's .s files; the end of a
// function's name is the implementation that it belongs to. A function that only
// serves another implementation is named with that in serves.
//
// A count is worth something only if it stands for a call. So each call of
// assembly must have impl.Count(pkg, "its name") in the line before it, and there
// must be no such line elsewhere.
func Ran(m *testing.M, pkg string, serves map[string]string) {
	status := m.Run()
	problems := uncounted(pkg)
	if len(problems) == 0 && status == 0 {
		problems = neverRan(pkg, serves)
	}
	for _, p := range problems {
		fmt.Fprintln(os.Stderr, p)
		status = 1
	}
	os.Exit(status)
}

// neverRan names the assembly that this machine can run and that was not called,
// and the implementations none of whose functions were called while it was the
// one in use.
func neverRan(pkg string, serves map[string]string) (problems []string) {
	names := impl.List(pkg)
	ranAlone := make(map[string]bool)
	for _, function := range assembly() {
		name := implementationOf(function, names)
		if name == "" {
			problems = append(problems, fmt.Sprintf("%s: %s belongs to no registered implementation", pkg, function))
			continue
		}
		if served, ok := serves[function]; ok {
			name = served
		}
		if !impl.Available(pkg, name) {
			fmt.Printf("%s: %s cannot run on this machine\n", pkg, function)
			continue
		}
		total := 0
		for _, inUse := range names {
			total += impl.Calls(pkg, function, inUse)
		}
		fmt.Printf("%s: %s ran %d times\n", pkg, function, total)
		if total == 0 {
			problems = append(problems, fmt.Sprintf("%s: %s never ran", pkg, function))
		}
		ranAlone[name] = ranAlone[name] || impl.Calls(pkg, function, name) > 0
	}
	for _, name := range names {
		if name != impl.Generic && impl.Available(pkg, name) && !ranAlone[name] {
			problems = append(problems, fmt.Sprintf("%s: with %s in use, none of its functions ran", pkg, name))
		}
	}
	return problems
}

// implementationOf returns the longest of the names that a function's name ends
// with.
func implementationOf(function string, names []string) (longest string) {
	for _, name := range names {
		if len(name) > len(longest) && strings.HasSuffix(strings.ToLower(function), name) {
			longest = name
		}
	}
	return longest
}

var text = regexp.MustCompile(`(?m)^TEXT ·(\w+)\(SB\)`)

// assembly names the functions in the .s files in the current folder that are for
// this machine.
func assembly() (functions []string) {
	for _, file := range sources(".s") {
		for _, match := range text.FindAllStringSubmatch(read(file), -1) {
			functions = append(functions, match[1])
		}
	}
	return functions
}

// uncounted lists the calls of assembly without a count in the line before, and
// the counts without a call in the line behind.
func uncounted(pkg string) (problems []string) {
	functions := assembly()
	files := token.NewFileSet()
	for _, name := range sources(".go") {
		file, err := parser.ParseFile(files, name, read(name), 0)
		if err != nil {
			panic(err)
		}
		called, counted := make(map[int]string), make(map[int]string) // by line
		ast.Inspect(file, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			line := files.Position(c.Pos()).Line
			switch f := c.Fun.(type) {
			case *ast.Ident:
				if slices.Contains(functions, f.Name) {
					called[line] = f.Name
				}
			case *ast.SelectorExpr:
				if x, ok := f.X.(*ast.Ident); ok && x.Name == "impl" && f.Sel.Name == "Count" {
					counted[line+1] = countedFunction(pkg, c)
				}
			}
			return true
		})
		for line := 1; line <= files.File(file.Pos()).LineCount(); line++ {
			if called[line] != counted[line] {
				problems = append(problems, fmt.Sprintf("%s:%d: calls %q, and counts %q", name, line, called[line], counted[line]))
			}
		}
	}
	return problems
}

// countedFunction returns what a call of impl.Count names.
func countedFunction(pkg string, c *ast.CallExpr) string {
	var arguments []string
	for _, a := range c.Args {
		if literal, ok := a.(*ast.BasicLit); ok {
			s, _ := strconv.Unquote(literal.Value)
			arguments = append(arguments, s)
		}
	}
	if len(arguments) != 2 || arguments[0] != pkg {
		return "another package's function"
	}
	return arguments[1]
}

// sources lists the files in the current folder, but tests, that have a name with
// this end and are built for this machine.
func sources(suffix string) (names []string) {
	context := build.Default
	context.BuildTags = append(context.BuildTags, "implcount")
	entries, err := os.ReadDir(".")
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), suffix) || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		if match, err := context.MatchFile(".", e.Name()); err != nil {
			panic(err)
		} else if match {
			names = append(names, e.Name())
		}
	}
	return names
}

func read(name string) string {
	b, err := os.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(b)
}
