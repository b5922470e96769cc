// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package record reads and writes the files in doc/speed, the only source of the
// manual's figures. Each file contains the measurements of one processor. The package
// writes the figures into the pages, and its tests compare the pages with the files.
package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Dir is the directory of the records, relative to the root of the repository.
const Dir = "doc/speed"

// A Record contains the results that were measured on one processor.
type Record struct {
	Name      string // the processor's generation, in words
	Date      string // of the contests, as 2026-11-23
	Commit    string // that was measured, or the first that has the figures
	Processor string // as the system names it
	Features  string // of the processor, those that kernels use
	Go        string // release and platform
	Peers     string // with their versions
	Rounds    int    // of each contest, at least
	Share     float64
	Contests  []Contest
	Programs  []Program // measured by the command in internal/bench/programs
	Tests     []Tested  `json:",omitempty"` // run by the same command
}

// A Contest contains the results of the entrants for one kind of work.
type Contest struct {
	Name, Title string
	Sizes       []int  // of a message
	Bytes       []int  // that are worked on, for each size
	RatioTo     string `json:",omitempty"` // the entrant that the contest compares with
	Entrants    []Entrant
}

// An Entrant contains the median and the quartiles of its durations, in ns, for each
// size.
type Entrant struct {
	Name, Label   string
	Ours, Other   bool   // this module's; another algorithm
	Level         string `json:",omitempty"` // that a peer is restricted to: "avx2"
	NS, Low, High []float64
}

// Spread returns the interquartile range of size i divided by the median.
func (e *Entrant) Spread(i int) float64 { return (e.High[i] - e.Low[i]) / e.NS[i] }

// Spread returns the largest spread of an entrant at size i.
func (c *Contest) Spread(i int) (largest float64) {
	for j := range c.Entrants {
		largest = max(largest, c.Entrants[j].Spread(i))
	}
	return largest
}

// A Program contains the times of a program as released and with a copy of x/crypto.
type Program struct {
	Name, What      string
	Date, Commit    string
	Plain, Vendored Seconds
	AVX2            Seconds `json:",omitzero"` // with the copy, on a processor without AVX-512
}

// Seconds contains the median, the minimum and the maximum duration of some rounds.
type Seconds struct{ Median, Least, Most float64 }

// Times returns the program's speed with the copy as a multiple of its speed as
// released. TimesAVX2 returns the same multiple without AVX-512, or NaN if it was not
// measured.
func (p *Program) Times() float64 { return p.Plain.Median / p.Vendored.Median }

func (p *Program) TimesAVX2() float64 {
	if p.AVX2.Median == 0 {
		return math.NaN()
	}
	return p.Plain.Median / p.AVX2.Median
}

// A Tested is a program that passed its own tests with a copy of x/crypto.
type Tested struct {
	Name     string
	Module   string   // with its version
	XCrypto  string   // version that was copied
	Uses     []string // packages of x/crypto that have kernels in the copy
	Packages []string // whose tests were run
	Omitted  string   `json:",omitempty"` // matches the names of tests that were not run
	Reason   string   `json:",omitempty"` // why Omitted was not run, as a clause after "which"
	Passed   int      // number of top-level tests
	Skipped  int      // number of top-level tests that skipped themselves
	Date     string
	Commit   string

	Unreliable *Unreliable `json:",omitempty"`
}

// An Unreliable is a test that sometimes fails even without the copy, and is therefore
// not counted.
type Unreliable struct {
	Test           string // matches the name of the test
	Runs           int    // in each build
	Released, Copy int    // failures in each build
}

// AddTested adds results, which replace those of the same programs.
func (r *Record) AddTested(results []Tested) {
	for _, t := range results {
		r.Tests = slices.DeleteFunc(r.Tests, func(old Tested) bool { return old.Name == t.Name })
	}
	r.Tests = append(r.Tests, results...)
	slices.SortFunc(r.Tests, func(a, b Tested) int {
		return strings.Compare(strings.ToLower(a.Module), strings.ToLower(b.Module))
	})
}

// Load reads the named processor's record, or returns an empty record if there is none.
func Load(root, name string) (*Record, error) {
	r := &Record{Name: name}
	data, err := os.ReadFile(r.file(root))
	if os.IsNotExist(err) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(data, r)
	}
	return r, err
}

// All reads all records of the repository at root, sorted by file name.
func All(root string) (all []*Record, err error) {
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(Dir), "*.json"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		r := new(Record)
		if err == nil {
			err = json.Unmarshal(data, r)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, r)
	}
	return all, err
}

