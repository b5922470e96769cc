// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package timing

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var architectures = flag.String("arch", runtime.GOARCH, "comma-separated GOARCH values whose code is searched for branches")

const module = "github.com/unimac/unimac/"

// An instruction is an entry of the compiler's listing.
type instruction struct {
	at             int
	line           string // line of the source file
	name, operands string
}

var (
	listedFunction    = regexp.MustCompile(`^(\S+) STEXT`)
	listedInstruction = regexp.MustCompile(`^\t0x[0-9a-f]+ (\d+) \((.*?)\)\t(\S+)\t?(.*)`)
	target            = regexp.MustCompile(`(?:^|[ ,])(\$-?)?(\d+)$`) // riscv64 writes targets with $, relative to the branch
	relative          = regexp.MustCompile(`^(B(EQ|NE|LT|GE|GT|LE)[UZ]?|JAL)$`)
)

// A compilation is the go command's output for the module's packages on one
// architecture, in plain Go: the listing of the functions that compute with secrets,
// and the analysis of the source of all packages.
type compilation struct {
	functions map[string][]instruction
	*reading
}

// compile compiles and analyses the packages. A unique directory in the flags forces a
// new compilation, because the build cache may contain a package without the compiler's
// output.
func compile(t *testing.T, arch string) compilation {
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,Export", "-tags", "purego", "-gcflags=-S -I " + t.TempDir()}
	for _, pkg := range complete {
		args = append(args, module+pkg)
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOARCH="+arch, "CGO_ENABLED=0", "GOFLAGS=")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%.2000s", cmd, err, stderr.Bytes())
	}
	c := compilation{map[string][]instruction{}, newReading()}
	name := ""
	for line := range strings.Lines(stderr.String()) {
		line = strings.TrimRight(line, "\n")
		if m := listedFunction.FindStringSubmatch(line); m != nil {
			name = strings.TrimPrefix(m[1], module)
		} else if m := listedInstruction.FindStringSubmatch(line); m != nil {
			at, _ := strconv.Atoi(m[1])
			c.functions[name] = append(c.functions[name], instruction{at, m[2], m[3], strings.TrimSpace(m[4])})
		}
	}
	c.readPackages(t, &stdout)
	return c
}

// unconditional lists the names of unconditional branches.
var unconditional = []string{"JMP", "B", "BR", "JAL"}

// find returns the index of a branch's target.
func find(function []instruction, branch instruction) (int, bool) {
	m := target.FindStringSubmatch(branch.operands)
	if m == nil || m[1] != "" && !relative.MatchString(branch.name) {
		return 0, false
	}
	at, _ := strconv.Atoi(m[2])
	switch m[1] {
	case "$":
		at += branch.at
	case "$-":
		at = branch.at - at
	}
	i := slices.IndexFunc(function, func(in instruction) bool { return in.at == at })
	return i, i >= 0
}

// fails reports whether the function unconditionally panics or grows the stack from
// instruction i on.
func fails(function []instruction, i int) bool {
	for range function {
		in := function[i]
		if strings.Contains(in.operands, "runtime.panic") || strings.Contains(in.operands, "runtime.morestack") {
			return true
		}
		if to, ok := find(function, in); !ok {
			i++
		} else if i = to; !slices.Contains(unconditional, in.name) {
			return false
		}
		if in.name == "RET" || i == len(function) {
			return false
		}
	}
	return false
}

// packageOf returns the package in a function's name, relative to the module.
func packageOf(name string) string {
	slash := strings.LastIndexByte(name, '/') + 1
	dot := strings.IndexByte(name[slash:], '.')
	if dot < 0 {
		return name
	}
	return name[:slash+dot]
}

// fileOf returns the file in "file:line".
func fileOf(line string) string { return line[:max(0, strings.LastIndexByte(line, ':'))] }

