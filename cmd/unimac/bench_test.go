// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/measure"
)

func TestBenchUsage(t *testing.T) {
	for _, tt := range []struct {
		args           string
		status         int
		stdout, stderr string
	}{
		{"bench -h", 0, "Usage: unimac bench", ""},
		{"bench now", 2, "", "unimac bench: 1 argument, want none\nunimac bench -h explains the usage.\n"},
		{"bench -a (", 2, "", "unimac bench: error parsing regexp"},
		{"bench -t 0s", 2, "", "unimac bench: invalid value \"0s\" for flag -t: want a time above zero, such as 500ms or 30s\nunimac bench -h explains the usage.\n"},
		{"bench -t 2", 2, "", "invalid value \"2\" for flag -t: want a time above zero"},
		{"bench -t soon", 2, "", "invalid value \"soon\" for flag -t"},
		{"bench -a nosuch", 1, "/", "unimac bench: no algorithm matches \"nosuch\"\n"},
	} {
		r := runWith("", strings.Fields(tt.args)...)
		r.Want(t, tt.status, tt.stdout, tt.stderr)
	}
}

// benchRows returns the cells of the table rows in stdout, without the version at its
// start.
func benchRows(stdout string) (rows [][]string) {
	_, stdout, _ = strings.Cut(stdout, "\n")
	for line := range strings.Lines(stdout) {
		if cells := regexp.MustCompile(" {2,}").Split(strings.TrimSpace(line), -1); len(cells) > 1 {
			rows = append(rows, cells)
		}
	}
	return rows
}

// TestBench checks that every algorithm has a row with a figure in every column.
func TestBench(t *testing.T) {
	r := runWith("", "bench", "-t", "8us")
	r.Want(t, 0, "RATIO", "")
	for _, pkg := range dispatch.Packages() {
		if want := pkg + ": " + dispatch.InUse(pkg); !strings.Contains(r.Stdout, want) {
			t.Errorf("the output lacks %q:\n%s", want, r.Stdout)
		}
	}
	figure := regexp.MustCompile(`^\d+(\.\d+)? [GM]B/s$`)
	rows := benchRows(r.Stdout)
	for _, kind := range contestKinds() {
		if len(rows) < 1+len(kind.contestants) {
			t.Fatalf("%s: the table has %d rows left, want at least %d:\n%s", kind.title, len(rows), 1+len(kind.contestants), r.Stdout)
		}
		if want := []string{kind.title, "FROM", "64 B", "1420 B", "16 KiB", "RATIO"}; !slices.Equal(rows[0], want) {
			t.Errorf("got header %q, want %q", rows[0], want)
		}
		for i, c := range kind.contestants {
			row := rows[1+i]
			if len(row) != 2+len(benchSizes)+1 || row[0] != c.name || row[1] != c.origin {
				t.Errorf("got row %q, want one for %s of %s", row, c.name, c.origin)
				continue
			}
			for _, cell := range row[2 : len(row)-1] {
				if !figure.MatchString(cell) {
					t.Errorf("%s: got cell %q, want a speed", c.name, cell)
				}
			}
			if ratio := row[len(row)-1]; i == len(kind.contestants)-1 && ratio != "1.00" {
				t.Errorf("%s is the reference: got ratio %s, want 1.00", c.name, ratio)
			}
		}
		rows = rows[1+len(kind.contestants):]
	}
	if len(rows) > 0 {
		t.Errorf("got extra rows %q", rows)
	}
	for line := range strings.Lines(r.Stdout) {
		if len(line) > 110 && strings.Contains(line, "B/s") {
			t.Errorf("got a line of %d bytes, want at most 110: %s", len(line), line)
		}
	}
}

// TestBenchSome checks that a pattern selects matching algorithms and the reference.
func TestBenchSome(t *testing.T) {
	for pattern, want := range map[string][]string{
		"umac":               {"umac-64", "umac-128", "aes-128-gmac"},
		"^hmac":              {"hmac-sha256"},
		"cipher":             {"aes-128-gmac", "aes-128-gcm", "chacha20-poly1305"},
		"UnimacV2":           {"unimacv2", "chacha20-poly1305"},
		"ChaCha20-Poly1305$": {"chacha20-poly1305", "chacha20-poly1305", "chacha20-poly1305"},
		"hmac|gmac":          {"aes-128-gmac", "hmac-sha256"},
	} {
		r := runWith("", "bench", "-t", "8us", "-a", pattern)
		r.Want(t, 0, "RATIO", "")
		var got []string
		for _, row := range benchRows(r.Stdout) {
			if row[1] != "FROM" {
				got = append(got, row[0])
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("bench -a %s: got algorithms %q, want %q", pattern, got, want)
		}
	}
}

// TestBenchTable checks the format of the table for known figures.
func TestBenchTable(t *testing.T) {
	var b bytes.Buffer
	var results []benchResult
	for i, speed := range []float64{5e6, 64e6, 30e9, 1e6, 999.6e6, 12e9} {
		results = append(results, benchResult{"KIND", []string{"fast", "slow"}[i/3], []string{"here", "elsewhere"}[i/3], benchSizes[i%3], speed})
	}
	printResults(&b, results)
	want := "\n" +
		"KIND  FROM             64 B      1420 B      16 KiB  RATIO\n" +
		"fast  here         5.0 MB/s   64.0 MB/s  30.00 GB/s   2.50\n" +
		"slow  elsewhere    1.0 MB/s  999.6 MB/s  12.00 GB/s   1.00\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
}

// TestBenchSpeed measures a function whose duration is known.
func TestBenchSpeed(t *testing.T) {
	const each = time.Millisecond
	kind := &contestKind{title: "KIND", contestants: []contestant{{name: "sleeps", start: func([]byte) (func(), error) {
		return func() { time.Sleep(each) }, nil
	}}}}
	results, err := kind.measure(kind.contestants, measure.Plan{Rounds: 2, Turn: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	for i, size := range benchSizes {
		// Sleep never returns early, but returns much too late on some systems.
		maxSpeed := float64(size) / each.Seconds()
		if got := results[i].BytesPerSecond; got > maxSpeed || got < maxSpeed/100 {
			t.Errorf("%d bytes: got %v bytes per second, want %v to %v", size, got, maxSpeed/100, maxSpeed)
		}
	}
	broken := &contestKind{contestants: []contestant{{name: "broken", start: func([]byte) (func(), error) { return nil, errors.New("no") }}}}
	if _, err := broken.measure(broken.contestants, measure.Plan{Rounds: 1}); err == nil || err.Error() != "broken: no" {
		t.Error(err)
	}
}

// TestBenchWork checks that every contestant starts without an error and can run twice.
func TestBenchWork(t *testing.T) {
	for _, kind := range contestKinds() {
		for _, c := range kind.contestants {
			for _, size := range benchSizes {
				work, err := c.start(make([]byte, size))
				if err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
				work()
				work()
			}
		}
	}
}

func TestBenchFullStdout(t *testing.T) {
	var stderr bytes.Buffer
	status := cli.Run(root(), []string{"bench", "-t", "8us", "-a", "hmac"}, nil, failingWriter{}, &stderr)
	if status != cli.ExitFailed || !strings.Contains(stderr.String(), ": standard output: no space left\n") {
		t.Errorf("got status %d, stderr %q, want %d and a write error", status, &stderr, cli.ExitFailed)
	}
}
