// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/bench/contest"
)

func TestParseLengths(t *testing.T) {
	got, err := parseLengths("5,10:30:10,40", 6, 39)
	if want := []int{10, 20, 30}; err != nil || !slices.Equal(got, want) {
		t.Errorf("parseLengths = %d, %v, want %d", got, err, want)
	}
	for _, bad := range []string{"", "x", "1:2", "1:2:0", "1:2:3:4"} {
		if _, err := parseLengths(bad, 0, 10); err == nil {
			t.Errorf("parseLengths(%q) returned no error", bad)
		}
	}
}

func TestReport(t *testing.T) {
	const name = "poly1305.Sum"
	bound := boundOf(name, 64)
	if bound == 0 {
		t.Fatalf("%s has no bound", name)
	}
	counts := []ratio{{ours: 100, theirs: 200}, {ours: 1000, theirs: int(1000*bound) - 1}}
	for check, want := range map[bool]int{false: 0, true: 1} {
		var b strings.Builder
		if got := report(&b, name, []int{64, 64}, counts, check); got != want {
			t.Errorf("report = %d, want %d", got, want)
		}
		if got := strings.Count(b.String(), "below"); got != 1 {
			t.Errorf("%q mentions %d bounds, want 1", b.String(), got)
		}
	}
}

// TestNoLengths checks that run succeeds if all given lengths are too short for an
// operation.
func TestNoLengths(t *testing.T) {
	if _, err := exec.LookPath("valgrind"); err != nil {
		t.Skip("needs valgrind")
	}
	if err := run([]string{"-run", "^stream.ChunkedChaCha20Poly1305, sealed$", "-lengths", "0,64"}, io.Discard); err != nil {
		t.Error(err)
	}
}

// TestBounds checks that there is an operation for each bound.
func TestBounds(t *testing.T) {
	for _, b := range bounds {
		if !slices.ContainsFunc(contest.Counted(), func(o contest.Operation) bool { return o.Name == b.operation }) {
			t.Errorf("no operation is named %q", b.operation)
		}
	}
}

// TestCount checks that two counts for the same length are equal and that a longer
// message takes more instructions.
func TestCount(t *testing.T) {
	if _, err := exec.LookPath("valgrind"); err != nil || runtime.GOARCH != "amd64" {
		if os.Getenv("CI") != "" && runtime.GOARCH == "amd64" {
			t.Fatal(err)
		}
		t.Skip("needs valgrind on amd64")
	}
	program, err := build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	counts, err := count(program, "poly1305.Sum", []int{64, 64, 128})
	if err != nil {
		t.Fatal(err)
	}
	if counts[0] != counts[1] || counts[0].ours < 100 || counts[0].theirs < 100 || counts[2].ours <= counts[0].ours || counts[2].theirs <= counts[0].theirs {
		t.Errorf("counts %d for 64, 64 and 128 bytes, want two equal counts and larger ones", counts)
	}
}
