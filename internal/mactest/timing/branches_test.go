// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package timing

import (
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
	target            = regexp.MustCompile(`(?:^|[ ,])(\d+)$`)
)

// listing returns the instructions of the module's functions as the compiler makes
// them, in plain Go, for a GOARCH. They are compiled anew each time, which a directory
// of its own among the flags brings about: the build's cache may keep a package and
// have lost what the compiler said of it.
func listing(t *testing.T, arch string) map[string][]instruction {
	args := []string{"build", "-tags", "purego", "-gcflags=-S -I " + t.TempDir()}
	for name := range arithmetic {
		if pkg := module + packageOf(name); !slices.Contains(args, pkg) {
			args = append(args, pkg)
		}
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOARCH="+arch, "CGO_ENABLED=0", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%.2000s", cmd, err, out)
	}
	functions := map[string][]instruction{}
	name := ""
	for line := range strings.Lines(string(out)) {
		line = strings.TrimRight(line, "\n")
		if m := listedFunction.FindStringSubmatch(line); m != nil {
			name = strings.TrimPrefix(m[1], module)
		} else if m := listedInstruction.FindStringSubmatch(line); m != nil {
			at, _ := strconv.Atoi(m[1])
			functions[name] = append(functions[name], instruction{at, m[2], m[3], strings.TrimSpace(m[4])})
		}
	}
	return functions
}

// unconditional are the names of branches that ask for nothing.
var unconditional = []string{"JMP", "B", "BR"}

// find returns the index of the instruction that a branch leads to.
func find(function []instruction, branch instruction) (int, bool) {
	m := target.FindStringSubmatch(branch.operands)
	if m == nil {
		return 0, false
	}
	at, _ := strconv.Atoi(m[1])
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

// complete are the packages all of whose functions are in arithmetic.
var complete = []string{"aegis", "umac", "poly1305", "multimixer", "multimac", "chacha20", "blake2b", "internal/aegis", "internal/umac", "internal/poly1305", "internal/multimixer"}

// generated are the ends of names that the compiler gives.
var generated = regexp.MustCompile(`(^|\.)(init(\.\d+)?|\.eq\..*|func\d+.*)$|\.(map\.)?init|^type:|^go:|-fm$|^gclocals|\.\.stmp`)

// TestBranches searches what the compiler makes of the functions that compute with
// secrets for conditional branches, other than those of the lines that are listed and
// those of bounds. A carry, a mask or a comparison must not have become one.
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
			functions := listing(t, arch)
			for name := range functions {
				if _, ok := arithmetic[name]; !ok && slices.Contains(complete, packageOf(name)) && !generated.MatchString(name) {
					t.Errorf("%s is not listed", name)
				}
			}
			for name, lines := range arithmetic {
				if len(functions[name]) == 0 {
					t.Errorf("%s is not in the listing", name)
				}
				for _, in := range branches(functions[name]) {
					if line := source(in.line); !slices.Contains(lines, line) && !slices.Contains(library, line) {
						t.Errorf("%s branches: %s: %s %s: %s", name, in.line, in.name, in.operands, line)
					}
				}
			}
		})
	}
}
