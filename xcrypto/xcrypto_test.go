// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package xcrypto

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/gocommand"
	"github.com/unimac/unimac/internal/modcopy"
)

func TestMain(m *testing.M) { gocommand.Main(m) }

// concerned lists the packages of x/crypto that use this module's kernels, directly or
// through other packages.
var concerned = []string{"chacha20", "chacha20poly1305", "internal/poly1305", "internal/alias", "poly1305", "nacl/...", "salsa20/...", "blake2b", "argon2", "ssh"}

// pathsOf returns the import paths of packages of x/crypto.
func pathsOf(packages []string) (paths []string) {
	for _, pkg := range packages {
		paths = append(paths, gocommand.Crypto+"/"+pkg)
	}
	return paths
}

// paths returns the import paths of the concerned packages and of the kernels in a
// copy.
func paths() []string { return append(pathsOf(concerned), gocommand.Crypto+"/"+kernelFolder+"/...") }

// vendored makes a copy in a new module that uses it, and returns the copy's folder.
func vendored(t *testing.T, o Options, requirements ...string) string {
	t.Helper()
	dir := gocommand.NewModule(t, requirements...)
	if err := o.Vendor("xcrypto"); err != nil {
		t.Fatal(err)
	}
	gocommand.Run(t, dir, "mod", "edit", "-replace="+gocommand.Crypto+"=./xcrypto")
	return filepath.Join(dir, "xcrypto")
}

// withoutExamples removes a test file whose imports may not be available.
func withoutExamples(t *testing.T, copy string) {
	t.Helper()
	if err := os.Remove(filepath.Join(copy, "ssh", "example_test.go")); err != nil {
		t.Fatal(err)
	}
}

// TestVendor checks which files of a copy differ from the original, and how.
func TestVendor(t *testing.T) {
	gocommand.Need(t)
	crypto := gocommand.CryptoFolder(t)
	dir := vendored(t, Options{}, gocommand.Requirements(t)...)
	got, err := modcopy.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	want, err := modcopy.Read(crypto)
	if err != nil {
		t.Fatal(err)
	}
	checkNotEmpty(t, got)
	var changed, added []string
	for _, name := range got.Paths() {
		switch content, ok := want[name]; {
		case ok && string(content) != string(got[name]):
			changed = append(changed, name)
			checkConstrained(t, name, content, []byte(strings.ReplaceAll(string(got[name]), "Upstream(", "(")))
		case !ok && !strings.HasPrefix(name, kernelFolder+"/"):
			added = append(added, name)
			if !strings.Contains(string(got[name]), "github.com/unimac/unimac/xcrypto") {
				t.Errorf("%s does not mention xcrypto", name)
			}
		}
		if strings.HasPrefix(name, kernelFolder+"/") && strings.Contains(string(got[name]), `"github.com/unimac/`) {
			t.Errorf("%s imports this module", name)
		}
	}
	for name := range want {
		if got[name] == nil {
			t.Errorf("%s is missing", name)
		}
	}
	if want := []string{
		"blake2b/blake2bAVX2_amd64.go", "blake2b/blake2b_ref.go",
		"chacha20/chacha_arm64.go", "chacha20/chacha_arm64.s", "chacha20/chacha_generic.go", "chacha20/chacha_noasm.go",
		"chacha20poly1305/chacha20poly1305_amd64.go", "chacha20poly1305/chacha20poly1305_amd64.s",
		"chacha20poly1305/chacha20poly1305_generic.go", "chacha20poly1305/chacha20poly1305_noasm.go",
		"internal/poly1305/mac_noasm.go", "internal/poly1305/sum_amd64.s", "internal/poly1305/sum_asm.go",
		"salsa20/salsa/salsa20_amd64.go", "salsa20/salsa/salsa20_loong64.go", "salsa20/salsa/salsa20_noasm.go",
		"ssh/cipher.go",
	}; !slices.Equal(changed, want) {
		t.Errorf("changed %q, want %q", changed, want)
	}
	if want := []string{
		"blake2b/unimac.go", "blake2b/unimac_upstream_amd64.go", "blake2b/unimac_upstream_arm64.go", "chacha20/unimac.go", "chacha20/unimac_upstream.go", "chacha20poly1305/unimac.go",
		"internal/poly1305/unimac.go", "salsa20/salsa/unimac.go", "salsa20/salsa/unimac_upstream.go", "ssh/unimac_cipher.go", "ssh/unimac_umac.go", "ssh/unimac_upstream.go",
	}; !slices.Equal(added, want) {
		t.Errorf("added %q, want %q", added, want)
	}
	if _, ok := got[kernelFolder+"/LICENSE"]; !ok {
		t.Error("the license of the kernels is missing")
	}
}

