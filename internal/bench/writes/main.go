// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Writes prints Poly1305's speed in a copy of x/crypto as a multiple of its speed in
// x/crypto, for Writes of each size from 1 to 1024 bytes. BenchmarkRatioWrite of
// package poly1305 reports the same ratios for that package.
//
//	go -C internal/bench run ./writes
//	GODEBUG=cpu.avx512f=off go -C internal/bench run ./writes
//
// The copy is renamed, so that one process can run x/crypto and the copy in turn.
package main

import (
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/unimac/unimac/xcrypto"
)

//go:embed measure.go.txt
var program []byte

const (
	upstream = "golang.org/x/crypto"
	renamed  = "example.com/copy"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "writes:", err)
		os.Exit(1)
	}
}

func run() error {
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		return fmt.Errorf("%w: run it in internal/bench", err)
	}
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", upstream).Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	dir, err := os.MkdirTemp("", "writes")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chdir(dir); err != nil {
		return err
	}
	module := "module writes\n\ngo 1.26\n\nrequire " + upstream + " " + string(version)
	for name, content := range map[string][]byte{"go.mod": []byte(module), "go.sum": sums, "main.go": program} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			return err
		}
	}
	if err := xcrypto.Vendor("copy"); err != nil {
		return err
	}
	if err := rename("copy"); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"mod", "edit", "-require=" + renamed + "@v0.0.0", "-replace=" + renamed + "=./copy"},
		{"mod", "tidy"},
		{"run", "."},
	} {
		cmd := exec.Command("go", args...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
		}
	}
	return nil
}

func rename(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" && entry.Name() != "go.mod" {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, []byte(strings.ReplaceAll(string(content), upstream, renamed)), 0o600)
	})
}
