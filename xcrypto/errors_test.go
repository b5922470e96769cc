// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package xcrypto

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest/gocommand"
	"github.com/unimac/unimac/internal/modcopy"
)

// TestErrors checks the errors of Vendor, and that Vendor leaves no files behind when
// it fails.
func TestErrors(t *testing.T) {
	gocommand.Need(t)
	gocommand.Small(t)
	requirements := gocommand.Requirements(t)
	write := func(t *testing.T, name, content string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name, dir string
		prepare   func(t *testing.T)
		want      string
	}{
		{"a file with the name of the copy", "here", func(t *testing.T) { write(t, "here", "") }, "not a directory"},
		{"a broken link with the name of the copy", "here", func(t *testing.T) { link(t, "elsewhere", "here") }, "not a directory"},
		{"a link to a folder", "here", func(t *testing.T) { link(t, t.TempDir(), "here") }, "not a directory"},
		{"folder not empty", ".", func(t *testing.T) {}, "is not empty"},
		{"a name with a slash and an unavailable release", "copy/", func(t *testing.T) {
			write(t, "go.mod", "module m\ngo 1.26.0\nrequire golang.org/x/crypto v0.999.0\n")
		}, "golang.org/x/crypto@v0.999.0"},
		{"empty name", "", func(t *testing.T) {}, "the name of the folder is empty"},
		{"no go.mod", "copy", func(t *testing.T) { os.Remove("go.mod") }, "no go.mod in this folder or above it"},
		{"a workspace", "copy", func(t *testing.T) {
			if err := os.Mkdir("app", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename("go.mod", "app/go.mod"); err != nil {
				t.Fatal(err)
			}
			write(t, "go.work", "go 1.26.0\nuse ./app\n")
			t.Setenv("GOWORK", "")
		}, "use the folder of one of its modules that requires golang.org/x/crypto"},
		{"a folder in place of the .origin file", "copy", func(t *testing.T) {
			fork(t)
			if err := os.MkdirAll("copy.origin/full", 0o755); err != nil {
				t.Fatal(err)
			}
		}, "copy.origin"},
		{"a broken link in place of the .origin file", "copy", func(t *testing.T) {
			fork(t)
			link(t, "nowhere/file", "copy.origin")
		}, "copy.origin"},
		{"no go command", "copy", func(t *testing.T) { t.Setenv("PATH", t.TempDir()) }, "no go command"},
		{"not required", "copy", func(t *testing.T) { write(t, "go.mod", "module m\ngo 1.26.0\n") }, "does not require golang.org/x/crypto"},
		{"x/crypto itself", "copy", func(t *testing.T) { write(t, "go.mod", "module golang.org/x/crypto\ngo 1.26.0\n") }, "is the go.mod of golang.org/x/crypto itself"},
		{"an unavailable version", "copy", func(t *testing.T) {
			write(t, "go.mod", "module m\ngo 1.26.0\nrequire golang.org/x/crypto v0.999.0\n")
		}, "golang.org/x/crypto@v0.999.0"},
		{"a link in the source", "copy", func(t *testing.T) {
			fork(t)
			link(t, "ssh.go", "fork/ssh/link.go")
		}, "link.go is not a regular file"},
		{"an empty source", "copy", func(t *testing.T) {
			fork(t)
			os.RemoveAll("fork/ssh")
			os.RemoveAll("fork/chacha20")
		}, "unsupported layout"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := gocommand.NewModule(t, requirements...)
			tt.prepare(t)
			before, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			err = Vendor(tt.dir)
			if err == nil || !strings.HasPrefix(err.Error(), "xcrypto: ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Vendor = %v, want %q", err, tt.want)
			}
			after, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			if len(after) != len(before) {
				t.Errorf("the folder contains %v, want %v as before", after, before)
			}
		})
	}
}

// link creates a symbolic link. If Windows does not permit it, link skips the test.
func link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		if runtime.GOOS == "windows" {
			t.Skip(err)
		}
		t.Fatal(err)
	}
}

// fork copies x/crypto to the folder fork and makes the current module replace x/crypto
// with it.
func fork(t *testing.T) {
	t.Helper()
	gocommand.Run(t, ".", "mod", "edit", "-dropreplace="+gocommand.Crypto)
	gocommand.CopyTree(t, "fork", gocommand.CryptoFolder(t))
	gocommand.Run(t, ".", "mod", "edit", "-replace="+gocommand.Crypto+"=./fork")
}

