// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package repository

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest/gocommand"
)

// linked is a program that uses every package whose users often build small programs.
const linked = `package main

import (
	"crypto/cipher"
	"hash"
	"os"

	"github.com/unimac/unimac/aead"
	"github.com/unimac/unimac/aegis"
	"github.com/unimac/unimac/blake2b"
	"github.com/unimac/unimac/chacha20"
	"github.com/unimac/unimac/chacha20poly1305"
	"github.com/unimac/unimac/multimac"
	"github.com/unimac/unimac/multimixer"
	"github.com/unimac/unimac/poly1305"
	"github.com/unimac/unimac/sshpatch/sshmac"
	"github.com/unimac/unimac/umac"
)

func main() {
	key := make([]byte, 64)
	for _, create := range []func() (cipher.AEAD, error){
		func() (cipher.AEAD, error) { return aead.New(key[:32]) },
		func() (cipher.AEAD, error) { return aead.NewXWithRandomNonce(key[:32]) },
		func() (cipher.AEAD, error) { return aead.NewSIV(key[:32]) },
		func() (cipher.AEAD, error) { return aegis.New(aegis.AEGIS128L, key[:16]) },
		func() (cipher.AEAD, error) { return aegis.NewWithRandomNonce(aegis.AEGIS256, key[:32]) },
		func() (cipher.AEAD, error) { return chacha20poly1305.New(key[:32]) },
		func() (cipher.AEAD, error) { return chacha20poly1305.NewX(key[:32]) },
		func() (cipher.AEAD, error) { return chacha20poly1305.NewSIV(key[:32]) },
		func() (cipher.AEAD, error) { return chacha20poly1305.NewXWithRandomNonce(key[:32]) },
	} {
		a, err := create()
		use(err)
		_, err = a.Open(nil, key[:a.NonceSize()], a.Seal(nil, key[:a.NonceSize()], key, nil), nil)
		use(err)
	}
	for _, create := range []func() (hash.Hash, error){
		func() (hash.Hash, error) { return aegis.NewMAC(aegis.AEGIS128X2, key[:16], nil, 16) },
		func() (hash.Hash, error) { return blake2b.New(32, key) },
		func() (hash.Hash, error) { return poly1305.New((*[32]byte)(key)), nil },
		func() (hash.Hash, error) { return sshmac.New(sshmac.UMAC128ETM, key[:16]) },
		func() (hash.Hash, error) { return umac.New64(key[:16], key[:8]) },
	} {
		h, err := create()
		use(err)
		h.Write(key)
		os.Stdout.Write(h.Sum(nil))
	}
	c, err := chacha20.NewUnauthenticatedCipher(key[:32], key[:12])
	use(err)
	c.XORKeyStream(key, key)
	x, err := blake2b.NewXOF(100, key)
	use(err)
	x.Read(key)
	_, err = blake2b.SumBatch(nil, 32, nil, key, key)
	use(err)
	u, err := umac.NewKey(key[:16], 16)
	use(err)
	println(u.VerifyBatch([][]byte{u.Sum(nil, key[:8], key)}, [][]byte{key[:8]}, [][]byte{key}))
	m, err := multimac.NewKey(key[:32], key[32:])
	use(err)
	println(m.VerifyBatch([][]byte{key[:32]}, [][]byte{key}))
	x2, err := multimixer.NewKey(key[:32], 16)
	use(err)
	println(x2.Verify(key[:16], key))
}

func use(err error) {
	if err != nil {
		println(err.Error())
	}
}
`

// TestPackagesDoNotLinkFmt checks that a program that uses the packages does not link
// fmt's formatting functions, which would double the code that a package adds to a
// small program. The packages import fmt only for the interface [fmt.State].
func TestPackagesDoNotLinkFmt(t *testing.T) {
	gocommand.Need(t)
	readSources(t)
	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	if err := os.WriteFile(source, []byte(linked), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-ldflags=-s -w -dumpdep", "-o", filepath.Join(dir, "main.exe"), source)
	build.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	references, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, references)
	}
	var callers []string
	formats, knows := false, false
	for line := range strings.Lines(string(references)) {
		from, to, _ := strings.Cut(strings.TrimSpace(line), " -> ")
		knows = knows || strings.HasPrefix(from, "github.com/unimac/unimac/blake2b.")
		formats = formats || strings.HasPrefix(to, "fmt.(*pp).printArg")
		if strings.HasPrefix(from, "github.com/unimac/") && strings.HasPrefix(to, "fmt.") {
			callers = append(callers, from+" -> "+to)
		}
	}
	if formats {
		t.Errorf("the program links the formatting functions of fmt:\n%s", strings.Join(callers, "\n"))
	}
	if !knows {
		t.Errorf("the linker's output does not mention package blake2b:\n%.2000s", references)
	}
}

// readSources reads the module's Go files, so that go test does not reuse a cached
// result after a file changes. Their names are absolute because go test does not know
// that TestMain changed the working directory.
func readSources(t *testing.T) {
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(root, func(name string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(name) == ".go" {
			_, err = os.ReadFile(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