// checkNotEmpty checks that no file of a copy is empty. No release of x/crypto contains
// an empty file.
func checkNotEmpty(t *testing.T, copy modcopy.Tree) {
	t.Helper()
	for name, content := range copy {
		if len(content) == 0 {
			t.Errorf("%s is empty", name)
		}
	}
}

// checkConstrained checks that content, apart from renamed functions, differs from
// original only in its build constraint.
func checkConstrained(t *testing.T, name string, original, content []byte) {
	t.Helper()
	directive := regexp.MustCompile(`(?m)^//go:build .*\n\n`) // the original may have none
	if !bytes.Equal(directive.ReplaceAll(original, nil), directive.ReplaceAll(content, nil)) {
		t.Errorf("%s differs in more than its build constraint", name)
	}
}

// everything returns the packages of a copy that can be built with this module's
// requirements. It excludes acme/autocert, which needs golang.org/x/net, and the packages
// below it.
func everything(t *testing.T, dir string) []string {
	t.Helper()
	list := gocommand.Run(t, dir, "list", "-e", gocommand.Crypto+"/...")
	return slices.DeleteFunc(strings.Fields(list), func(pkg string) bool { return strings.Contains(pkg, "/acme/autocert") })
}

// quick lists packages whose tests take only seconds.
var quick = []string{"chacha20", "chacha20poly1305", "internal/poly1305", "blake2b"}

// TestUpstream checks that a copy passes x/crypto's own tests, and that the test
// programs contain this module's kernels instead of x/crypto's. In long tests, it tests
// all packages with every kernel level.
func TestUpstream(t *testing.T) {
	gocommand.Need(t)
	copy := vendored(t, Options{}, gocommand.Requirements(t)...)
	withoutExamples(t, copy)
	programs, built := t.TempDir(), quick
	if mactest.Whole() {
		built = append([]string{"ssh"}, quick...)
	}
	gocommand.Run(t, filepath.Dir(copy), append([]string{"test", "-c", "-ldflags=-w", "-o", programs + string(filepath.Separator)}, pathsOf(built)...)...)
	suffix := strings.TrimSpace(gocommand.Run(t, ".", "env", "GOEXE"))
	program := func(pkg string) string { return filepath.Join(programs, path.Base(pkg)+".test"+suffix) }
	levels := []string{""}
	if mactest.Whole() && runtime.GOARCH == "amd64" {
		levels = append(levels, "cpu.avx512ifma=off", "cpu.avx512f=off", "cpu.avx2=off", "cpu.all=off")
	}
	for i, level := range levels {
		t.Run("GODEBUG="+level, func(t *testing.T) {
			if !mactest.Whole() {
				for _, pkg := range quick {
					command := append(mactest.Emulator(t), program(pkg), "-test.short")
					gocommand.Program(t, filepath.Join(copy, pkg), nil, command[0], command[1:]...)
				}
				return
			}
			args := []string{"test", "-exec=" + strings.Join(mactest.Emulator(t), " ")}
			packages := append(paths(), gocommand.Crypto+"/ssh/test")
			if i > 0 {
				args = append(args, "-short")
			} else {
				packages = everything(t, filepath.Dir(copy))
				args = append(args, "-skip=WithPebble") // would download a server for acme
			}
			t.Setenv("GODEBUG", level)
			gocommand.Run(t, filepath.Dir(copy), append(args, packages...)...)
		})
	}
	if mactest.Whole() && runtime.GOARCH == "amd64" {
		t.Run("race", func(t *testing.T) {
			gocommand.Run(t, filepath.Dir(copy), "test", "-race", "-short", gocommand.Crypto+"/ssh")
		})
	}
	t.Run("symbols", func(t *testing.T) {
		for pkg, want := range map[string][2]string{
			"chacha20":          {"unimac/chacha20.xor unimac/chacha20.hChaCha20", "chacha20.xorKeyStreamVX"},
			"chacha20poly1305":  {"unimac/poly1305.blocks", "chacha20poly1305.chacha20Poly1305Seal"},
			"internal/poly1305": {"unimac/poly1305.blocks", "internal/poly1305.update"},
			"blake2b":           {"unimac/blake2b.compress", ""},
			"ssh":               {"unimac/packet.(*ChaCha20Poly1305).WritePacket", ""},
		} {
			if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" || pkg == "ssh" && !mactest.Whole() {
				continue
			}
			symbols := gocommand.Run(t, ".", "tool", "nm", program(pkg))
			for symbol := range strings.FieldsSeq(want[0]) {
				if !strings.Contains(symbols, symbol) {
					t.Errorf("the test program of %s does not contain %s", pkg, symbol)
				}
			}
			if want[1] != "" && strings.Contains(symbols, gocommand.Crypto+"/"+want[1]+"\n") {
				t.Errorf("the test program of %s contains %s", pkg, want[1])
			}
		}
	})
	t.Run("vet", func(t *testing.T) {
		mactest.NeedWhole(t)
		for _, arch := range []string{"amd64", "arm64", "386", "s390x", "riscv64"} {
			t.Setenv("GOARCH", arch)
			t.Setenv("GOOS", "linux")
			gocommand.Run(t, filepath.Dir(copy), append([]string{"vet"}, paths()...)...)
		}
		t.Setenv("GOARCH", runtime.GOARCH)
		gocommand.Run(t, filepath.Dir(copy), append([]string{"vet", "-tags=purego"}, paths()...)...)
	})
}

