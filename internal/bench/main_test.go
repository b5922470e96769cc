// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/unimac/unimac/internal/bench/contest"
	"github.com/unimac/unimac/internal/bench/goals"
	"github.com/unimac/unimac/internal/speed"
)

// fakes returns contests whose entrants take known times: ours is three times as
// fast as the peer, and another peer is missing.
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
		{"extra", exitUsage, "bench: 1 arguments, want flags alone\n"},
		{"-run (", exitUsage, "bench: error parsing regexp"},
		{"-goals -o x", exitUsage, "bench: -goals writes no files"},
		{"-quick -run nosuch", exitFailed, "bench: no algorithm matches \"nosuch\"\n"},
		{"-goals -quick -run nosuch", exitFailed, "bench: no goal matches \"nosuch\"\n"},
	} {
		status, stdout, stderr := runWith(fakes(), strings.Fields(tt.args)...)
		if status != tt.status || stdout != "" || !strings.HasPrefix(stderr, tt.stderr) {
			t.Errorf("%s: status %d, stdout %q, stderr %q", tt.args, status, stdout, stderr)
		}
	}
}

func TestContests(t *testing.T) {
	status, stdout, stderr := runWith(fakes(), "-quick", "-machine", "This one")
	if status != exitOK {
		t.Fatalf("status %d: %s", status, stderr)
	}
	for _, row := range []string{
		"This one (",
		"| Fake | 32 B    | 20.0 ns   | The peer, 60.0 ns    | 3.00 × |",
		"| Fake | 1 KiB   | 1.60 GB/s | The peer, 0.533 GB/s | 3.00 × |",
		"| Bars | 64 MiB  | 1.60 GB/s | The peer, 0.533 GB/s | 3.00 × |",
		"## Fake\n",
		"| The unimac-generic | 0.160 | 0.160 | 0.160 | 0.160 |\n",
	} {
		if !strings.Contains(stdout, row) {
			t.Errorf("no %q in\n%s", row, stdout)
		}
	}
	if strings.Contains(stdout, "wide") || strings.Contains(stdout, ".svg") {
		t.Errorf("there is too much in\n%s", stdout)
	}
	if !strings.Contains(stderr, "The lacking is left out: absent\n") {
		t.Errorf("stderr %q", stderr)
	}
}

// TestFiles writes charts, which have to be XML with what a reader looks for.
func TestFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	if status, _, stderr := runWith(fakes(), "-quick", "-o", dir, "-machine", "This & that"); status != exitOK {
		t.Fatalf("status %d: %s", status, stderr)
	}
	level := ", " + (&speed.Record{Features: features()}).Level()
	page, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil || !strings.HasPrefix(string(page), "<!-- SPDX") || !strings.Contains(string(page), "![Fake: speeds](fake.svg)\n") {
		t.Errorf("%v, page\n%s", err, page)
	}
	for name, want := range map[string][]string{
		"fake.svg": {"Fake", "This & that" + level, "length of a message (logarithmic)", "speed, GB/s (logarithmic)", "16 B", "1 KiB", "The unimac", "The unimac-generic", "The peer"},
		"bars.svg": {"Bars", "This & that" + level, "speed, GB/s", "The unimac", "The peer", "1.60", "0.533"},
	} {
		chart, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		texts := svgTexts(t, chart)
		for _, text := range want {
			if !texts[text] {
				t.Errorf("%s lacks %q: it has %v", name, text, texts)
			}
		}
		if texts["The unimac-wide"] || texts["The lacking"] || bytes.Contains(chart, []byte("NaN")) {
			t.Errorf("%s has too much: %v", name, texts)
		}
	}
}

// svgTexts returns the texts of a drawing.
func svgTexts(t *testing.T, svg []byte) map[string]bool {
	t.Helper()
	texts := map[string]bool{}
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return texts
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "text" {
			var text string
			if err := d.DecodeElement(&text, &start); err != nil {
				t.Fatal(err)
			}
			texts[text] = true
		}
	}
}

