// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A measurement is a program in two builds.
type measurement struct {
	program
	dir    string
	unimac string // the command
	rows   []row
}

// The two builds, and the folders of their sources.
const (
	plain    = "plain"
	vendored = "vendored"
)

var builds = [2]string{plain, vendored}

// source is the folder of a build's source.
func (m *measurement) source(build string) string { return filepath.Join(m.dir, build) }

// prepare copies the program's module twice and gives the second a copy of x/crypto.
func (m *measurement) prepare() error {
	if err := os.MkdirAll(m.dir, 0o700); err != nil {
		return err
	}
	if m.module == "" {
		return nil
	}
	out, err := output(m.dir, "go", "mod", "download", "-json", m.module)
	if err != nil {
		return err
	}
	var downloaded struct{ Dir string }
	if err := json.Unmarshal(out, &downloaded); err != nil {
		return err
	}
	for _, build := range builds {
		if err := os.CopyFS(m.source(build), os.DirFS(downloaded.Dir)); err != nil {
			return err
		}
		if err := command(m.dir, nil, "chmod", "-R", "u+w", m.source(build)); err != nil {
			return err
		}
		// Sums of what only tests of dependencies need may be missing.
		if err := command(m.source(build), nil, "go", "mod", "download"); err != nil {
			return err
		}
	}
	return m.vendor(m.source(vendored))
}

// vendor lets a module use a copy of x/crypto.
func (m *measurement) vendor(dir string) error {
	args := []string{"vendor"}
	for _, f := range m.flags {
		if sized, ok := strings.CutPrefix(f, "-vendor="); ok {
			args = append(args, sized)
		}
	}
	if err := command(dir, nil, m.unimac, append(args, "./unimac-xcrypto")...); err != nil {
		return err
	}
	if err := command(dir, nil, "go", "mod", "edit", "-replace=golang.org/x/crypto=./unimac-xcrypto"); err != nil {
		return err
	}
	return command(dir, nil, m.unimac, "vendor", "-check", "./unimac-xcrypto")
}

// buildAll builds a package of the program in both ways and returns the two programs.
func (m *measurement) buildAll(pkg string) (programs [2]string, err error) {
	for i, build := range builds {
		programs[i] = filepath.Join(m.dir, build+"-"+filepath.Base(pkg))
		if err := command(m.source(build), nil, "go", "build", "-mod=mod", "-trimpath", "-o", programs[i], pkg); err != nil {
			return programs, err
		}
	}
	return programs, nil
}

// runTests runs the program's own tests with the copy.
func (m *measurement) runTests() error {
	if len(m.test) == 0 {
		return nil
	}
	return command(m.source(vendored), nil, "go", append([]string{"test", "-mod=mod", "-short"}, m.test...)...)
}

// compare lets two functions take turns and adds a row with their median seconds.
func (m *measurement) compare(what string, work func(build int) error) error {
	var took [2][]float64
	for round := range *rounds + 1 {
		for build := range builds {
			start := time.Now()
			if err := work(build); err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
			if round > 0 { // the first fills caches
				took[build] = append(took[build], time.Since(start).Seconds())
			}
		}
	}
	m.add(what, median(took[0]), median(took[1]), "s")
	return nil
}

func (m *measurement) add(what string, plain, vendored float64, unit string) {
	m.rows = append(m.rows, row{m.name + ": " + what, plain, vendored, unit})
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// command runs a program and makes an error of what it says.
func command(dir string, stdin []byte, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Stdin = bytes.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return nil
}

// output runs a program and returns its standard output.
func output(dir, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%s %s: %w\n%s%s", filepath.Base(name), strings.Join(args, " "), err, out, exit.Stderr)
	}
	return out, err
}

// makeFile makes a file that does not compress.
func makeFile(name string, size int64) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	block := make([]byte, 1<<20)
	x := uint64(1)
	for left := size; left > 0; left -= int64(len(block)) {
		for i := range block {
			x = x*6364136223846793005 + 1442695040888963407
			block[i] = byte(x >> 56)
		}
		if _, err := f.Write(block[:min(left, int64(len(block)))]); err != nil {
			return err
		}
	}
	return f.Close()
}
