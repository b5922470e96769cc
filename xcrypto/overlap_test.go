// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package xcrypto

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/gocommand"
)

// overlapTest is the test that TestNonceOverlap adds to package chacha20poly1305 in a
// copy.
const overlapTest = `package chacha20poly1305

import (
	"bytes"
	"testing"
)

func TestNonceOverlap(t *testing.T) {
	key := bytes.Repeat([]byte{7}, KeySize)
	for _, n := range []int{1, 40, 64, 300, 5000, 70000, 200000} {
		for at := 0; at < n+Overhead && at < 80; at++ {
			for _, size := range []int{NonceSize, NonceSizeX} {
				a, err := New(key)
				if size == NonceSizeX {
					a, err = NewX(key)
				}
				if err != nil {
					t.Fatal(err)
				}
				nonce, text := bytes.Repeat([]byte{9}, size), bytes.Repeat([]byte{3}, n)
				sealed := a.Seal(nil, nonce, text, nil)
				memory := make([]byte, len(sealed)+size)
				within := memory[at:][:size]
				copy(within, nonce)
				if got := a.Seal(memory[:0], within, text, nil); !bytes.Equal(got, sealed) {
					t.Fatalf("Seal of %d bytes over a %d-byte nonce at offset %d: wrong result", n, size, at)
				}
				copy(within, nonce)
				if got, err := a.Open(memory[:0], within, sealed, nil); err != nil || !bytes.Equal(got, text) {
					t.Fatalf("Open of %d bytes over a %d-byte nonce at offset %d: wrong result, %v", n, size, at, err)
				}
			}
		}
	}
}
`

// TestNonceOverlap checks that an output may overlap its own nonce in a copy, at each
// kernel level.
func TestNonceOverlap(t *testing.T) {
	gocommand.Need(t)
	dir := filepath.Join(vendored(t, Options{}, gocommand.Requirements(t)...), "chacha20poly1305")
	if err := os.WriteFile(filepath.Join(dir, "overlap_test.go"), []byte(overlapTest), 0o644); err != nil {
		t.Fatal(err)
	}
	levels := []string{""}
	if runtime.GOARCH == "amd64" {
		levels = append(levels, "cpu.avx512ifma=off", "cpu.avx512f=off", "cpu.avx2=off", "cpu.all=off")
	}
	for _, tags := range []string{"", "purego"} {
		program := filepath.Join(t.TempDir(), "overlap.test"+strings.TrimSpace(gocommand.Run(t, ".", "env", "GOEXE")))
		gocommand.Run(t, filepath.Dir(filepath.Dir(dir)), "test", "-c", "-ldflags=-w", "-tags="+tags, "-o", program, gocommand.Crypto+"/chacha20poly1305")
		for _, level := range levels {
			t.Run("tags="+tags+",GODEBUG="+level, func(t *testing.T) {
				command := append(mactest.Emulator(t), program, "-test.run=^TestNonceOverlap$")
				gocommand.Program(t, dir, []string{"GODEBUG=" + level}, command[0], command[1:]...)
			})
			if tags != "" {
				break
			}
		}
	}
}
