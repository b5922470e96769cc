// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/unimac/unimac/internal/bench/contest"
	"github.com/unimac/unimac/internal/bench/record"
)

// fakes returns contests with entrants of known speed. The unimac entrant is three
// times as fast as the peer, and another peer is absent.
func fakes() []contest.Contest {
	entrant := func(name string, ours bool, ns time.Duration) contest.Entrant {
		return contest.Entrant{Name: name, Label: "The " + name, Ours: ours, Start: func(size int) (*contest.Work, error) {
			return &contest.Work{Loop: func(n int) time.Duration { return time.Duration(n) * ns * time.Duration(size) / 16 }}, nil
		}}
	}
	entrants := []contest.Entrant{
		entrant("unimac", true, 10),
		entrant("unimac-wide", true, 10),
		entrant("unimac-generic", true, 100),
		entrant("peer", false, 30),
		{Name: "lacking", Label: "The lacking", Start: func(int) (*contest.Work, error) { return nil, contest.ErrAbsent }},
	}
	entrants[1].InUse = true
	return []contest.Contest{
		{Name: "fake", Title: "Fake", Sizes: []int{16, 32, 1024, 1 << 20}, Entrants: entrants},
		{Name: "bars", Title: "Bars", Sizes: []int{64 << 20}, Entrants: entrants},
	}
}

func runWith(contests []contest.Contest, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = run(args, contests, &out, &errs)
	return status, out.String(), errs.String()
}

func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		args   string
		status int
		stderr string
	}{
		{"-h", exitOK, "Usage: "},
		{"-nosuch", exitUsage, "bench: flag provided but not defined: -nosuch\n"},
		{"extra", exitUsage, "bench: unexpected \"extra\": want only flags\n"},
		{"-run (", exitUsage, "bench: error parsing regexp"},
		{"-quick -run nosuch", exitFailed, "bench: no algorithm matches \"nosuch\"\n"},
		{"-goals -quick -run fake", exitFailed, "bench: no algorithm matches \"fake\"\n"}, // the contest has no goal
	} {
		status, stdout, stderr := runWith(fakes(), strings.Fields(tt.args)...)
		if status != tt.status || stdout != "" || !strings.HasPrefix(stderr, tt.stderr) {
			t.Errorf("%s: status %d, stdout %q, stderr %q", tt.args, status, stdout, stderr)
		}
	}
}

func TestContests(t *testing.T) {
	status, stdout, stderr := runWith(fakes(), "-quick", "-name", "This one")
	if status != exitOK {
		t.Fatalf("status %d: %s", status, stderr)
	}
	for _, row := range []string{
		"; inferred: This one:\n",
		"- CPUID: ",
		"| Fake, GB/s | 16 B | 32 B | 1 KiB | 1 MiB |\n",
		"| The unimac | 1.60 | 1.60 | 1.60 | 1.60 |\n",
		"| The peer | 0.533 | 0.533 | 0.533 | 0.533 |\n",
		"| Bars, GB/s | 64 MiB |\n",
		"| The unimac-generic | 0.160 | 0.160 | 0.160 | 0.160 |\n",
		"This run reached all goals.\n",
	} {
		if !strings.Contains(stdout, row) {
			t.Errorf("output lacks %q:\n%s", row, stdout)
		}
	}
	if strings.Contains(stdout, "wide") {
		t.Errorf("the output mentions unimac-wide:\n%s", stdout)
	}
	if !strings.Contains(stderr, "skipping The lacking: absent\n") {
		t.Errorf("stderr %q", stderr)
	}
	for _, name := range []string{"nettle 3.", "OpenSSL 3.", "libsodium 1."} {
		if !strings.Contains(stdout, name) {
			t.Errorf("output lacks %q:\n%s", name, stdout)
		}
	}
}

// TestSaved checks that measuring contests keeps the results of programs and the
// records of other processors.
func TestSaved(t *testing.T) {
	dir := t.TempDir()
	before := record.Record{Name: "This one", Programs: []record.Program{{Name: "age"}}, Tests: []record.Tested{{Name: "age"}}}
	other := record.Record{Name: "Another"}
	for _, r := range []record.Record{before, other} {
		if err := r.Save(dir); err != nil {
			t.Fatal(err)
		}
	}
	if status, _, stderr := runWith(fakes(), "-quick", "-o", dir, "-name", "This one"); status != exitOK {
		t.Fatalf("status %d: %s", status, stderr)
	}
	all, err := record.All(dir)
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	r := all[1]
	if len(r.Contests) != 2 || len(r.Programs) != 1 || len(r.Tests) != 1 || r.Date != time.Now().UTC().Format(time.DateOnly) || r.Commit == "" || r.Share <= 0 {
		t.Errorf("%+v", r)
	}
	if len(all[0].Contests) != 0 {
		t.Errorf("the other record was changed to %+v", all[0])
	}
}