func (r *Record) file(root string) string {
	name := regexp.MustCompile("[^a-z0-9]+").ReplaceAllString(strings.ToLower(r.Name), "-")
	return filepath.Join(root, filepath.FromSlash(Dir), strings.Trim(name, "-")+".json")
}

// Save writes the record, with a line for each entrant.
func (r *Record) Save(root string) error {
	for i := range r.Contests {
		for _, e := range r.Contests[i].Entrants {
			round(e.NS)
			round(e.Low)
			round(e.High)
		}
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	for _, start := range []string{`{"Name":`, `"Contests":`, `"Programs":`, `"Tests":`} {
		data = bytes.ReplaceAll(data, []byte(start), []byte("\n"+start))
	}
	data = append(bytes.TrimSpace(data), '\n')
	if err := os.MkdirAll(filepath.Join(root, filepath.FromSlash(Dir)), 0o777); err != nil {
		return err
	}
	return os.WriteFile(r.file(root), data, 0o666)
}

// round rounds values to four digits, because the measurement is not more precise.
func round(values []float64) {
	for i, v := range values {
		values[i], _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	}
}

// Contest returns the named contest, or nil.
func (r *Record) Contest(name string) *Contest {
	i := slices.IndexFunc(r.Contests, func(c Contest) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Contests[i]
}

// Entrant returns the named entrant, or nil.
func (c *Contest) Entrant(name string) *Entrant {
	i := slices.IndexFunc(c.Entrants, func(e Entrant) bool { return e.Name == name })
	if i < 0 {
		return nil
	}
	return &c.Entrants[i]
}

// GBs returns an entrant's speed in GB/s at the size with index i.
func (c *Contest) GBs(e *Entrant, i int) float64 { return float64(c.Bytes[i]) / e.NS[i] }

// best returns the fastest peer at the size with index i. Peers with another algorithm
// count only if there are no other peers. If level is not empty, peers that were
// restricted to it replace unrestricted peers.
func (c *Contest) best(i int, level string) (best *Entrant) {
	for k := range c.Entrants {
		e := &c.Entrants[k]
		if e.Ours || e.Level != "" {
			continue
		}
		e = c.atLevel(e, level)
		if best == nil || best.Other && !e.Other || best.Other == e.Other && e.NS[i] < best.NS[i] {
			best = e
		}
	}
	return best
}

// atLevel returns the variant of e that was restricted to level, or e if there is none.
func (c *Contest) atLevel(e *Entrant, level string) *Entrant {
	if level == "" {
		return e
	}
	if restricted := c.Entrant(e.Name + "-" + level); restricted != nil && restricted.Level == level {
		return restricted
	}
	return e
}

// NS returns the duration of an entrant's work in nanoseconds, or NaN if it was not
// measured.
func (r *Record) NS(contest, entrant string, size int) float64 {
	c := r.Contest(contest)
	if c == nil {
		return math.NaN()
	}
	e, i := c.Entrant(entrant), slices.Index(c.Sizes, size)
	if e == nil || i < 0 {
		return math.NaN()
	}
	return e.NS[i]
}

// GBs returns an entrant's speed in GB/s.
func (r *Record) GBs(contest, entrant string, size int) float64 {
	ns := r.NS(contest, entrant, size)
	if math.IsNaN(ns) {
		return ns
	}
	c := r.Contest(contest)
	return float64(c.Bytes[slices.Index(c.Sizes, size)]) / ns
}

// Times returns the speed of one entrant as a multiple of another's.
func (r *Record) Times(contest, ours, peer string, size int) float64 {
	return r.NS(contest, peer, size) / r.NS(contest, ours, size)
}

// Program returns two speed-ups of a program by a copy of x/crypto: with all kernels
// and without AVX-512. what has the form "name: what". A speed-up that was not measured
// is NaN.
func (r *Record) Program(what string) (best, lower float64) {
	for _, p := range r.Programs {
		if p.Name+": "+p.What == what {
			return p.Times(), p.TimesAVX2()
		}
	}
	return math.NaN(), math.NaN()
}

// Add adds measured programs, which replace earlier ones with the same names.
func (r *Record) Add(measured []Program) {
	for _, p := range measured {
		r.Programs = slices.DeleteFunc(r.Programs, func(old Program) bool { return old.Name == p.Name })
	}
	r.Programs = append(r.Programs, measured...)
}

// Level names the widest vectors for which the processor has kernels.
func (r *Record) Level() string {
	for _, level := range [][2]string{{"AVX512", "AVX-512"}, {"AVX2", "AVX2"}, {"SSE4", "SSE4.1"}, {"NEON", "NEON"}} {
		if strings.Contains(r.Features, level[0]) {
			return level[1]
		}
	}
	return "plain Go"
}
