// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package repository

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// upstreamTests describes the tests of an x/crypto package whose API a package of this
// module exports, too, and how the tests must be adapted.
type upstreamTests struct {
	pkg  string
	name string // any exported name

	// leftOut maps declarations that are not compiled to the reason.
	leftOut map[string]string

	// standIns declares replacements for the package's unexported names, so that tests
	// that use them run, too.
	standIns string
}

var upstream = []upstreamTests{
	{
		pkg:  "chacha20",
		name: "KeySize",
		standIns: `
			// TestLastBlock uses blockSize, and a declaration asserts that bufSize is a
			// multiple of blockSize.
			const blockSize, bufSize = 64, 64`,
	},
	{
		pkg:  "chacha20poly1305",
		name: "KeySize",
	},
	{
		pkg:  "blake2b",
		name: "Size",
		leftOut: map[string]string{
			"var _ hash.XOF": "names a type of x/crypto; the file of TestXOFErrors contains the same check for NewXOF's result",
		},
		standIns: `
			import (
				"hash"
				. "github.com/unimac/unimac/blake2b"
			)

			// TestHashes and TestHashes2X disable x/crypto's kernels one by one. Here, the
			// whole test runs in each environment of upstreamRuns instead.
			var useSSE4, useAVX, useAVX2 bool

			// TestSelfTest calls newDigest and checkSum for 20-byte digests, which New
			// supports, too.
			func newDigest(size int, key []byte) (hash.Hash, error) { return New(size, key) }

			func checkSum(sum *[Size]byte, size int, data []byte) {
				h, err := New(size, nil)
				if err != nil {
					panic(err)
				}
				h.Write(data)
				h.Sum(sum[:0])
			}`,
	},
}

// upstreamRuns lists the environments in which the tests run, so that every kernel
// runs.
var upstreamRuns = []string{"GODEBUG=", "GODEBUG=cpu.avx512ifma=off", "GODEBUG=cpu.avx512f=off", "GODEBUG=cpu.avx2=off"}

// TestUpstream compiles x/crypto's own tests against the packages of the same names in
// this module and runs them. The tests come from the module cache, because go.mod
// requires x/crypto.
func TestUpstream(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	if _, err := exec.LookPath("go"); err != nil {
		if os.Getenv("CI") != "" && runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	crypto := strings.TrimSpace(goCommand(t, "list", "-m", "-f", "{{.Dir}}", "golang.org/x/crypto"))
	if crypto == "" {
		t.Fatal("golang.org/x/crypto is not in the module cache")
	}
	for _, u := range upstream {
		t.Run(u.pkg, func(t *testing.T) {
			// An overlay adds a package in a folder that does not exist.
			temp := t.TempDir()
			dir, err := filepath.Abs("internal/upstream/" + u.pkg)
			if err != nil {
				t.Fatal(err)
			}
			overlay := struct{ Replace map[string]string }{map[string]string{}}
			add := func(name, source string) {
				text, err := format.Source([]byte(source))
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if err := os.WriteFile(filepath.Join(temp, name), text, 0o666); err != nil {
					t.Fatal(err)
				}
				overlay.Replace[filepath.Join(dir, name)] = filepath.Join(temp, name)
			}
			files, err := filepath.Glob(filepath.Join(crypto, u.pkg, "*_test.go"))
			if err != nil || len(files) == 0 {
				t.Fatalf("no tests of %s in %s: %v", u.pkg, crypto, err)
			}
			var tests []string
			left := map[string]bool{}
			for _, name := range files {
				source, names := u.rewritten(t, name, left)
				add(filepath.Base(name), source)
				tests = append(tests, names...)
			}
			for name := range u.leftOut {
				if !left[name] {
					t.Errorf("leftOut lists %q, which the tests do not declare", name)
				}
			}
			if u.standIns != "" {
				add("stand_ins_test.go", "package upstream_test\n"+u.standIns+"\n")
			}
			list := filepath.Join(temp, "overlay.json")
			text, err := json.Marshal(overlay)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(list, text, 0o666); err != nil {
				t.Fatal(err)
			}
			for _, tags := range []string{"", "purego"} {
				program := filepath.Join(temp, "upstream.test"+tags)
				goCommand(t, "test", "-c", "-vet=off", "-o", program, "-tags", tags, "-overlay", list, "./internal/upstream/"+u.pkg)
				for _, environment := range upstreamRuns {
					if tags == "" || environment == upstreamRuns[0] {
						runUpstream(t, program, environment, tests)
					}
				}
			}
		})
	}
}

// runUpstream runs a test program and requires all of its tests to pass.
func runUpstream(t *testing.T, program, environment string, tests []string) {
	t.Helper()
	// If this test runs under an emulator, the program must, too.
	command := append(mactest.Emulator(t), program, "-test.v")
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Env = append(os.Environ(), environment)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", environment, err, out)
	}
	for _, name := range tests {
		if !strings.Contains(string(out), "\n--- PASS: "+name+" ") {
			t.Errorf("%s: %s did not pass", environment, name)
		}
	}
}

// rewritten returns an upstream test file, changed to import this module's package, and
// the names of its tests. It records the omitted declarations in left.
func (u *upstreamTests) rewritten(t *testing.T, name string, left map[string]bool) (source string, tests []string) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	text := read(t, name)
	at := func(pos token.Pos) int { return files.Position(pos).Offset }
	var b strings.Builder
	done := at(file.Name.End())
	fmt.Fprintf(&b, "package upstream_test\n\nimport . %q\n", "github.com/unimac/unimac/"+u.pkg)
	for _, d := range file.Decls {
		what := text[at(d.Pos()):at(d.End())]
		for name := range u.leftOut {
			if strings.HasPrefix(what, name) {
				b.WriteString(text[done:at(d.Pos())])
				done, left[name] = at(d.End()), true
			}
		}
		if f, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Test") && !left[f.Name.Name] {
			tests = append(tests, f.Name.Name)
		}
	}
	b.WriteString(text[done:])
	// Use the import even in files that contain only test vectors.
	fmt.Fprintf(&b, "\nvar _ = %s\n", u.name)
	return b.String(), tests
}

// goCommand runs the go command without network access and returns its standard output.
func goCommand(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off", "GOFLAGS=", "GOTOOLCHAIN=local")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}