// TestNoisy checks that the sizes at which an entrant varies are measured again after
// all contests, and that the results with the smaller spread are kept.
func TestNoisy(t *testing.T) {
	starts := map[int]int{} // includes one check for absence per measurement, at 16 bytes
	entrant := contest.Entrant{Name: "unimac", Start: func(size int) (*contest.Work, error) {
		starts[size]++
		start, calls := starts[size], 0
		return &contest.Work{Loop: func(n int) time.Duration {
			calls++
			ns := 100 * start
			switch {
			case size == 32 && start == 1, size == 64 && start == 2: // noisy at first, and later
				ns += calls % 2 * 30
			case size == 64:
				ns += calls % 2 * 10
			}
			return time.Duration(n * ns)
		}}, nil
	}}
	c := contest.Contest{Name: "noisy", Sizes: []int{16, 32, 64}, Entrants: []contest.Entrant{entrant}}
	r, err := measureAll(&options{}, []contest.Contest{c}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if starts[16] != 2+1 || starts[32] != 2 || starts[64] != 2 {
		t.Errorf("starts by size: %v, want one measurement of 16 bytes and two of the others", starts)
	}
	e := r.Contests[0].Entrants[0]
	if e.NS[0] != 200 || e.NS[1] != 200 || e.NS[2] > 110 || e.Spread(1) != 0 {
		t.Errorf("got %+v, want the second measurement of 32 bytes and the first of 64", e)
	}
}

// TestDrawn checks that the charts are up to date with the records. To update them, run
// "go run . -draw".
func TestDrawn(t *testing.T) {
	all, err := record.All(root)
	if err != nil {
		t.Fatal(err)
	}
	drawn := charts(all)
	if len(drawn) < 9 {
		t.Errorf("%d charts, want at least 9", len(drawn))
	}
	kept, err := filepath.Glob("charts/*")
	if err != nil || len(kept) != len(drawn) {
		t.Errorf("charts has %d files, want %d: %v", len(kept), len(drawn), err)
	}
	readme, speed := text(t, "README.md"), text(t, "doc/speed.md")
	for name, want := range drawn {
		if got, err := os.ReadFile(filepath.Join("charts", name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s does not match the records: %v", name, err)
		}
		if link := "(../internal/bench/charts/" + name + ")"; !strings.Contains(speed, link) && !strings.Contains(readme, link[4:]) {
			t.Errorf("no page shows %s", name)
		}
	}
}

func text(t *testing.T, page string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestWhere checks that results are written to the repository only after a complete
// measurement.
func TestWhere(t *testing.T) {
	for args, want := range map[string]string{"": root, "-quick": "", "-run x": "", "-goals": "", "-o d": "d", "-quick -o d": "d", "-name m": root, "-draw": ""} {
		o, err := parse(strings.Fields(args), io.Discard)
		if err != nil || o.out != want {
			t.Errorf("%q: %v, %v, want %q", args, o, err, want)
		}
	}
}

// TestDisagreement checks that nothing is measured if entrants return different
// results.
func TestDisagreement(t *testing.T) {
	contests := fakes()
	start := contests[0].Entrants[3].Start
	contests[0].Entrants[3].Start = func(size int) (*contest.Work, error) {
		w, err := start(size)
		w.Answer = []byte("other")
		return w, err
	}
	status, stdout, stderr := runWith(contests, "-quick")
	if status != exitFailed || stdout != "" || !strings.Contains(stderr, "bench: fake: unimac and peer return different results for a message of 16 bytes\n") {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

// TestGoals checks reached and missed goals of a contest with goals for 32 bytes and 16
// KiB.
func TestGoals(t *testing.T) {
	goal := func(ns time.Duration) []contest.Contest {
		c := contest.Contest{Name: "umac-64", Title: "UMAC-64", Sizes: []int{32, 16 << 10}}
		for _, e := range []struct {
			name string
			cost time.Duration
		}{{"unimac", 100}, {"nettle", ns}} {
			c.Entrants = append(c.Entrants, contest.Entrant{Name: e.name, Label: "The " + e.name, Start: func(int) (*contest.Work, error) {
				return &contest.Work{Loop: func(n int) time.Duration { return time.Duration(n) * e.cost }}, nil
			}})
		}
		return []contest.Contest{c}
	}
	if status, stdout, stderr := runWith(goal(340), "-goals", "-quick"); status != exitOK || !strings.Contains(stdout, "This run reached all goals.\n") {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	status, stdout, stderr := runWith(goal(320), "-goals", "-quick")
	if status != exitFailed || !strings.Contains(stderr, "bench: missed goals: 1\n") || !strings.Contains(stdout, "| UMAC-64, 16 KiB | The nettle | ≥ 3.30 × | 3.20 × | ") {
		t.Errorf("status %d, stdout\n%s\nstderr %q", status, stdout, stderr)
	}
}