// TestIncompatible checks the errors for changes of each declaration in x/crypto that
// the copy depends on.
func TestIncompatible(t *testing.T) {
	gocommand.Need(t)
	gocommand.Small(t)
	source, err := modcopy.Read(gocommand.CryptoFolder(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ file, old, new, want string }{
		{"chacha20/chacha_generic.go", "key     [8]uint32", "key     [32]byte", "no field Cipher.key [8]uint32"},
		{"chacha20/chacha_generic.go", "nonce   [3]uint32", "nonce   [4]uint32", "no field Cipher.nonce"},
		{"chacha20/chacha_generic.go", "counter uint32", "counter uint64", "no field Cipher.counter"},
		{"chacha20/chacha_generic.go", "const blockSize = 64", "const blockSize = 128", "no const blockSize = 64"},
		{"chacha20/chacha_generic.go", "func hChaCha20(out, key, nonce []byte) ([]byte, error)", "func hChaCha20(out, nonce, key []byte) ([]byte, error)", "no func hChaCha20"},
		{"chacha20/chacha_noasm.go", "const bufSize = blockSize", "const bufSize = blockSize\nconst more = 1", "chacha_noasm.go declares"},
		{"chacha20/chacha_noasm.go", "(dst, src []byte)", "(dst, src []byte, n int)", "chacha_noasm.go declares"},
		{"chacha20/chacha_arm64.go", "const bufSize = 256", "const bufSize = 256\n\nfunc init() {}", "chacha_arm64.go declares"},
		{"internal/poly1305/sum_generic.go", "h [3]uint64", "h [5]uint32", "no field macState.h"},
		{"internal/poly1305/sum_asm.go", "func update(state", "func init() {}\nfunc update(state", "sum_asm.go declares"},
		{"chacha20poly1305/chacha20poly1305.go", "key [KeySize]byte", "key [KeySize + 1]byte", "no field chacha20poly1305.key"},
		{"chacha20poly1305/chacha20poly1305_amd64.go", "func setupState(", "func setState(", "chacha20poly1305_amd64.go declares"},
		{"blake2b/blake2b_generic.go", "func hashBlocksGeneric(h *[8]uint64,", "func hashBlocksGeneric(h *[9]uint64,", "no func hashBlocksGeneric"},
		{"blake2b/blake2bAVX2_amd64.go", "func hashBlocksAVX(", "func hashBlocksAVX1(", "blake2bAVX2_amd64.go declares"},
		{"ssh/mac.go", "keySize int", "keySize uint", "no field macMode.keySize int"},
		{"ssh/transport.go", "readCipherPacket(seqnum uint32, r io.Reader)", "readCipherPacket(seqnum uint64, r io.Reader)", "no method packetCipher.readCipherPacket"},
	} {
		if n := strings.Count(string(source[tt.file]), tt.old); n == 0 {
			t.Errorf("%s has no %q", tt.file, tt.old)
			continue
		}
		files := modcopy.Tree{}
		for name, content := range source {
			files[name] = content
		}
		files[tt.file] = []byte(strings.Replace(string(source[tt.file]), tt.old, tt.new, 1))
		_, err := Options{}.apply(modcopy.Source{Files: files})
		if !errors.Is(err, ErrIncompatible) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s with %q: got %v, want %q", tt.file, tt.new, err, tt.want)
		}
	}
	// If go.dev/issue/76294 and 65269 are implemented, packages may only forward to
	// other packages.
	for folder, wrapper := range map[string]string{
		"chacha20poly1305": "import \"crypto/chacha20poly1305\"\n\nconst KeySize = chacha20poly1305.KeySize\n\nvar New = chacha20poly1305.New\n",
		"ssh":              "import \"crypto/ssh\"\n\ntype Config = ssh.Config\n\nvar Dial = ssh.Dial\n",
	} {
		files := modcopy.Tree{}
		for name, content := range source {
			if !strings.HasPrefix(name, folder+"/") {
				files[name] = content
			}
		}
		files[folder+"/wrapper.go"] = []byte("package " + folder + "\n\n" + wrapper)
		_, err := Options{}.apply(modcopy.Source{Files: files})
		if !errors.Is(err, ErrIncompatible) || !strings.Contains(err.Error(), folder+": no field") {
			t.Errorf("%s as a wrapper: got %v, want ErrIncompatible with \"no field\"", folder, err)
		}
	}
	moved := modcopy.Tree{}
	for name, content := range source {
		moved[strings.Replace(name, "chacha20/chacha_generic.go", "chacha20/chacha.go", 1)] = content
	}
	if _, err := (Options{}).apply(modcopy.Source{Files: moved}); !errors.Is(err, ErrIncompatible) || !strings.Contains(err.Error(), `none of ["chacha_generic.go"]`) {
		t.Errorf("hChaCha20 in another file: got %v, want ErrIncompatible with \"none of\"", err)
	}
	for _, folder := range []string{"chacha20", "internal/poly1305", "chacha20poly1305", "salsa20/salsa", "blake2b", "ssh"} {
		files := modcopy.Tree{}
		for name, content := range source {
			if !strings.HasPrefix(name, folder+"/") {
				files[name] = content
			}
		}
		if _, err := (Options{}).apply(modcopy.Source{Files: files}); !errors.Is(err, ErrIncompatible) {
			t.Errorf("without %s: got %v, want ErrIncompatible", folder, err)
		}
	}
}

