// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package crate runs the Rust crate multimixer-128, in a process beside this one
// that is compiled for this machine where there is cargo. Where that does not
// work, nothing but this peer is missing.
package crate

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// Version is that of the crate.
const Version = "0.1.4"

// ErrBuild says that the peer cannot be built here.
var ErrBuild = errors.New("crate: cannot be built")

//go:embed Cargo.toml Cargo.lock src/main.rs
var source embed.FS

// program is what build returns, which is called once.
var program = sync.OnceValues(build)

// build builds the program, unless an earlier run did, and returns its path.
func build() (string, error) {
	cargo, err := exec.LookPath("cargo")
	if err != nil {
		return "", fmt.Errorf("%w: cargo is not installed", ErrBuild)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	err = eachFile(func(path string, content []byte) error {
		sum.Write(content)
		return nil
	})
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "unimac-bench", fmt.Sprintf("crate-%x", sum.Sum(nil)[:8]))
	err = eachFile(func(path string, content []byte) error {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
			return nil // and cargo sees that nothing changed
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		return os.WriteFile(path, content, 0o666)
	})
	if err != nil {
		return "", err
	}
	cmd := exec.Command(cargo, "build", "--release", "--locked", "--quiet")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "RUSTFLAGS=-C target-cpu=native", "CARGO_TARGET_DIR="+filepath.Join(dir, "target"))
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: cargo build: %w: %s", ErrBuild, err, bytes.TrimSpace(out))
	}
	return filepath.Join(dir, "target", "release", "loops"), nil
}

// eachFile calls f for every file of the source.
func eachFile(f func(path string, content []byte) error) error {
	return fs.WalkDir(source, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := source.ReadFile(path)
		if err != nil {
			return err
		}
		return f(path, content)
	})
}

// Digest starts a process that computes the digest of msg under key, which have
// one length. The loop measures itself; stop ends the process.
func Digest(digest, key, msg []byte) (loop func(n int) time.Duration, stop func(), err error) {
	path, err := program()
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(path)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	stop = func() {
		in.Close()
		cmd.Wait()
	}
	load := binary.LittleEndian.AppendUint64([]byte{'L'}, uint64(len(msg)))
	for _, p := range [][]byte{load, key, msg} {
		if _, err := in.Write(p); err != nil {
			stop()
			return nil, nil, fmt.Errorf("crate: %w", err)
		}
	}
	return func(n int) time.Duration {
		if _, err := in.Write(binary.LittleEndian.AppendUint64([]byte{'R'}, uint64(n))); err != nil {
			panic(fmt.Sprintf("crate: %v", err))
		}
		answer := make([]byte, 8+len(digest))
		if _, err := io.ReadFull(out, answer); err != nil {
			panic(fmt.Sprintf("crate: %v", err))
		}
		copy(digest, answer[8:])
		return time.Duration(binary.LittleEndian.Uint64(answer))
	}, stop, nil
}
