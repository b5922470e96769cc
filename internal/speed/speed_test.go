// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package speed

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

func page(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if os.IsNotExist(err) && strings.HasPrefix(name, "internal/programs/") {
		t.Skip("a nested module is no part of a download")
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n")
}

func load(t *testing.T) *Record {
	t.Helper()
	r, err := Load(root)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPages compares the pages with the record.
func TestPages(t *testing.T) {
	r := load(t)
	for _, name := range Pages {
		t.Run(name, func(t *testing.T) {
			is := page(t, name)
			want, err := r.Update(name, is)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(want, "NaN") {
				t.Error("a figure is not in the record")
			}
			was, is1 := strings.Split(want, "\n"), strings.Split(is, "\n")
			for i := range min(len(was), len(is1)) {
				if was[i] != is1[i] {
					t.Errorf("line %d is\n%s\nbut by %s\n%s", i+1, is1[i], File, was[i])
				}
			}
			if len(was) != len(is1) {
				t.Errorf("%d lines, want %d", len(is1), len(was))
			}
		})
	}
}

// TestFigures finds figures of speed that no sentence and no block holds.
func TestFigures(t *testing.T) {
	for _, name := range []string{"README.md", "doc/speed.md"} {
		text := page(t, name)
		for i := range sentences {
			if sentences[i].page == name {
				text = sentences[i].pattern().ReplaceAllString(text, "")
			}
		}
		text = regexp.MustCompile(`(?s)<!-- begin (\w+) -->.*?<!-- end \w+ -->`).ReplaceAllString(text, "")
		for _, found := range regexp.MustCompile(`[0-9.]+\s(GB/s|ns|µs|times as)\b`).FindAllString(text, -1) {
			t.Errorf("%s: %q comes from nowhere", name, found)
		}
	}
}

// TestChanged changes figures of pages, which Update must set right.
func TestChanged(t *testing.T) {
	r := load(t)
	for i := range sentences {
		s := &sentences[i]
		text := page(t, s.page)
		at := s.pattern().FindStringSubmatchIndex(text)
		if at == nil {
			t.Errorf("%s has no %q", s.page, s.text)
			continue
		}
		for k := range s.figures {
			changed := text[:at[2*k+2]] + "123456" + text[at[2*k+3]:]
			if fixed, err := r.Update(s.page, changed); err != nil || fixed != text {
				t.Errorf("figure %d of %q is not held: %v", k, s.text, err)
			}
		}
	}
	if _, err := r.Update("README.md", "no figures"); err == nil {
		t.Error("a page without its sentences is no error")
	}
	if _, err := r.Update("doc/speed.md", "no blocks"); err == nil {
		t.Error("a page without its blocks is no error")
	}
}

func TestRecord(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "doc"), 0o777); err != nil {
		t.Fatal(err)
	}
	r := &Record{Processor: "P", Features: "AVX2 AVX512", Contests: []Contest{{
		Name: "c", Sizes: []int{16, 32}, Bytes: []int{16, 64},
		Entrants: []Entrant{
			{Name: "unimac", Ours: true, NS: []float64{1.23456, 2}, Low: []float64{1, 2}, High: []float64{2, 2}},
			{Name: "other", Other: true, NS: []float64{1, 1}},
			{Name: "slow", NS: []float64{9, 9}},
			{Name: "peer", NS: []float64{4, 8}},
		},
	}}}
	r.Contests[0].AddLevel(&Contest{Entrants: []Entrant{{Name: "unimac", Ours: true, NS: []float64{3, 5}}, {Name: "slow"}}}, "-avx2", ", AVX2")
	r.Add([]Program{{Name: "p", What: "old"}, {Name: "q", What: "kept", Processor: "P", Plain: Seconds{Median: 3}, Vendored: Seconds{Median: 2}, AVX2: Seconds{Median: 2.5}}})
	r.Add([]Program{{Name: "p", What: "new", Processor: "Q", Plain: Seconds{Median: 4}, Vendored: Seconds{Median: 2}}})
	if err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	r, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	here := func(what string) string {
		best, lower := r.ProgramHere(what)
		return two(best) + " " + two(lower)
	}
	for _, tt := range []struct{ got, want string }{
		{two(r.NS("c", "unimac", 16)), "1.2"},
		{two(r.GBs("c", "unimac", 32)), "32"},
		{two(r.NS("c", "unimac-avx2", 32)), "5.0"},
		{two(r.NS("c", "slow-avx2", 32)), "NaN"},
		{two(r.Times("c", "unimac", "peer", 32)), "4.0"},
		{two(r.Program("p: new")), "2.0"},
		{two(r.Program("q: kept")), "1.5"},
		{here("q: kept"), "1.5 1.2"},
		{here("p: new"), "NaN NaN"},
		{two(r.Program("p: old")), "NaN"},
		{two(r.NS("c", "unimac", 64)), "NaN"},
		{two(r.NS("d", "unimac", 16)), "NaN"},
		{r.Contest("c").best(0).Name, "peer"},
		{r.Level(), "AVX-512"},
		{spread(r.Contest("c").Entrant("unimac"), 0), " ± 40 %"},
		{spread(r.Contest("c").Entrant("unimac"), 1), ""},
		{three(1234), "1234"}, {three(123.4), "123"}, {three(0.1234), "0.123"}, {two(9.96), "10.0"},
		{duration(12345), "12.3 µs"}, {duration(2.5e9), "2.50 s"},
		{Seconds{1, 0.5, 2}.String(), "1.00 s (500 ms to 2.00 s)"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}
