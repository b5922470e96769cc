// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package rust runs Rust crates in a program that it compiles with cargo. If the
// program cannot be built, only these peers are absent.
package rust

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/unimac/unimac/internal/bench/peer/process"
)

//go:embed Cargo.toml Cargo.lock src/main.rs
var source embed.FS

var program = sync.OnceValues(build)

// build builds the program in the user's cache directory, unless an earlier run did,
// and returns its path.
func build() (string, error) {
	cargo, err := exec.LookPath("cargo")
	if err != nil {
		return "", fmt.Errorf("%w: rust: cargo is not installed", process.ErrAbsent)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "unimac-bench", "rust")
	if err := os.MkdirAll(filepath.Join(dir, "src"), 0o777); err != nil {
		return "", err
	}
	for _, name := range []string{"Cargo.toml", "Cargo.lock", "src/main.rs"} {
		content, err := source.ReadFile(name)
		path := filepath.Join(dir, filepath.FromSlash(name))
		if old, _ := os.ReadFile(path); err == nil && !bytes.Equal(old, content) { // else cargo sees that nothing changed
			err = os.WriteFile(path, content, 0o666)
		}
		if err != nil {
			return "", err
		}
	}
	cmd := exec.Command(cargo, "build", "--release", "--locked", "--quiet")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "RUSTFLAGS=-C target-cpu=native", "CARGO_TARGET_DIR="+filepath.Join(dir, "target"))
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: rust: cargo build: %w: %s", process.ErrAbsent, err, bytes.TrimSpace(out))
	}
	return filepath.Join(dir, "target", "release", "loops"), nil
}

// Versions names the crates and the C compiler of libaegis, which is clang or, if clang
// is not installed, cc.
func Versions() string {
	compiler := "unknown"
	for _, name := range []string{"clang", "cc"} {
		if out, err := exec.Command(name, "--version").Output(); err == nil {
			compiler, _, _ = strings.Cut(string(out), "\n")
			break
		}
	}
	return "aws-lc-rs 1.19.0, ring 0.17.14, multimixer-128 0.1.4, libaegis of aegis 0.9.20 by " + compiler
}

// Run starts a process in which a crate processes a text in chunks of the given size.
// "aws-lc-rs" and "ring" seal with ChaCha20-Poly1305. "multimixer-128" computes a
// digest. "128l" to "256x4" are libaegis's variants, which seal, open or compute a MAC,
// with 16-byte tags. The answer is the last chunk's result. loop and stop are those of
// [process.Run].
func Run(answer []byte, crate, work string, chunk int, key, nonce, text []byte) (loop func(n int) time.Duration, stop func(), err error) {
	path, err := program()
	if err != nil {
		return nil, nil, err
	}
	return process.Run(answer, [][]byte{key, nonce, text}, path, crate, work, strconv.Itoa(chunk))
}
