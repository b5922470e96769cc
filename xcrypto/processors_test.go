// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package xcrypto

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/gocommand"
)

// TestOtherProcessor checks that Vendor writes the same copy on arm64. In long tests,
// it also runs x/crypto's tests of the copy in an emulator.
func TestOtherProcessor(t *testing.T) {
	gocommand.Need(t)
	if runtime.GOARCH != "amd64" || runtime.GOOS != "linux" || os.Getenv("UNIMAC_TEST_EMULATOR") != "" {
		t.Skip("needs linux/amd64 without an emulator")
	}
	if !mactest.Whole() {
		gocommand.Small(t)
	}
	copy := vendored(t, Options{}, gocommand.Requirements(t)...)
	t.Setenv("GOARCH", "arm64")
	if err := Check(copy); err != nil {
		t.Error(err)
	}
	mactest.NeedWhole(t)
	qemu, err := exec.LookPath("qemu-aarch64")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	kernels := map[string]string{
		"chacha20":          "unimac/chacha20.xorNEON",
		"chacha20poly1305":  "unimac/chacha20poly1305.sealNEON",
		"internal/poly1305": "unimac/poly1305.blocksNEON",
		"blake2b":           "unimac/blake2b.compressBlocks", // portable Go code for a single message
		"argon2":            "unimac/blake2b.compressBlocks",
		"nacl/secretbox":    "unimac/poly1305.blocksNEON",
		"nacl/box":          "unimac/poly1305.blocksNEON",
		"ssh":               "unimac/chacha20.xorNEON",
	}
	for pkg, kernel := range kernels {
		program := filepath.Join(t.TempDir(), "test")
		gocommand.Run(t, filepath.Dir(copy), "test", "-c", "-o", program, gocommand.Crypto+"/"+pkg)
		if symbols := gocommand.Run(t, ".", "tool", "nm", program); !strings.Contains(symbols, kernel) {
			t.Errorf("the test program of %s does not contain %s", pkg, kernel)
		}
		// Some tests read vectors from the package's folder.
		gocommand.Program(t, filepath.Join(copy, pkg), nil, qemu, program, "-test.short")
	}
}

// TestStaticcheck checks that staticcheck reports no problems in a copy except those in
// x/crypto itself.
func TestStaticcheck(t *testing.T) {
	gocommand.Need(t)
	mactest.NeedWhole(t)
	staticcheck := staticcheck(t)
	dir := gocommand.NewModule(t, gocommand.Requirements(t)...)
	for _, arch := range []string{"amd64", "arm64"} {
		t.Setenv("GOARCH", arch)
		upstream := findings(t, staticcheck, dir, gocommand.CryptoFolder(t), pathsOf(concerned))
		if err := Vendor(arch); err != nil {
			t.Fatal(err)
		}
		gocommand.Run(t, dir, "mod", "edit", "-replace="+gocommand.Crypto+"=./"+arch)
		for _, finding := range findings(t, staticcheck, dir, filepath.Join(dir, arch), paths()) {
			// Ignore unused fields of the kernels: assembly uses them, and so do tests
			// in this repository, where staticcheck finds them.
			unused := strings.HasPrefix(finding, kernelFolder+"/") && strings.HasSuffix(finding, "(U1000)")
			if i := slices.Index(upstream, finding); i >= 0 {
				upstream = slices.Delete(upstream, i, i+1)
			} else if !unused {
				t.Errorf("%s: %s", arch, finding)
			}
		}
		gocommand.Run(t, dir, "mod", "edit", "-dropreplace="+gocommand.Crypto)
	}
}

// staticcheck returns the path of the staticcheck version that this repository's CI
// uses.
func staticcheck(t *testing.T) string {
	t.Helper()
	command := exec.Command("go", "-C", filepath.Join(gocommand.Repository(t), "internal", "tools"), "tool", "-n", "staticcheck")
	command.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if os.Getenv("CI") == "" {
		command.Env = append(command.Env, "GOPROXY=off")
	}
	out, err := command.Output()
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("staticcheck is not in the module cache")
	}
	return strings.TrimSpace(string(out))
}

var place = regexp.MustCompile(`:\d+:\d+: `)

// findings returns staticcheck's findings for packages, relative to folder. It removes
// lines and columns, because build constraints shift them.
func findings(t *testing.T, staticcheck, dir, folder string, packages []string) []string {
	t.Helper()
	command := exec.Command(staticcheck, packages...)
	command.Dir = dir
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	if _, found := err.(*exec.ExitError); err != nil && !found || stderr.Len() > 0 {
		t.Fatalf("staticcheck: %v\n%s", err, stderr.String())
	}
	var all []string
	for line := range strings.Lines(string(out)) {
		file, rest, ok := strings.Cut(line, folder+string(filepath.Separator))
		if !ok || file != "" {
			// A path may be relative to dir.
			relative, err := filepath.Rel(dir, folder)
			if err != nil {
				t.Fatal(err)
			}
			rest = strings.TrimPrefix(line, relative+string(filepath.Separator))
		}
		all = append(all, place.ReplaceAllString(strings.TrimSpace(rest), ": "))
	}
	return all
}
