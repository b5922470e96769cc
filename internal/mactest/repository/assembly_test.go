// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package repository

import (
	"go/build"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest/gocommand"
)

// root is the module's root, in which the tests run.
const root = "."

// An answer describes the counterpart of an assembly file of x/crypto in this module.
type answer struct {
	kernel string // a kernel of this module
	calls  string // a file that calls x/crypto's public package instead
	plain  string // a function that remains plain Go, as doc/speed.md names it
}

// answers lists the assembly files of the x/crypto packages that this module replaces.
var answers = map[string]answer{
	"blake2b/blake2bAVX2_amd64.s": {kernel: "internal/blake2b/compress_amd64.s"},
	"blake2b/blake2b_amd64.s":     {kernel: "internal/blake2b/compress_amd64.s"},
	"blake2b/blake2b_loong64.s":   {plain: "BLAKE2b on loong64"},

	"chacha20/chacha_arm64.s":   {kernel: "internal/chacha20/chacha20_arm64.s"},
	"chacha20/chacha_loong64.s": {calls: "internal/chacha20/chacha20_xcrypto.go"},
	"chacha20/chacha_ppc64x.s":  {calls: "internal/chacha20/chacha20_xcrypto.go"},
	"chacha20/chacha_s390x.s":   {calls: "internal/chacha20/chacha20_xcrypto.go"},

	"chacha20poly1305/chacha20poly1305_amd64.s": {kernel: "internal/chacha20poly1305/chacha20poly1305_amd64.s"},

	"internal/poly1305/sum_amd64.s":   {kernel: "internal/poly1305/blocks_amd64.s"},
	"internal/poly1305/sum_loong64.s": {calls: "internal/poly1305/sum_xcrypto.go", plain: "Poly1305 in several Writes"},
	"internal/poly1305/sum_ppc64x.s":  {calls: "internal/poly1305/sum_xcrypto.go", plain: "Poly1305 in several Writes"},
	"internal/poly1305/sum_riscv64.s": {calls: "internal/poly1305/sum_xcrypto.go", plain: "Poly1305 in several Writes"},
	"internal/poly1305/sum_s390x.s":   {calls: "internal/poly1305/sum_xcrypto.go", plain: "Poly1305 in several Writes"},
}

// others lists x/crypto packages with assembly that this module does not replace.
var others = []string{"argon2", "blake2s", "salsa20/salsa"}

// TestUpstreamAssembly checks that answers lists every assembly file of the required
// x/crypto, so that no package silently becomes slower than the package that it
// replaces.
func TestUpstreamAssembly(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command")
	}
	upstream := strings.TrimSpace(gocommand.Run(t, root, "list", "-m", "-f", "{{.Dir}}", gocommand.Crypto))
	found := map[string]bool{}
	err := fs.WalkDir(os.DirFS(upstream), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".s") && !slices.Contains(others, path.Dir(name)) {
			found[name] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "doc", "speed.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if _, ok := answers[name]; !ok {
			t.Errorf("answers does not list %s of x/crypto", name)
		}
	}
	for name, a := range answers {
		if !found[name] {
			t.Errorf("answers lists %s, which x/crypto does not contain", name)
		}
		if a.kernel != "" {
			if _, err := os.Stat(filepath.Join(root, a.kernel)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if a.calls != "" {
			callsUpstream(t, name, a.calls)
		}
		if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), a.plain) {
			t.Errorf("%s: doc/speed.md does not say %q", name, a.plain)
		}
	}
}

// callsUpstream checks that file is built for the same processors as the upstream file
// and imports the upstream package.
func callsUpstream(t *testing.T, upstream, file string) {
	t.Helper()
	of, _ := strings.CutSuffix(upstream[strings.LastIndexByte(upstream, '_')+1:], ".s")
	architectures := []string{of}
	if of == "ppc64x" {
		architectures = []string{"ppc64", "ppc64le"}
	}
	public := gocommand.Crypto + "/" + path.Base(path.Dir(upstream))
	for _, arch := range architectures {
		context := build.Default
		context.GOARCH, context.BuildTags = arch, nil
		pkg, err := context.ImportDir(filepath.Join(root, path.Dir(file)), 0)
		if err != nil {
			t.Error(err)
			continue
		}
		if !slices.Contains(pkg.GoFiles, path.Base(file)) || !slices.Contains(pkg.Imports, public) {
			t.Errorf("%s: on %s, %s is not built or does not import %s", upstream, arch, file, public)
		}
	}
}
