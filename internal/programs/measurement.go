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

	"github.com/unimac/unimac/internal/speed"
)

// A measurement is a program in two builds.
type measurement struct {
	program
	dir    string
	unimac string // the command
	rows   []speed.Program
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
		args := []string{"build", "-mod=mod", "-trimpath", "-tags=" + m.tags, "-o", programs[i], pkg}
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
	args := []string{"test", "-mod=mod", "-short", "-tags=" + m.tags, "-skip=" + m.skip, "-timeout=30m"}
	out, err := output(m.source(vendored), "go", append(args, m.test...)...)
	os.Stdout.Write(out)
	return err
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
	m.add(what, took)
	return nil
}

// benchmark lets a benchmark of two test programs take turns and adds a row with the median
// seconds of an operation.
func (m *measurement) benchmark(what string, tests [2]string, folder, name string) error {
	var took [2][]float64
	for range *rounds {
		for i, build := range builds {
			out, err := output(filepath.Join(m.source(build), folder), tests[i], "-test.run=-", "-test.bench=^Benchmark"+name+"$", "-test.benchtime=1s")
			if err != nil {
				return err
			}
			found := regexp.MustCompile(`([0-9.]+) ns/op`).FindSubmatch(out)
			if found == nil {
				return fmt.Errorf("no result in %s", out)
			}
			ns, err := strconv.ParseFloat(string(found[1]), 64)
			if err != nil {
				return err
			}
			took[i] = append(took[i], ns/1e9)
		}
	}
	m.add(what, took)
	return nil
}

// add adds a row with the medians of seconds, and their spread.
func (m *measurement) add(what string, took [2][]float64) {
	seconds := func(values []float64) speed.Seconds {
		return speed.Seconds{Median: median(values), Least: slices.Min(values), Most: slices.Max(values)}
	}
	m.rows = append(m.rows, speed.Program{Name: m.name, What: what, Processor: speed.Processor(), Plain: seconds(took[0]), Vendored: seconds(took[1])})
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
