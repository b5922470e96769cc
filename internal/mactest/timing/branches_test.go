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

var architectures = flag.String("arch", runtime.GOARCH, "the values of GOARCH, with commas between, whose code is searched for branches")

const module = "github.com/unimac/unimac/"

// An instruction is one of the compiler's listing.
type instruction struct {
	at             int
	line           string // of the source
	name, operands string
}

var (
	listedFunction    = regexp.MustCompile(`^(\S+) STEXT`)
	listedInstruction = regexp.MustCompile(`^\t0x[0-9a-f]+ (\d+) \((.*?)\)\t(\S+)\t?(.*)`)
	target            = regexp.MustCompile(`(?:^|[ ,])(\$-?)?(\d+)$`) // with $, as riscv64 has it: from the branch on
	relative          = regexp.MustCompile(`^(B(EQ|NE|LT|GE|GT|LE)[UZ]?|JAL)$`)
)

// A compilation is what the go command says of the module's packages for a GOARCH, in plain
// Go: the compiler's listing of the functions of those that compute with secrets, and what
// the source of all of them says.
type compilation struct {
	functions map[string][]instruction
	*reading
}

// compile compiles and reads the packages. They are compiled anew each time, which a
// directory of its own among the flags brings about: the build's cache may keep a package
// and have lost what the compiler said of it.
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

// unconditional are the names of branches that ask for nothing.
var unconditional = []string{"JMP", "B", "BR", "JAL"}

// find returns the index of the instruction that a branch leads to.
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

// fails reports whether the function panics or grows the stack from instruction i
// on, whatever happens.
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

// packageOf returns the package of a function's name, below the module.
func packageOf(name string) string {
	slash := strings.LastIndexByte(name, '/') + 1
	dot := strings.IndexByte(name[slash:], '.')
	if dot < 0 {
		return name
	}
	return name[:slash+dot]
}

// fileOf returns the file of a "file:line".
func fileOf(line string) string { return line[:max(0, strings.LastIndexByte(line, ':'))] }

// branches returns the conditional branches of a function but those with a failure on
// one side, as of a bound.
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

// source returns what an instruction asks by the line of the source, file:line, that it is
// made of: the condition of an if, a for or a case, or else the statement. Comments are none
// of it.
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

// complete are the packages whose functions compute with secrets.
var complete = []string{"aegis", "umac", "poly1305", "multimixer", "multimac", "chacha20", "blake2b",
	"internal/aegis", "internal/umac", "internal/poly1305", "internal/multimixer", "internal/chacha20", "internal/blake2b"}

// TestBranches reads the packages that compute with secrets, and searches what the compiler
// makes of them for conditional branches. What asks something of a secret must be listed, and
// no line that computes with what may be secret may have a branch, but for bounds: a carry,
// a mask or a comparison must not have become one.
func TestBranches(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
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
					t.Errorf("%s, %s: of what may be secret is made %v: %s", c.within[line], line, what, source(line))
				}
			}
			for name, function := range c.functions {
				if !slices.Contains(complete, packageOf(name)) {
					continue // of the standard library, made for our types
				}
				for _, in := range branches(function) {
					found[packageOf(name)] = true
					switch ours := c.files[fileOf(in.line)]; {
					case ours && c.counts[in.line] && !excused(in.line):
						t.Errorf("%s, in %s, branches: %s: %s %s: %s", c.within[in.line], name, in.line, in.name, in.operands, source(in.line))
					case !ours && !strings.HasPrefix(in.line, "<autogenerated>") && !slices.Contains(library, source(in.line)):
						t.Errorf("%s branches: %s: %s %s: %s", name, in.line, in.name, in.operands, source(in.line))
					}
				}
			}
			for _, pkg := range complete {
				if !found[pkg] {
					t.Errorf("no branch of %s is in the listing, not even of a loop", pkg)
				}
			}
			for name, lines := range listed {
				for text := range lines {
					if !asked[name+text] {
						t.Errorf("%s: nothing asks %s", name, text)
					}
				}
			}
			for name := range known {
				if !c.asked[name] {
					t.Errorf("nothing asks for %s", name)
				}
			}
		})
	}
}
