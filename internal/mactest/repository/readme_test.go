// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package repository contains the tests of the repository itself. They check what the
// packages export and document, and compile and run the code in README.md and the other
// pages of the manual.
package repository

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// manual lists the pages that the tests read.
var manual = []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md",
	"doc/choosing.md", "doc/packages.md", "doc/coming-from.md", "doc/command.md", "doc/ssh.md", "doc/xcrypto.md", "doc/speed.md", "doc/interoperability.md", "internal/asm/README.md", "internal/bench/programs/README.md"}

// publicPackages lists the folders of the packages that other modules may import.
var publicPackages = []string{"umac", "poly1305", "multimixer", "multimac", "aead", "aead/stream", "chacha20poly1305", "chacha20", "blake2b", "aegis", "sshpatch", "sshpatch/sshmac", "xcrypto"}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n")
}

// TestCode checks that every block of Go code in the manual is part of a runnable
// example, and that the manual has a block for every package except sshmac, which only
// forks of x/crypto/ssh need.
func TestCode(t *testing.T) {
	block := regexp.MustCompile("(?ms)^```go\n(.*?)^```$")
	shown := map[string]bool{"sshpatch/sshmac": true}
	bodies := examples(t)
	for _, page := range manual {
		for _, m := range block.FindAllStringSubmatch(read(t, page), -1) {
			found := false
			for dir, list := range bodies {
				if slices.ContainsFunc(list, func(body string) bool { return strings.Contains(body, "\n"+m[1]) }) {
					found, shown[dir] = true, true
				}
			}
			if !found {
				t.Errorf("%s: no runnable example contains this code:\n%s", page, m[1])
			}
		}
	}
	for _, dir := range publicPackages {
		if !shown[dir] {
			t.Errorf("the manual shows no example of package %s", dir)
		}
	}
}

// examples returns the bodies of the runnable examples of each public package, with one
// tab of indentation removed.
func examples(t *testing.T) map[string][]string {
	t.Helper()
	bodies := make(map[string][]string)
	for _, dir := range publicPackages {
		name := dir + "/example_test.go"
		source := read(t, name)
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, source, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(f.Name.Name, "Example") {
				continue
			}
			body := source[files.Position(f.Body.Lbrace).Offset+1 : files.Position(f.Body.Rbrace).Offset]
			if !strings.Contains(body, "\n\t// Output:") {
				continue // compiled but not run
			}
			bodies[dir] = append(bodies[dir], strings.ReplaceAll(body, "\n\t", "\n"))
		}
		if len(bodies[dir]) == 0 {
			t.Errorf("package %s has no runnable example", dir)
		}
	}
	return bodies
}

// TestShort limits the length of README.md, and checks that its first 45 lines, about a
// screen, contain what a reader needs to decide whether to use unimac: the status, an
// example of the command and of the library, and a table of packages.
func TestShort(t *testing.T) {
	text := read(t, "README.md")
	if lines := strings.Count(text, "\n"); lines > 130 {
		t.Errorf("README.md has %d lines, want at most 130", lines)
	}
	lines := strings.SplitAfterN(text, "\n", 46)
	screen := strings.Join(lines[:len(lines)-1], "")
	for _, pattern := range []string{
		`(?s)encryption.*\(MACs\)`, `no release`, `nobody outside the project has audited`, `not\s+FIPS 140-3 validated`,
		`(?s)prover.*\(internal/proof/README.md#what-is-trusted\)`, `AES-GCM suits\s+you`,
		`(?m)^\t\$ unimac seal `, `(?m)^\tsome text$`,
		"(?ms)^```go$.*\\.Seal\\(.*\\.Open\\(.*^```$",
	} {
		if !regexp.MustCompile(pattern).MatchString(screen) {
			t.Errorf("the first 45 lines of README.md do not contain %s", pattern)
		}
	}
	// The header, the line below it, and four rows.
	if rows := strings.Count(screen, "\n|"); rows != 6 {
		t.Errorf("the table in the first 45 lines of README.md has %d lines, want 6", rows)
	}
}

// TestLinks checks that every link in the manual leads to an existing file or heading.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`(?s)\]\(([^)\s]+)\)`)
	heading := regexp.MustCompile(`(?m)^#+ (.*)$`)
	for _, page := range manual {
		text := read(t, page)
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.HasPrefix(m[1], "https://") {
				continue
			}
			target, anchor, found := strings.Cut(m[1], "#")
			if target != "" {
				target = path.Join(path.Dir(page), target)
				checkPath(t, page, target)
			}
			if found && !slices.ContainsFunc(heading.FindAllStringSubmatch(read(t, cmp.Or(target, page)), -1), func(m []string) bool {
				return anchorOf(m[1]) == anchor
			}) {
				t.Errorf("%s: no heading matches the link %s", page, m[1])
			}
		}
	}
}

