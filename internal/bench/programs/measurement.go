// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/unimac/unimac/internal/bench/record"
	"github.com/unimac/unimac/internal/cpu"
)

// A measurement builds a program twice, and measures or tests it.
type measurement struct {
	program
	dir     string
	unimac  string // path of the command
	xCrypto string // version of x/crypto that is copied
	rows    []record.Program
	results []record.Tested
}

// builds names the two builds, as released and with a copy of x/crypto, and the
// directories of their sources.
var builds = [2]string{"plain", "vendored"}

func (m *measurement) source(build int) string { return filepath.Join(m.dir, builds[build]) }

func (m *measurement) run() error {
	start := time.Now()
	if err := m.prepare(); err != nil {
		return err
	}
	log.Printf("%s: prepared in %d s", m.name, int(time.Since(start).Seconds()))
	if *test {
		return m.runTests()
	}
	for build := range builds {
		if err := m.compile(build); err != nil {
			return err
		}
	}
	if *build {
		return nil
	}
	if m.part > 0 {
		if err := makeFile(filepath.Join(m.dir, "file"), *size/m.part); err != nil {
			return err
		}
	}
	if _, err := m.shell(0, m.setup); err != nil {
		return err
	}
	var err error
	for _, w := range m.works {
		if err = m.measure(w); err != nil {
			err = fmt.Errorf("%s: %w", w.what, err)
			break
		}
	}
	_, cleanup := m.shell(0, m.cleanup) // ends processes that the setup started
	return cmp.Or(err, cleanup)
}

// prepare copies the program's module twice and gives the second build a copy of
// x/crypto.
func (m *measurement) prepare() error {
	for build := range builds {
		if build == 0 && *test && m.unreliable == "" {
			continue // other tests run only with the copy
		}
		if err := m.prepareBuild(m.source(build)); err != nil {
			return err
		}
	}
	dir := m.source(1)
	if _, err := output(dir, nil, m.unimac, slices.Concat([]string{"vendor"}, m.vendorFlags, []string{"./unimac-xcrypto"})...); err != nil {
		return err
	}
	if _, err := output(dir, nil, "go", "mod", "edit", "-replace=golang.org/x/crypto=./unimac-xcrypto"); err != nil {
		return err
	}
	_, err := output(dir, nil, m.unimac, "vendor", "-check", "./unimac-xcrypto")
	return err
}

func (m *measurement) prepareBuild(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if m.module != "" {
		if err := m.copyModule(dir); err != nil {
			return err
		}
	}
	for name, content := range m.files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			return err
		}
	}
	return m.requireXCrypto(dir)
}

// requireXCrypto sets m.xCrypto to the version of x/crypto that the module in dir
// requires. If the module requires none, or a version that is too old to be copied, it
// changes the requirement to unimac's.
func (m *measurement) requireXCrypto(dir string) error {
	const format = "{{.Version}}"
	version := ""
	if m.module != "" {
		out, err := output(dir, nil, "go", "list", "-mod=mod", "-m", "-f", format, "golang.org/x/crypto")
		if err != nil {
			return err
		}
		version = strings.TrimSpace(out)
	}
	m.xCrypto = version
	if version != "" && !strings.HasPrefix(version, "v0.0.0-") {
		return nil
	}
	out, err := output(root, nil, "go", "list", "-m", "-f", format, "golang.org/x/crypto")
	if err != nil {
		return err
	}
	m.xCrypto = strings.TrimSpace(out)
	_, err = output(dir, nil, "go", "get", "golang.org/x/crypto/chacha20poly1305@"+m.xCrypto)
	return err
}

func (m *measurement) copyModule(dir string) error {
	out, err := output(m.dir, nil, "go", "mod", "download", "-json", m.module)
	if err != nil {
		return err
	}
	var downloaded struct{ Dir string }
	if err := json.Unmarshal([]byte(out), &downloaded); err != nil {
		return err
	}
	if err := os.CopyFS(dir, os.DirFS(downloaded.Dir)); err != nil {
		return err
	}
	if _, err := output(m.dir, nil, "chmod", "-R", "u+w", dir); err != nil {
		return err
	}
	// The module's go.sum may lack modules that only tests of dependencies need.
	_, err = output(dir, nil, "go", "mod", "download")
	return err
}

func (m *measurement) compile(build int) error {
	for _, pkg := range m.packages {
		name := filepath.Base(pkg)
		if pkg == "." {
			name = m.name
		}
		if _, err := output(m.source(build), nil, "go", "build", "-mod=mod", "-trimpath", "-o", m.source(build)+"-"+name, pkg); err != nil {
			return err
		}
	}
	if m.tests == "" {
		return nil
	}
	_, err := output(m.source(build), nil, "go", "test", "-mod=mod", "-c", "-o", m.source(build)+".test", m.tests)
	return err
}

// measure runs the builds in turn and adds a row with their durations. On processors
// with AVX-512, the build with the copy also runs with AVX-512 disabled. The first
// round, which fills caches, is not counted.
func (m *measurement) measure(w work) error {
	runs := []struct {
		build int
		debug []string
	}{{0, nil}, {1, nil}}
	if cpu.AVX512.Available() {
		runs = append(runs, runs[1])
		runs[2].debug = []string{"GODEBUG=cpu.avx512f=off"}
	}
	took := make([][]float64, 3)
	for round := -1; round < *rounds; round++ {
		for i, run := range runs {
			seconds, err := m.timeOnce(w, run.build, run.debug)
			if err != nil {
				return err
			}
			if round >= 0 {
				took[i] = append(took[i], seconds)
			}
		}
	}
	date, commit := record.Now()
	what := strings.ReplaceAll(w.what, "SIZE", fmt.Sprintf("%.0f MB", float64(*size/max(1, m.part))/1e6))
	m.rows = append(m.rows, record.Program{Name: m.name, What: what, Date: date, Commit: commit,
		Plain: summary(took[0]), Vendored: summary(took[1]), AVX2: summary(took[2])})
	return nil
}

func (m *measurement) timeOnce(w work, build int, debug []string) (float64, error) {
	line := w.line
	if build == 0 {
		line = cmp.Or(w.plain, w.line)
	}
	start := time.Now()
	out, err := m.shell(build, line, debug...)
	took := time.Since(start)
	if err != nil || !w.prints {
		return took.Seconds(), err
	}
	ns, err := strconv.ParseFloat(strings.TrimSpace(out), 64)
	return ns / 1e9, err
}

func (m *measurement) shell(build int, lines string, env ...string) (string, error) {
	return output(m.dir, append(env, "BIN="+m.source(build), "OTHER="+m.source(1-build), "SRC="+m.source(build)), "sh", "-c", lines)
}

func summary(seconds []float64) (s record.Seconds) {
	if len(seconds) > 0 {
		slices.Sort(seconds)
		s = record.Seconds{Median: seconds[len(seconds)/2], Least: seconds[0], Most: seconds[len(seconds)-1]}
	}
	return s
}

// output runs an executable and returns its standard output. An error contains all of
// the executable's output.
func output(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = slices.Concat(os.Environ(), []string{"GOWORK=off", "GOFLAGS="}, env)
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%s %s: %w\n%s%s", filepath.Base(name), strings.Join(args, " "), err, out, exit.Stderr)
	}
	return string(out), err
}

func makeFile(name string, size int64) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = io.CopyN(f, rand.NewChaCha8([32]byte{}), size)
	return cmp.Or(err, f.Close())
}