// TestReleases checks that older releases can be copied. In long tests, it runs
// x/crypto's own tests in the copies.
func TestReleases(t *testing.T) {
	gocommand.Need(t)
	for _, version := range []string{modcopy.Oldest, "v0.9.0", "v0.16.0", "v0.17.0", "v0.31.0", "v0.38.0", "v0.45.0"} {
		t.Run(version, func(t *testing.T) {
			original := gocommand.Release(t, version)
			if !mactest.Whole() {
				files, err := modcopy.Read(original)
				if err != nil {
					t.Fatal(err)
				}
				tree, err := Options{}.apply(modcopy.Source{Files: files})
				if err != nil {
					t.Fatal(err)
				}
				checkNotEmpty(t, tree)
				return
			}
			repository := gocommand.Repository(t)
			// Copy from a folder: in a module that requires the release, the go command
			// would need the modules of the release's tests.
			dir := gocommand.NewModule(t, gocommand.Requirements(t)...)
			gocommand.Run(t, dir, "mod", "edit", "-replace="+gocommand.Crypto+"="+original)
			if err := Vendor("xcrypto"); err != nil {
				t.Fatal(err)
			}
			withoutExamples(t, "xcrypto")
			gocommand.Run(t, dir, "mod", "edit", "-replace="+gocommand.Crypto+"=./xcrypto")
			gocommand.CopyFile(t, "go.sum", filepath.Join(repository, "go.sum"))
			packages := slices.DeleteFunc(paths(), func(p string) bool { return strings.HasSuffix(p, "/ssh") || strings.HasSuffix(p, "/nacl/...") })
			args := []string{"test", "-short", "-exec=" + strings.Join(mactest.Emulator(t), " ")}
			gocommand.Run(t, dir, append(args, packages...)...)
			gocommand.Run(t, dir, append(args, "-run=Cipher|MAC", gocommand.Crypto+"/ssh")...)
		})
	}
}

// TestOptions checks the effects and limits of the options.
func TestOptions(t *testing.T) {
	gocommand.Need(t)
	gocommand.Small(t)
	gocommand.NewModule(t, gocommand.Requirements(t)...)
	for _, o := range []Options{{SSHWindow: 1}, {SSHWindow: 2<<20 - 1}, {SSHWindow: 64<<20 + 1}, {SSHBuffer: -1}, {SSHBuffer: 4095}, {SSHBuffer: 1<<20 + 1}} {
		if err := o.Vendor("no"); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%+v: got %v, want an error", o, err)
		}
		if _, err := os.Lstat("no"); err == nil {
			t.Errorf("%+v: made a copy", o)
		}
	}
	if err := Vendor("plain"); err != nil {
		t.Fatal(err)
	}
	if err := (Options{SSHWindow: 32 << 20, SSHBuffer: 256 << 10}).Vendor("sized"); err != nil {
		t.Fatal(err)
	}
	plain, err := modcopy.Read("plain")
	if err != nil {
		t.Fatal(err)
	}
	sized, err := modcopy.Read("sized")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range sized {
		if (string(plain[name]) != string(content)) != slices.Contains([]string{"ssh/channel.go", "ssh/transport.go", modcopy.KernelsFile}, name) {
			t.Errorf("%s: wrong contents in a copy with options", name)
		}
	}
	for name, text := range map[string]string{"ssh/channel.go": "channelWindowSize = 33554432 ", "ssh/transport.go": "bufio.NewReaderSize(rwc, 262144),\n\t\tbufWriter: bufio.NewWriterSize(rwc, 262144)"} {
		if !strings.Contains(string(sized[name]), text) {
			t.Errorf("%s does not contain %q", name, text)
		}
	}
	for _, dir := range []string{"plain", "sized"} {
		gocommand.Run(t, ".", "mod", "edit", "-replace="+gocommand.Crypto+"=./"+dir)
		if err := Check(dir); err != nil {
			t.Error(err)
		}
	}
	// The other copy is correct, but the module does not use it.
	if err := Check("plain"); err == nil || !strings.Contains(err.Error(), "does not use the copy: it has no replace golang.org/x/crypto => ./plain") {
		t.Errorf("Check of an unused copy = %v, want \"does not use the copy\"", err)
	}
}