// TestTooOld checks that the error about an old x/crypto names the oldest supported
// release and the command that upgrades x/crypto.
func TestTooOld(t *testing.T) {
	gocommand.Need(t)
	files, err := gocommand.Sources(gocommand.CryptoFolder(t))
	if err != nil {
		t.Fatal(err)
	}
	before := modcopy.Tree{} // v0.1.0 introduced the package
	for name, content := range files {
		if !strings.HasPrefix(name, "internal/alias/") {
			before[name] = content
		}
	}
	const commit = "v0.0.0-20220525230936-793ad666bf5e"
	for _, tt := range []struct {
		source modcopy.Source
		want   string
	}{
		{modcopy.Source{Files: files, Origin: modcopy.Origin{Version: modcopy.Oldest}}, ""},
		{modcopy.Source{Files: files, Origin: modcopy.Origin{Version: "v0.16.1-0.20231129163542-152cdb1503eb"}}, ""},
		{modcopy.Source{Files: files, Origin: modcopy.Origin{Fork: "example.com/fork v0.0.0-20220525230936-793ad666bf5e"}}, ""},
		{modcopy.Source{Files: files, Origin: modcopy.Origin{Version: commit}}, "version " + commit + " is too old"},
		{modcopy.Source{Files: before, Origin: modcopy.Origin{Fork: "./fork"}}, "no package internal/alias"},
	} {
		_, err := Options{}.apply(tt.source)
		if tt.want == "" {
			if err != nil {
				t.Errorf("%v: %v", tt.source.Origin, err)
			}
			continue
		}
		const upgrade = "; supported releases begin with v0.1.0; if yours is older, run: go get golang.org/x/crypto@latest"
		if !errors.Is(err, ErrIncompatible) || !strings.HasSuffix(err.Error(), tt.want+upgrade) {
			t.Errorf("%v: got %v, want %q", tt.source.Origin, err, tt.want+upgrade)
		}
	}
}

// TestConstrain checks the addition of a constraint to files whose constraints have
// different forms.
func TestConstrain(t *testing.T) {
	for _, tt := range []struct{ before, after string }{
		{"package p\n", "//go:build !(a && b)\n\npackage p\n"},
		{"// Copyright\n\n// Package p does.\npackage p\n", "// Copyright\n\n//go:build !(a && b)\n\n// Package p does.\npackage p\n"},
		{"//go:build go1.7 && amd64\n\npackage p\n", "//go:build go1.7 && amd64 && !(a && b)\n\npackage p\n"},
		{"//go:build x || y\n// +build x y\n// +build !z\n\npackage p\n", "//go:build (x || y) && !(a && b)\n\npackage p\n"},
		{"//go:build ignore\n\npackage p\n", "//go:build ignore && !(a && b)\n\npackage p\n"},
	} {
		got, err := constrain([]byte(tt.before), "!(a && b)")
		if err != nil || string(got) != tt.after {
			t.Errorf("constrain(%q) = %q, %v, want %q", tt.before, got, err, tt.after)
		}
	}
	if got, err := constrain([]byte("// no code\n"), "a"); err == nil {
		t.Errorf("constrain of a file without code = %q, want an error", got)
	}
}

