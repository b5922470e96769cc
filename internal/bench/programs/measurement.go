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
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/unimac/unimac/internal/bench/record"
	"github.com/unimac/unimac/internal/cpu"
)

// A measurement is a program in two builds.
type measurement struct {
	program
	dir    string
	unimac string // the command
	avx2   bool   // in turns without AVX-512
	rows   []record.Program
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
	args := slices.Concat([]string{"vendor"}, m.vendorFlags, []string{"./unimac-xcrypto"})
	if err := command(dir, nil, m.unimac, args...); err != nil {
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
		args := []string{"build", "-mod=mod", "-trimpath", "-o", programs[i], pkg}
		if err := command(m.source(build), nil, "go", args...); err != nil {
			return programs, err
		}
	}
	return programs, nil
}

// buildTests builds the tests of a package in both ways and returns the two programs.
func (m *measurement) buildTests(pkg string) (tests [2]string, err error) {
	for i, build := range builds {
		tests[i] = filepath.Join(m.dir, build+".test")
		if err := command(m.source(build), nil, "go", "test", "-mod=mod", "-c", "-o", tests[i], pkg); err != nil {
			return tests, err
		}
	}
	return tests, nil
}

// runTests runs the program's own tests with the copy, and shows what they say.
func (m *measurement) runTests() error {
	if len(m.test) == 0 {
		return nil
	}
	args := []string{"test", "-mod=mod", "-short", "-skip=" + m.skip, "-timeout=30m"}
	out, err := output(m.source(vendored), "go", append(args, m.test...)...)
	os.Stdout.Write(out)
	return err
}

// compare lets the two builds take turns at some work and adds a row with their median seconds.
func (m *measurement) compare(what string, work func(build int) error) error {
	timed := func(build int) (float64, error) {
		start := time.Now()
		err := work(build)
		return time.Since(start).Seconds(), err
	}
	for build := range builds { // fills caches
		if err := work(build); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	return m.turns(what, *rounds, timed)
}

// benchmark is compare for a benchmark of two test programs.
func (m *measurement) benchmark(what string, tests [2]string, folder, name string) error {
	return m.turns(what, *rounds, func(build int) (float64, error) {
		out, err := output(filepath.Join(m.source(builds[build]), folder), tests[build], "-test.run=-", "-test.bench=^Benchmark"+name+"$", "-test.benchtime=1s")
		if err != nil {
			return 0, err
		}
		found := regexp.MustCompile(`([0-9.]+) ns/op`).FindSubmatch(out)
		if found == nil {
			return 0, fmt.Errorf("no result in %s", out)
		}
		ns, err := strconv.ParseFloat(string(found[1]), 64)
		return ns / 1e9, err
	})
}

// turns lets the two builds take turns at work that returns its seconds. Where there is AVX-512,
// the build with the copy takes a third turn without it.
func (m *measurement) turns(what string, rounds int, work func(build int) (float64, error)) error {
	turns := []struct {
		build int
		debug string
	}{{0, ""}, {1, ""}}
	if cpu.AVX512.Available() {
		turns = append(turns, turns[1])
		turns[2].debug = "cpu.avx512f=off"
	}
	took := make([][]float64, 3)
	defer func(debug string) {
		os.Setenv("GODEBUG", debug)
		m.avx2 = false
	}(os.Getenv("GODEBUG"))
	for range rounds {
		for i, turn := range turns {
			os.Setenv("GODEBUG", turn.debug) // for all processes that work starts
			m.avx2 = turn.debug != ""
			seconds, err := work(turn.build)
			if err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
			took[i] = append(took[i], seconds)
		}
	}
	date, commit := record.Now()
	m.rows = append(m.rows, record.Program{Name: m.name, What: what, Date: date, Commit: commit,
		Plain: summary(took[0]), Vendored: summary(took[1]), AVX2: summary(took[2])})
	return nil
}

func summary(seconds []float64) (s record.Seconds) {
	if len(seconds) > 0 {
		s = record.Seconds{Median: median(seconds), Least: slices.Min(seconds), Most: slices.Max(seconds)}
	}
	return s
}

// megabytes says how much is moved.
func megabytes(what string, size int64) string {
	return fmt.Sprintf("%s %.0f MB", what, float64(size)/1e6)
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
