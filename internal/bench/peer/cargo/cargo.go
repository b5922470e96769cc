// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package cargo builds the programs that run crates of Rust, compiled for this machine
// where there is cargo, and talks to them. Where that does not work, nothing but the peer
// is missing.
package cargo

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// ErrBuild says that a program cannot be built here.
var ErrBuild = errors.New("cargo: cannot be built")

// Build builds a program named loops from its source, unless an earlier run did, and
// returns its path.
func Build(source fs.FS) (string, error) {
	cargo, err := exec.LookPath("cargo")
	if err != nil {
		return "", fmt.Errorf("%w: cargo is not installed", ErrBuild)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	err = eachFile(source, func(path string, content []byte) error {
		sum.Write(content)
		return nil
	})
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "unimac-bench", fmt.Sprintf("crate-%x", sum.Sum(nil)[:8]))
	err = eachFile(source, func(path string, content []byte) error {
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
func eachFile(source fs.FS, f func(path string, content []byte) error) error {
	return fs.WalkDir(source, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(source, path)
		if err != nil {
			return err
		}
		return f(path, content)
	})
}

// Run starts a program with its arguments, and sends it what it works on. The loop has it
// work so many times, sets answer to what the last of them gave, and returns the time that
// the program measured; stop ends the process. The program gets an R and a number for each
// call, of 8 bytes, little-endian, and answers with nanoseconds and the answer.
func Run(answer []byte, load [][]byte, program string, args ...string) (loop func(n int) time.Duration, stop func(), err error) {
	cmd := exec.Command(program, args...)
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
	for _, p := range load {
		if _, err := in.Write(p); err != nil {
			stop()
			return nil, nil, fmt.Errorf("cargo: %w", err)
		}
	}
	return func(n int) time.Duration {
		if _, err := in.Write(binary.LittleEndian.AppendUint64([]byte{'R'}, uint64(n))); err != nil {
			panic(fmt.Sprintf("cargo: %v", err))
		}
		reply := make([]byte, 8+len(answer))
		if _, err := io.ReadFull(out, reply); err != nil {
			panic(fmt.Sprintf("cargo: %v", err))
		}
		copy(answer, reply[8:])
		return time.Duration(binary.LittleEndian.Uint64(reply))
	}, stop, nil
}