// TestMode checks that Vendor keeps the permissions of an empty folder.
func TestMode(t *testing.T) {
	gocommand.Need(t)
	gocommand.Small(t)
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no permission bits")
	}
	gocommand.NewModule(t, gocommand.Requirements(t)...)
	for _, mode := range []os.FileMode{0o700, 0o750} {
		dir := filepath.Join(t.TempDir(), "copy")
		if err := os.Mkdir(dir, mode); err != nil {
			t.Fatal(err)
		}
		if err := Vendor(dir); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != mode {
			t.Errorf("mode %v, %v, want %v", info.Mode(), err, mode)
		}
	}
}

// TestAgain checks that Vendor writes the same copy again for a module that uses a copy
// or whose copy was removed, and that it copies a fork that the module uses later.
func TestAgain(t *testing.T) {
	gocommand.Need(t)
	gocommand.Small(t)
	first := vendored(t, Options{}, gocommand.Requirements(t)...)
	if err := Vendor("second"); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(first); err != nil {
		t.Fatal(err)
	}
	if err := Vendor(first); err != nil {
		t.Fatal(err)
	}
	a, err := modcopy.Read("second")
	if err != nil {
		t.Fatal(err)
	}
	b, err := modcopy.Read(first)
	if err != nil {
		t.Fatal(err)
	}
	if err := compare(a, b); err != nil {
		t.Error(err)
	}
	fork(t)
	if err := os.WriteFile("fork/ssh/more.go", []byte("package ssh\n\nconst fork = true\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Vendor("third"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("third/ssh/more.go"); err != nil {
		t.Error(err)
	}
}

// TestFork checks that the copy of a fork contains the fork's patch however it is made,
// and which error Check returns if the copy, the fork or go.mod has changed.
func TestFork(t *testing.T) {
	gocommand.Need(t)
	gocommand.Small(t)
	gocommand.NewModule(t, gocommand.Requirements(t)...)
	fork(t)
	patch := func(content string) {
		t.Helper()
		if err := os.WriteFile("fork/ssh/patch.go", []byte("package ssh\n\n// "+content+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	patched := func(dir string) {
		t.Helper()
		if _, err := os.Stat(filepath.Join(dir, "ssh", "patch.go")); err != nil {
			t.Error(err)
		}
	}
	check := func(want string) {
		t.Helper()
		if err := Check("copy"); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("Check = %v, want %q", err, want)
		}
	}
	patch("a fix")
	// In a Git worktree, .git is a file.
	if err := os.WriteFile("fork/.git", []byte("gitdir: elsewhere\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Vendor("copy"); err != nil {
		t.Fatal(err)
	}
	patched("copy")
	if _, err := os.Stat("copy/.git"); err == nil {
		t.Error("the copy contains the fork's .git file")
	}
	check("does not use the copy")
	gocommand.Run(t, ".", "mod", "edit", "-replace="+gocommand.Crypto+"=./copy")
	check("")
	if err := Vendor("second"); err != nil {
		t.Fatal(err)
	}
	patched("second")
	patch("another fix")
	check("ssh/patch.go differs")
	if err := os.RemoveAll("copy"); err != nil {
		t.Fatal(err)
	}
	if err := Vendor("copy"); err != nil {
		t.Fatal(err)
	}
	patched("copy")
	check("")
	gocommand.Run(t, ".", "mod", "edit", "-dropreplace="+gocommand.Crypto)
	check("does not use the copy")
	gocommand.Run(t, ".", "mod", "edit", "-replace="+gocommand.Crypto+"=./copy")
	if err := os.Rename("fork", "moved"); err != nil {
		t.Fatal(err)
	}
	check("the copy was made from ./fork")
	if err := Vendor("third"); err == nil || !strings.Contains(err.Error(), "the copy was made from ./fork") {
		t.Errorf("Vendor for a missing fork: got %v, want an error that names the fork", err)
	}
}

// TestUnfinished checks that Vendor removes the folder that an interrupted call for the
// same copy left behind, and no others.
func TestUnfinished(t *testing.T) {
	gocommand.Need(t)
	gocommand.Small(t)
	gocommand.NewModule(t, gocommand.Requirements(t)...)
	for _, name := range []string{".copy.unimac-unfinished-17/ssh", ".copy-17", ".other.unimac-unfinished-17"} {
		if err := os.MkdirAll(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := Vendor("copy"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{".copy.unimac-unfinished-17": false, ".copy-17": true, ".other.unimac-unfinished-17": true} {
		if _, err := os.Stat(name); (err == nil) != want {
			t.Errorf("%s: exists = %t, want %t", name, err == nil, want)
		}
	}
}
