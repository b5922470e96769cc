// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package record

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// figurePattern matches a figure of a page and captures its kind, arguments and text. A
// figure is enclosed in two HTML comments, the first of which contains the kind and the
// arguments:
//
//	<!-- figure gbs umac-64 unimac 16KiB -->41<!-- / -->
var figurePattern = regexp.MustCompile(`<!-- figure (\w+)((?: [^>]+?)?) -->([^<]*)<!-- / -->`)

// figures maps each kind of figure to the function that computes its text.
var figures = map[string]func(r *Record, args string) (string, error){
	// gbs CONTEST ENTRANT SIZE returns GB/s, or "" if the record lacks the entrant.
	"gbs": func(r *Record, args string) (string, error) {
		contest, names, size, err := parse(args, 1)
		if err != nil {
			return "", err
		}
		if v := r.GBs(contest, names[0], size); !math.IsNaN(v) {
			return two(v), nil
		}
		return "", nil
	},
	// ns CONTEST ENTRANT SIZE returns nanoseconds.
	"ns": func(r *Record, args string) (string, error) {
		contest, names, size, err := parse(args, 1)
		if err != nil {
			return "", err
		}
		return Three(r.NS(contest, names[0], size)), nil
	},
	// times CONTEST ENTRANT PEER SIZE returns the entrant's speed divided by the
	// peer's.
	"times": func(r *Record, args string) (string, error) {
		contest, names, size, err := parse(args, 2)
		if err != nil {
			return "", err
		}
		return two(r.Times(contest, names[0], names[1], size)), nil
	},
	// program TITLE returns a program's speed with the copy as a multiple of its speed
	// without the copy.
	"program": func(r *Record, args string) (string, error) {
		best, _ := r.Program(args)
		return fmt.Sprintf("%.2f", best), nil
	},
	// processor returns the inferred name of the processor, up to the first comma.
	"processor": func(r *Record, _ string) (string, error) {
		name, _, _ := strings.Cut(r.Name, ",")
		return name, nil
	},
}

// parse splits a figure's arguments: a contest, n entrants, and a size such as 16KiB.
func parse(args string, n int) (contest string, entrants []string, size int, err error) {
	fields := strings.Fields(args)
	if len(fields) != n+2 {
		return "", nil, 0, fmt.Errorf("figure with %q, want a contest, %d entrants and a size", args, n)
	}
	number, unit := fields[n+1], 1
	for suffix, bytes := range map[string]int{"KiB": 1 << 10, "MiB": 1 << 20} {
		if short, found := strings.CutSuffix(number, suffix); found {
			number, unit = short, bytes
		}
	}
	size, err = strconv.Atoi(number)
	return fields[0], fields[1 : n+1], size * unit, err
}

func two(v float64) string   { return digits(v, 1) }
func Three(v float64) string { return digits(v, 2) }

func digits(v float64, more int) string {
	places := max(0, more-int(math.Floor(math.Log10(v))))
	return fmt.Sprintf("%.*f", places, v)
}

// blocks lists the generated parts of pages, which are enclosed in "<!-- begin NAME
// -->" and "<!-- end NAME -->".
var blocks = []struct {
	page, name string
	text       func(all []*Record) string
}{
	{"doc/speed.md", "machine", eachMachine((*Record).machine)},
	{"doc/speed.md", "table", eachMachine((*Record).table)},
	{"doc/speed.md", "charts", chartList},
	{"doc/speed.md", "missed", eachMachine((*Record).missed)},
	{programsPage, "table", programs},
	{"doc/xcrypto.md", "tested", tested},
}

const kiB, miB = 1 << 10, 1 << 20

const programsPage = "internal/bench/programs/README.md"

// Pages lists the pages with figures.
var Pages = []string{"README.md", "doc/choosing.md", "doc/xcrypto.md", "doc/speed.md", programsPage}

// A Chart shows one contest, or sealing and opening side by side.
type Chart struct {
	Name       string   // of the file, without extension
	Contests   []string // one, or two with the same entrants and sizes
	Highlight  string   // the entrant that most readers use: the default format, if there is one
	Conditions string   // of the measurement, as the subtitle states them
	Entrants   []string // shown; nil for all
}

const (
	inCache    = "one core, data in its cache"
	inMemory   = "64 MiB in memory; one core, or two if the label names two threads"
	connection = "1 MiB per Write; two cores, one for each side of a connection"
)