// anchorOf returns the fragment of a link to a heading.
func anchorOf(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return r
		}
		return -1
	}, strings.ToLower(heading))
}

// checkPath checks that a path in the manual exists. Paths in nested modules are not
// part of a download of this module.
func checkPath(t *testing.T, page, name string) {
	t.Helper()
	if module := nestedModule.FindString(name); module != "" && !exists(module) && !exists(".git") {
		return
	}
	if !exists(name) {
		t.Errorf("%s mentions %s, which does not exist", page, name)
	}
}

var nestedModule = regexp.MustCompile(`^internal/(asm|bench|tools)\b`)

func exists(name string) bool {
	_, err := os.Stat(filepath.FromSlash(name))
	return err == nil
}

var (
	codeLine = regexp.MustCompile(`(?m)^\t+(.*)$`)
	codeSpan = regexp.MustCompile("(?s)`([^`]+)`")
	fence    = regexp.MustCompile("(?ms)^```.*?^```$")
)

// commandLines returns the command lines on a page, as words.
func commandLines(text string) (lines [][]string) {
	text = fence.ReplaceAllString(text, "")
	for _, code := range []*regexp.Regexp{codeLine, codeSpan} {
		for _, m := range code.FindAllStringSubmatch(text, -1) {
			words := strings.Fields(strings.TrimPrefix(m[1], "$ "))
			for len(words) > 0 && strings.Contains(words[0], "=") {
				words = words[1:] // skip environment variables
			}
			if len(words) > 0 {
				lines = append(lines, words)
			}
		}
		text = codeLine.ReplaceAllString(text, "")
	}
	return lines
}

// TestDependencies checks that CONTRIBUTING.md names every module required by this
// module and the nested ones.
func TestDependencies(t *testing.T) {
	required := regexp.MustCompile(`(?m)^(?:require )?\s*(\S+\.\S+/\S+) v\S+`)
	contributing := read(t, "CONTRIBUTING.md")
	for _, dir := range []string{".", "internal/asm", "internal/bench", "internal/tools"} {
		checkPath(t, "CONTRIBUTING.md", dir)
		if !exists(dir) {
			continue
		}
		for _, m := range required.FindAllStringSubmatch(read(t, dir+"/go.mod"), -1) {
			if m[1] != "github.com/unimac/unimac" && !strings.Contains(contributing, m[1]) {
				t.Errorf("CONTRIBUTING.md does not name %s, which %s/go.mod requires", m[1], dir)
			}
		}
	}
}

// TestCommands checks that the folders and files named by commands in the manual exist.
// The tests of cmd/unimac check the command's own options.
func TestCommands(t *testing.T) {
	seen := 0
	for _, page := range manual {
		for _, words := range commandLines(read(t, page)) {
			switch words[0] {
			case "go":
				checkGo(t, page, words[1:])
			case ".ci/run":
				checkPath(t, page, words[0])
			default:
				continue
			}
			seen++
		}
	}
	if seen < 15 {
		t.Errorf("found %d commands, want at least 15", seen)
	}
}

// checkGo checks the folders and files in the arguments of the go command.
func checkGo(t *testing.T, page string, args []string) {
	t.Helper()
	dir := "."
	for i, arg := range args {
		switch {
		case i > 0 && args[i-1] == "-C":
			dir = arg
			checkPath(t, page, dir)
		case i > 0 && args[i-1] == "-fuzz":
			checkFuzzTarget(t, page, arg, args[len(args)-1])
		case strings.HasPrefix(arg, "-modfile="):
			checkPath(t, page, path.Join(dir, strings.TrimPrefix(arg, "-modfile=")))
		case strings.HasPrefix(arg, "./"):
			checkPath(t, page, path.Join(dir, strings.TrimSuffix(arg, "...")))
		case strings.HasPrefix(arg, "github.com/unimac/unimac/"):
			arg, _, _ = strings.Cut(strings.TrimPrefix(arg, "github.com/unimac/unimac/"), "@")
			arg, _, _ = strings.Cut(arg, ".") // the name of a function may follow
			checkPath(t, page, arg)
		}
	}
}

// checkFuzzTarget checks that the tests in dir contain a fuzz target.
func checkFuzzTarget(t *testing.T, page, name, dir string) {
	t.Helper()
	tests, err := filepath.Glob(filepath.FromSlash(dir + "/*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		if strings.Contains(read(t, filepath.ToSlash(test)), "\nfunc "+name+"(") {
			return
		}
	}
	t.Errorf("%s: no fuzz target %s in %s", page, name, dir)
}
