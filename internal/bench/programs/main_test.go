// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/bench/record"
)

// TestRecorded checks that the records contain results of all programs that are
// measured or that CI tests, and of no unknown programs.
func TestRecorded(t *testing.T) {
	all, err := record.All("../" + root)
	if err != nil {
		t.Fatal(err)
	}
	known := func(name string) bool {
		return slices.ContainsFunc(programs, func(p program) bool { return p.name == name })
	}
	recorded, results := map[string]bool{}, map[string]record.Tested{}
	for _, r := range all {
		for _, p := range r.Programs {
			recorded[p.Name] = true
			if !known(p.Name) {
				t.Errorf("%s: contains measurements of the unknown program %s", r.Name, p.Name)
			}
		}
		for _, result := range r.Tests {
			results[result.Name] = result
			if !known(result.Name) {
				t.Errorf("%s: contains tests of the unknown program %s", r.Name, result.Name)
			}
		}
	}
	for _, p := range programs {
		if len(p.works) > 0 && !recorded[p.name] {
			t.Errorf("%s contains no measurement of %s", record.Dir, p.name)
		}
		if result, ok := results[p.name]; ok && (result.Module != p.module || !slices.Equal(result.Packages, p.test) || result.Omitted != p.skip || result.Reason != p.reason || (p.unreliable != "") != (result.Unreliable != nil) || result.Passed == 0 || len(result.Uses) == 0) {
			t.Errorf("%s: recorded %+v, want tests of %s, %q without %q and %q", p.name, result, p.module, p.test, p.skip, p.unreliable)
		}
		if _, ok := results[p.name]; p.quick && !ok {
			t.Errorf("%s contains no tests of %s, which CI runs", record.Dir, p.name)
		}
	}
}

// TestChoose checks which programs the arguments select.
func TestChoose(t *testing.T) {
	defer func() { *test, *quick = false, false }()
	names := func(args ...string) (all []string) {
		chosen, err := choose(args)
		if err != nil {
			return []string{err.Error()}
		}
		for _, p := range chosen {
			all = append(all, p.name)
		}
		return all
	}
	if got := names(); !slices.Contains(got, "packets") || slices.Contains(got, "noise") {
		t.Errorf("without -test, choose selected %q", got)
	}
	if got := names("noise", "x"); !slices.Equal(got, []string{`unknown program "x"`}) {
		t.Errorf("choose = %q", got)
	}
	*test = true
	if got := names(); slices.Contains(got, "packets") || !slices.Contains(got, "noise") || !slices.Contains(got, "age") {
		t.Errorf("with -test, choose selected %q", got)
	}
	if got := names("noise"); !slices.Equal(got, []string{"noise"}) {
		t.Errorf("choose = %q", got)
	}
	*quick = true
	if got := names(); len(got) != 5 {
		t.Errorf("with -quick, choose selected %q, want five programs", got)
	}
}

// TestCompareUnreliable checks a test that fails in every third run of both builds, a
// test that fails in every run with the copy, and a pattern that matches no test.
func TestCompareUnreliable(t *testing.T) {
	const tests = `package p

import (
	"os"
	"strings"
	"testing"
)

// TestThird appends a byte to a file, whose length counts the runs.
func TestThird(t *testing.T) {
	f, err := os.OpenFile("runs", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.WriteString("x")
	if info, err := f.Stat(); err != nil || info.Size()%3 == 0 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestCopy(t *testing.T) {
	if dir, err := os.Getwd(); err != nil || strings.Contains(dir, "vendored") {
		t.Error(dir, err)
	}
}
`
	m := &measurement{program: program{folder: "sub"}, dir: t.TempDir()}
	for build := range builds {
		dir := m.source(build)
		if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, content := range map[string]string{"go.mod": "module p\n\ngo 1.26.0\n", "sub/p_test.go": tests} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	m.unreliable = "^TestThird$"
	want := record.Unreliable{Test: m.unreliable, Runs: 60, Released: 20, Copy: 20}
	if got, err := m.compareUnreliable(); err != nil || *got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	for test, want := range map[string]string{"^TestCopy$": "^TestCopy$ fails only with the copy, in 60 of 60 runs", "^TestNone$": "no test matches ^TestNone$"} {
		m.unreliable = test
		if got, err := m.compareUnreliable(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %+v, %v, want an error that contains %q", got, err, want)
		}
	}
}

func TestSummarize(t *testing.T) {
	const out = `{"Action":"start","Package":"p"}
{"Action":"output","Package":"p","Test":"TestA","Output":"noise\n"}
{"Action":"pass","Package":"p","Test":"TestA/sub"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"pass","Package":"p"}
`
	if passed, skipped, failures := summarize(out); passed != 1 || skipped != 1 || failures != "" {
		t.Errorf("%d passed, %d skipped, failures %q", passed, skipped, failures)
	}
	const failed = `{"Action":"output","Package":"p","Test":"TestC","Output":"wrong\n"}
{"Action":"fail","Package":"p","Test":"TestC"}
{"Action":"build-output","ImportPath":"q","Output":"no package\n"}
{"Action":"build-fail","ImportPath":"q"}
`
	if passed, _, failures := summarize(out + failed); passed != 1 || failures != "p TestC\nwrong\nq\nno package\n" {
		t.Errorf("%d passed, failures %q", passed, failures)
	}
	if _, _, failures := summarize("no JSON"); failures != "no JSON" {
		t.Errorf("failures %q", failures)
	}
}

func TestChanged(t *testing.T) {
	const list = `golang.org/x/crypto/internal/unimac/chacha20||
golang.org/x/crypto/chacha20|golang.org/x/crypto/internal/alias|golang.org/x/crypto/internal/alias,golang.org/x/crypto/internal/unimac/chacha20
golang.org/x/crypto/chacha20poly1305|golang.org/x/crypto/chacha20|golang.org/x/crypto/internal/unimac/chacha20
golang.org/x/crypto/hkdf||crypto/hmac
example.com/p|golang.org/x/crypto/chacha20poly1305,golang.org/x/crypto/hkdf,fmt|fmt
`
	// Package hkdf has no kernels, and no other module imports chacha20.
	if got := changed(list); !slices.Equal(got, []string{"chacha20poly1305"}) {
		t.Errorf("changed = %q, want chacha20poly1305", got)
	}
}