// Charts lists the charts that doc/speed.md shows.
var Charts = []Chart{
	{"chacha20-poly1305-seal-sizes", []string{"chacha20-poly1305-seal-sizes"}, "unimac", inCache, nil},
	{"chacha20-poly1305", []string{"chacha20-poly1305-seal", "chacha20-poly1305-open"}, "unimac", inCache, nil},
	{"chacha20-poly1305-siv", []string{"chacha20-poly1305-siv-seal", "chacha20-poly1305-siv-open"}, "unimac", inCache, nil},
	{"aegis", []string{"aegis-seal", "aegis-open"}, "unimac-256x2", inCache, []string{"unimac-256x2", "unimac-256x2-avx2", "unimac-128x4", "unimac-128l", "libaegis-256x2", "libaegis-128x4", "libaegis-128l", "aes-128-gcm", "openssl-aes-256-gcm", "unimac-chacha20poly1305"}},
	{"stream-formats", []string{"stream-formats-seal", "stream-formats-open"}, "unimac-v2", inMemory, nil},
	{"ssh", []string{"ssh"}, "unimac-chacha20-poly1305", connection, []string{"unimac-chacha20-poly1305", "unimac-chacha20-poly1305-avx2", "umac-128-etm", "umac-128-etm-avx2", "umac-64-etm", "umac-64-etm-avx2", "chacha20-poly1305", "aes128-gcm", "hmac-sha2-256-etm"}},
	{"umac-64", []string{"umac-64"}, "unimac", inCache, nil},
	{"aegis-mac", []string{"aegis-mac"}, "unimac-256x2", inCache, []string{"unimac-256x2", "unimac-256x2-avx2", "unimac-128x4", "unimac-128l", "libaegis-256x2", "libaegis-128x4", "libaegis-128l", "unimac-umac-128", "gmac"}},
	{"poly1305", []string{"poly1305"}, "unimac", inCache, nil},
	{"chacha20-blake2b", []string{"chacha20-blake2b-seal", "chacha20-blake2b-open"}, "unimac", inCache, nil},
}

// A Charted is a chart and a record's contests, with only the entrants that the chart
// shows.
type Charted struct {
	Chart
	Panels []Contest
}

// Title returns the title of the chart. For two contests, it names only the algorithm.
func (c *Charted) Title() string {
	if len(c.Panels) == 1 {
		return c.Panels[0].Title
	}
	algorithm, _, _ := strings.Cut(c.Panels[0].Title, ", ")
	return algorithm
}

// Charted returns the charts of the contests that r contains.
func (r *Record) Charted() (charted []Charted) {
	for _, chart := range Charts {
		c := Charted{Chart: chart}
		for _, name := range chart.Contests {
			if measured := r.Contest(name); measured != nil {
				c.Panels = append(c.Panels, measured.only(chart.Entrants))
			}
		}
		if len(c.Panels) > 0 {
			charted = append(charted, c)
		}
	}
	return charted
}

// only returns c with the named entrants. If names is nil, it omits only the peers that
// were restricted to a level.
func (c Contest) only(names []string) Contest {
	all := c
	c.Entrants = nil
	for _, e := range all.Entrants {
		if names == nil && e.Level == "" {
			c.Entrants = append(c.Entrants, e)
		}
	}
	for _, name := range names {
		if e := all.Entrant(name); e != nil {
			c.Entrants = append(c.Entrants, *e)
		}
	}
	return c
}

func chartList(all []*Record) string {
	var b strings.Builder
	for _, c := range Main(all).Charted() {
		fmt.Fprintf(&b, "![%s](../internal/bench/charts/%s.svg)\n", c.Title(), c.Name)
	}
	return "\n" + b.String() + "\n"
}

// Main returns the record for figures and charts: among the records with the most
// contests, the latest.
func Main(all []*Record) *Record {
	return slices.MaxFunc(all, func(a, b *Record) int {
		return cmp.Or(cmp.Compare(len(a.Contests), len(b.Contests)), strings.Compare(a.Date, b.Date))
	})
}

// Update returns the text of a page with the records' figures and blocks.
func Update(all []*Record, page, text string) (string, error) {
	var failed error
	text = figurePattern.ReplaceAllStringFunc(text, func(found string) string {
		parts := figurePattern.FindStringSubmatch(found)
		kind, args := parts[1], strings.TrimSpace(parts[2])
		compute := figures[kind]
		if compute == nil {
			failed = fmt.Errorf("%s: unknown kind of figure %q", page, kind)
			return found
		}
		value, err := compute(Main(all), args)
		if err != nil {
			failed = fmt.Errorf("%s: %w", page, err)
			return found
		}
		return strings.Replace(found, ">"+parts[3]+"<", ">"+value+"<", 1)
	})
	if failed != nil {
		return "", failed
	}
	for _, b := range blocks {
		if b.page != page {
			continue
		}
		begin, end := "<!-- begin "+b.name+" -->\n", "<!-- end "+b.name+" -->"
		before, rest, found := strings.Cut(text, begin)
		_, after, ended := strings.Cut(rest, end)
		if !found || !ended {
			return "", fmt.Errorf("%s: no %q and %q", page, begin, end)
		}
		text = before + begin + b.text(all) + end + after
	}
	return text, nil
}

// UpdatePages writes the figures into the pages of the repository at root.
func UpdatePages(root string) error {
	all, err := All(root)
	if err != nil {
		return err
	}
	for _, page := range Pages {
		name := filepath.Join(root, filepath.FromSlash(page))
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		text, err := Update(all, page, string(data))
		if err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}