// TestPart checks that a part writes no page that lacks the rest.
func TestPart(t *testing.T) {
	dir := t.TempDir()
	if status, _, stderr := runWith(fakes(), "-quick", "-run", "^fa", "-o", dir); status != exitOK {
		t.Fatalf("status %d: %s", status, stderr)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 || filepath.Base(files[0]) != "fake.svg" {
		t.Errorf("%v, %v", files, err)
	}
}

// TestWhere checks that only a whole measurement goes where the repository has its
// charts.
func TestWhere(t *testing.T) {
	for args, want := range map[string]string{"": chartsDir, "-quick": "", "-run x": "", "-goals": "", "-o d": "d", "-quick -o d": "d", "-machine m": chartsDir} {
		o, err := parse(strings.Fields(args), io.Discard)
		if err != nil || o.dir != want {
			t.Errorf("%q: %v, %v, want %q", args, o, err, want)
		}
	}
}

// TestDisagreement checks that nothing is measured of those who do not agree.
func TestDisagreement(t *testing.T) {
	contests := fakes()
	start := contests[0].Entrants[3].Start
	contests[0].Entrants[3].Start = func(size int) (*contest.Work, error) {
		w, err := start(size)
		w.Answer = []byte("other")
		return w, err
	}
	status, stdout, stderr := runWith(contests, "-quick")
	if status != exitFailed || stdout != "" || !strings.Contains(stderr, "bench: fake: unimac and peer do not agree about a message of 16 bytes\n") {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
}

// TestGoals runs two goals of contests that are made up.
func TestGoals(t *testing.T) {
	goal := func(ns time.Duration) []contest.Contest {
		c := contest.Contest{Name: "umac-64"}
		for name, cost := range map[string]time.Duration{"unimac": 100, "nettle": ns} {
			c.Entrants = append(c.Entrants, contest.Entrant{Name: name, Label: "The " + name, Start: func(int) (*contest.Work, error) {
				return &contest.Work{Loop: func(n int) time.Duration { return time.Duration(n) * cost }}, nil
			}})
		}
		return []contest.Contest{c}
	}
	status, stdout, stderr := runWith(goal(340), "-goals", "-run", "UMAC-64, (16 KiB|32 B)")
	if status != exitOK || strings.Contains(stderr, "short") {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	for _, row := range []string{
		"| UMAC-64, 16 KiB | The nettle | ≥ 3.30 ×          | 3.40 ×          | 3.40 to 3.40 | reached | 100 ns | 340 ns |",
		"| UMAC-64, 32 B   | The nettle | ≤ 0.50 × the time | 0.29 × the time | 0.29 to 0.29 | reached | 100 ns | 340 ns |",
	} {
		if !strings.Contains(stdout, row) {
			t.Errorf("no %q in\n%s", row, stdout)
		}
	}
	status, stdout, stderr = runWith(goal(320), "-goals", "-run", "UMAC-64, (16 KiB|32 B)")
	if status != exitFailed || !strings.Contains(stderr, "bench: of 2 goals, 1 are short and 0 could not be measured\n") || !strings.Contains(stdout, "3.20 ×          | 3.20 to 3.20 | SHORT ") {
		t.Errorf("status %d, stdout\n%s\nstderr %q", status, stdout, stderr)
	}
}

func TestVerdict(t *testing.T) {
	reached, short, missing := goals.Result{Reached: true}, goals.Result{}, goals.Result{Missing: errors.New("no")}
	if err := verdict([]goals.Result{reached, reached}); err != nil {
		t.Error(err)
	}
	for _, results := range [][]goals.Result{{reached, short}, {missing, reached}} {
		if verdict(results) == nil {
			t.Errorf("%v is no error", results)
		}
	}
	worst := goals.Result{Goal: goals.Goal{Sizes: []int{16, 32}}, Size: 32, Measured: 2, Least: 1, Most: 3}
	for _, want := range []string{"| no ", "| not measured |", "| 2.00 × at 32 B | 1.00 to 3.00 | SHORT "} {
		if table := goalTable([]goals.Result{missing, worst}, nil, nil); !strings.Contains(table, want) {
			t.Errorf("no %q in\n%s", want, table)
		}
	}
}

func TestShare(t *testing.T) {
	for _, tt := range []struct {
		worked time.Duration
		want   string
	}{
		{900 * time.Millisecond, ""},
		{2 * time.Second, ""},
		{500 * time.Millisecond, "warning: the machine had something else to do, and 50 % of a processor was left: measure again\n"},
	} {
		var b bytes.Buffer
		if warn(&b, tt.worked.Seconds()); b.String() != tt.want {
			t.Errorf("%v: %q, want %q", tt.worked, &b, tt.want)
		}
	}
	if shareNote(0.9) != "" || !strings.Contains(shareNote(0.5), ": 50 % of a processor was left.") {
		t.Errorf("notes %q and %q", shareNote(0.9), shareNote(0.5))
	}
	before := processorTime()
	for start := time.Now(); time.Since(start) < 20*time.Millisecond; {
	}
	if processorTime() <= before {
		t.Error("work takes no time")
	}
}

func TestVersions(t *testing.T) {
	for _, name := range []string{"nettle 3.", "OpenSSL 3.", "libsodium 1."} {
		if !strings.Contains(versions(), name) {
			t.Errorf("no %q in %q", name, versions())
		}
	}
}