// become replaces the files of one tree in dir with those of another.
func become(t *testing.T, dir string, from, to modcopy.Tree) {
	t.Helper()
	var err error
	for name := range from {
		if _, ok := to[name]; !ok {
			err = cmp.Or(err, os.Remove(filepath.Join(dir, name)))
		}
	}
	for name, content := range to {
		if old, ok := from[name]; !ok || !bytes.Equal(old, content) {
			err = cmp.Or(err, os.WriteFile(filepath.Join(dir, name), content, 0o644))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestCheck checks the errors for changed copies and for copies of other versions.
func TestCheck(t *testing.T) {
	gocommand.Need(t)
	gocommand.Small(t)
	dir := vendored(t, Options{SSHWindow: 4 << 20}, gocommand.Requirements(t)...)
	if err := Check(dir); err != nil {
		t.Fatal(err)
	}
	pristine, err := modcopy.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		change func(copy modcopy.Tree)
		want   string
	}{
		{"a changed kernel", func(c modcopy.Tree) {
			c[kernelFolder+"/dispatch/dispatch.go"] = append(c[kernelFolder+"/dispatch/dispatch.go"], '\n')
		}, "dispatch.go differs"},
		{"a changed byte", func(c modcopy.Tree) {
			changed := bytes.Clone(c["ssh/kex.go"])
			changed[len(changed)/2] ^= 1
			c["ssh/kex.go"] = changed
		}, "ssh/kex.go differs"},
		{"a changed file", func(c modcopy.Tree) { c["ssh/kex.go"] = []byte("package ssh\n") }, "ssh/kex.go differs"},
		{"a missing file", func(c modcopy.Tree) { delete(c, "ssh/kex.go") }, "ssh/kex.go is missing"},
		{"an additional file", func(c modcopy.Tree) { c["ssh/more.go"] = []byte("package ssh\n") }, "unexpected ssh/more.go"},
		{"another version", func(c modcopy.Tree) {
			c[modcopy.KernelsFile] = record{modcopy.Origin{Version: "v0.57.0"}, Options{SSHWindow: 4 << 20}}.bytes()
		}, "it is a copy of golang.org/x/crypto v0.57.0, and not of golang.org/x/crypto v0."},
		{"a fork that the module does not use", func(c modcopy.Tree) {
			c[modcopy.KernelsFile] = record{modcopy.Origin{Fork: "./fork"}, Options{SSHWindow: 4 << 20}}.bytes()
		}, "it is a copy of the fork ./fork, and not of golang.org/x/crypto v0."},
		{"another option", func(c modcopy.Tree) {
			made, err := readRecord(c[modcopy.KernelsFile])
			if err != nil {
				t.Fatal(err)
			}
			made.options.SSHWindow = 0
			c[modcopy.KernelsFile] = made.bytes()
		}, "ssh/channel.go differs"},
		{"no record", func(c modcopy.Tree) { delete(c, modcopy.KernelsFile) }, "not a copy by this version"},
		{"an invalid record", func(c modcopy.Tree) { c[modcopy.KernelsFile] = []byte(recordText + "x/crypto: v1\nssh-window: 7\n") }, "not a copy by this version"},
	} {
		changed := maps.Clone(pristine)
		tt.change(changed)
		become(t, dir, pristine, changed)
		err := Check(dir)
		become(t, dir, changed, pristine)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
		if errors.Is(err, ErrOutdated) == strings.Contains(tt.name, "record") {
			t.Errorf("%s: is ErrOutdated = %t", tt.name, errors.Is(err, ErrOutdated))
		}
	}
	if err := os.Symlink(dir, "link"); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	} else if err == nil {
		if err := Check("link/"); err != nil {
			t.Errorf("through a link: %v", err)
		}
	}
	if err := Check("nothing"); err == nil {
		t.Error("Check of a missing folder succeeded")
	}
}