// branches returns the conditional branches of a function, except those that lead to a
// failure on one side, such as bounds checks.
func branches(function []instruction) (found []instruction) {
	for i, in := range function {
		to, ok := find(function, in)
		if !ok || slices.Contains(unconditional, in.name) || fails(function, to) || i+1 < len(function) && fails(function, i+1) {
			continue
		}
		found = append(found, in)
	}
	return found
}

// source returns the condition or statement in a source line, file:line, without
// comments: the condition of an if, for or case, or else the whole statement.
func source(line string) string {
	file, number, _ := strings.Cut(line, ".go:")
	text, err := os.ReadFile(file + ".go")
	n, _ := strconv.Atoi(number)
	lines := strings.Split(string(text), "\n")
	if err != nil || n < 1 || n > len(lines) {
		return "?"
	}
	statement, _, _ := strings.Cut(lines[n-1], "//")
	statement = strings.TrimPrefix(strings.TrimSpace(statement), "} else ")
	if condition, ok := strings.CutPrefix(statement, "if "); ok {
		_, after, both := strings.Cut(condition, "; ")
		if both {
			condition = after
		}
		return strings.TrimSuffix(condition, " {")
	}
	for _, keyword := range []string{"for ", "case "} {
		statement = strings.TrimPrefix(statement, keyword)
	}
	return strings.TrimRight(statement, " {:")
}

// complete lists the packages whose functions compute with secrets.
var complete = []string{"aegis", "umac", "poly1305", "multimixer", "multimac", "chacha20", "blake2b",
	"internal/aegis", "internal/umac", "internal/poly1305", "internal/multimixer", "internal/chacha20", "internal/blake2b"}

// TestBranches searches the compiler's output for packages that compute with secrets
// for conditional branches. Every condition on a possible secret must be listed, and no
// line that computes with possible secrets may contain a branch other than a bounds
// check: the compiler must not have turned a carry, a mask or a comparison into a
// branch.
func TestBranches(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command")
	}
	if testing.Short() {
		t.Skip("builds packages")
	}
	for arch := range strings.SplitSeq(*architectures, ",") {
		t.Run(arch, func(t *testing.T) {
			if arch == "wasm" {
				t.Skip("the listing for wasm has no branches to recognize")
			}
			c := compile(t, arch)
			asked, found := map[string]bool{}, map[string]bool{}
			excused := func(line string) bool {
				name, text := c.within[line], source(line)
				asked[name+text] = true
				return listed[name][text] != "" || !slices.Contains(complete, packageOf(name))
			}
			for line, what := range c.enters {
				if !excused(line) {
					t.Errorf("%s, %s: a possible secret is used in %v: %s", c.within[line], line, what, source(line))
				}
			}
			for name, function := range c.functions {
				if !slices.Contains(complete, packageOf(name)) {
					continue // a standard library function instantiated for this module's types
				}
				for _, in := range branches(function) {
					found[packageOf(name)] = true
					switch ours := c.files[fileOf(in.line)]; {
					case ours && c.counts[in.line] && !excused(in.line):
						t.Errorf("%s, compiled in %s: line computes with a possible secret and branches: %s: %s %s: %s", c.within[in.line], name, in.line, in.name, in.operands, source(in.line))
					case !ours && !strings.HasPrefix(in.line, "<autogenerated>") && !slices.Contains(library, source(in.line)):
						t.Errorf("%s: branch that library does not list: %s: %s %s: %s", name, in.line, in.name, in.operands, source(in.line))
					}
				}
			}
			for _, pkg := range complete {
				if !found[pkg] {
					t.Errorf("the listing contains no branches of %s, want at least those of loops", pkg)
				}
			}
			for name, lines := range listed {
				for text := range lines {
					if !asked[name+text] {
						t.Errorf("listed[%q][%q] is not used", name, text)
					}
				}
			}
			for name := range known {
				if !c.asked[name] {
					t.Errorf("known[%q] is not used", name)
				}
			}
		})
	}
}
