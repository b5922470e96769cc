// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/bench/record"
)

const xCrypto = "golang.org/x/crypto/"

// runTests runs the program's own tests with the copy. It returns an error if a test
// fails, if no test passes, or if the tested packages use nothing that the copy
// changes. It then runs the unreliable test, if there is one, in both builds.
func (m *measurement) runTests() error {
	uses, err := m.uses()
	if err != nil {
		return err
	}
	args := []string{"test", "-mod=mod", "-short", "-count=1", "-json", "-skip=" + cmp.Or(m.skip, m.unreliable), "-timeout=20m"}
	out, err := output(m.source(1), m.env, "go", append(args, m.test...)...)
	passed, skipped, failures := summarize(out)
	if err != nil && failures != "" {
		err = errors.New("tests fail with the copy:\n" + failures)
	}
	if err == nil && passed == 0 {
		err = errors.New("no test ran")
	}
	if err != nil {
		return err
	}
	date, commit := record.Now()
	result := record.Tested{Name: m.name, Module: m.module, XCrypto: m.xCrypto, Uses: uses, Packages: m.test,
		Omitted: m.skip, Reason: m.reason, Passed: passed, Skipped: skipped, Date: date, Commit: commit}
	if m.unreliable != "" {
		if result.Unreliable, err = m.compareUnreliable(); err != nil {
			return err
		}
	}
	m.results = append(m.results, result)
	return nil
}

// unreliableRuns is the number of runs of an unreliable test in each build. A test that
// fails in one of ten runs passes all of them with a probability of 0.002.
const unreliableRuns = 60

// compareUnreliable counts how often the unreliable test fails in the two builds, which
// take turns. It returns an error if the test fails only with the copy.
func (m *measurement) compareUnreliable() (*record.Unreliable, error) {
	result := &record.Unreliable{Test: m.unreliable, Runs: unreliableRuns}
	counts := [2]*int{&result.Released, &result.Copy}
	binary := func(build int) string { return m.source(build) + ".unreliable" }
	for build := range builds {
		if _, err := output(filepath.Join(m.source(build), m.folder), nil, "go", "test", "-mod=mod", "-c", "-o", binary(build), "."); err != nil {
			return nil, err
		}
	}
	for range unreliableRuns {
		for build := range builds {
			out, err := output(filepath.Join(m.source(build), m.folder), m.env, binary(build), "-test.v", "-test.short", "-test.run="+m.unreliable, "-test.timeout=5m")
			if err == nil && !strings.Contains(out, "--- PASS: ") {
				return nil, fmt.Errorf("no test matches %s", m.unreliable)
			}
			if _, failed := errors.AsType[*exec.ExitError](err); failed {
				*counts[build]++
			} else if err != nil {
				return nil, err
			}
		}
	}
	if result.Copy > 0 && result.Released == 0 {
		return nil, fmt.Errorf("%s fails only with the copy, in %d of %d runs", m.unreliable, result.Copy, unreliableRuns)
	}
	return result, nil
}

// uses returns the packages of x/crypto that the tested packages or their dependencies
// import and that have kernels in the copy.
func (m *measurement) uses() ([]string, error) {
	format := `{{.ImportPath}}|{{join .Imports ","}}|{{join .Deps ","}}`
	out, err := output(m.source(1), nil, "go", append([]string{"list", "-mod=mod", "-deps", "-f", format}, m.test...)...)
	if err != nil {
		return nil, err
	}
	uses := changed(out)
	if len(uses) == 0 {
		return nil, errors.New("uses no package of x/crypto that the copy changes")
	}
	return uses, nil
}

// changed reads lines of the form "package|imports|dependencies". It returns the
// packages of x/crypto that other modules import and that depend on the copy's kernels.
func changed(list string) (uses []string) {
	kernels, imported := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(list) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		if len(fields) != 3 {
			continue
		}
		kernels[fields[0]] = strings.Contains(fields[2], xCrypto+"internal/unimac/")
		if strings.HasPrefix(fields[0], xCrypto) {
			continue
		}
		for pkg := range strings.SplitSeq(fields[1], ",") {
			imported[pkg] = true
		}
	}
	for pkg := range imported {
		if name, ok := strings.CutPrefix(pkg, xCrypto); ok && kernels[pkg] {
			uses = append(uses, name)
		}
	}
	slices.Sort(uses)
	return uses
}

// summarize counts the top-level tests and examples that passed or were skipped in the
// output of go test -json. It returns the output of the failed tests and packages.
func summarize(out string) (passed, skipped int, failures string) {
	type event struct{ Action, Package, ImportPath, Test, Output string }
	said := map[string]*strings.Builder{}
	var failed strings.Builder
	d := json.NewDecoder(bytes.NewReader([]byte(out)))
	for {
		var e event
		err := d.Decode(&e)
		if errors.Is(err, io.EOF) {
			return passed, skipped, failed.String()
		}
		if err != nil {
			return passed, skipped, failed.String() + out
		}
		name := e.Package + e.ImportPath + " " + e.Test
		if said[name] == nil {
			said[name] = new(strings.Builder)
		}
		topLevel := e.Test != "" && !strings.Contains(e.Test, "/")
		switch e.Action {
		case "output", "build-output":
			said[name].WriteString(e.Output)
		case "fail", "build-fail":
			fmt.Fprintf(&failed, "%s\n%s", strings.TrimSpace(name), said[name])
		case "pass":
			if topLevel {
				passed++
			}
		case "skip":
			if topLevel {
				skipped++
			}
		}
	}
}
