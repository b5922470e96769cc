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

// A figure of a page stands between two comments, the first of which says where it comes from:
//
//	<!-- figure gbs umac-64 unimac 16KiB -->41<!-- / -->
//
// figurePattern matches it. Its parts are the kind, the arguments and the text.
var figurePattern = regexp.MustCompile(`<!-- figure (\w+)((?: [^>]+?)?) -->([^<]*)<!-- / -->`)

// figures maps each kind of figure to the function that computes its text from the arguments.
var figures = map[string]func(r *Record, args string) (string, error){
	// gbs CONTEST ENTRANT SIZE: GB/s, or nothing if the record lacks the entrant.
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
	// ns CONTEST ENTRANT SIZE: nanoseconds.
	"ns": func(r *Record, args string) (string, error) {
		contest, names, size, err := parse(args, 1)
		if err != nil {
			return "", err
		}
		return Three(r.NS(contest, names[0], size)), nil
	},
	// times CONTEST ENTRANT PEER SIZE: the speed of the entrant divided by that of the peer.
	"times": func(r *Record, args string) (string, error) {
		contest, names, size, err := parse(args, 2)
		if err != nil {
			return "", err
		}
		return two(r.Times(contest, names[0], names[1], size)), nil
	},
	// program TITLE: the speed of a program with a copy of x/crypto divided by that without.
	"program": func(r *Record, args string) (string, error) {
		best, _ := r.Program(args)
		return fmt.Sprintf("%.2f", best), nil
	},
	// processor: the name of the processor, without what follows a comma.
	"processor": func(r *Record, _ string) (string, error) {
		name, _, _ := strings.Cut(r.Name, ",")
		return name, nil
	},
}

// parse splits the arguments of a figure: a contest, n entrants, and a size such as 256 or 16KiB.
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

// two formats v with two significant digits, Three with three.
func two(v float64) string   { return digits(v, 1) }
func Three(v float64) string { return digits(v, 2) }

func digits(v float64, more int) string {
	places := max(0, more-int(math.Floor(math.Log10(v))))
	return fmt.Sprintf("%.*f", places, v)
}

// blocks are the generated parts of pages. Each is enclosed in the comments
// "<!-- begin NAME -->" and "<!-- end NAME -->".
var blocks = []struct {
	page, name string
	text       func(all []*Record) string
}{
	{"doc/speed.md", "machine", eachMachine((*Record).machine)},
	{"doc/speed.md", "table", eachMachine((*Record).table)},
	{"doc/speed.md", "charts", chartList},
	{"doc/speed.md", "missed", eachMachine((*Record).missed)},
	{programsPage, "table", programs},
}

const kiB, miB = 1 << 10, 1 << 20

const programsPage = "internal/bench/programs/README.md"

// Pages lists the pages with figures.
var Pages = []string{"README.md", "doc/choosing.md", "doc/xcrypto.md", "doc/speed.md", programsPage}

// Charts lists the contests that doc/speed.md shows as charts, with the entrants shown; nil means
// all.
var Charts = []struct {
	Contest  string
	Entrants []string
}{
	{"chacha20-poly1305-seal-sizes", nil},
	{"chacha20-poly1305-seal", nil},
	{"chacha20-poly1305-siv-seal", nil},
	{"aegis-seal", []string{"unimac-256x2", "unimac-256x2-avx2", "unimac-128x4", "unimac-128l", "libaegis-256x2", "libaegis-128x4", "libaegis-128l", "aes-128-gcm", "openssl-aes-256-gcm", "unimac-chacha20poly1305"}},
	{"stream-formats-seal", nil},
	{"stream-formats-open", nil},
	{"ssh", nil},
	{"umac-64", nil},
	{"aegis-mac", []string{"unimac-256x2", "unimac-256x2-avx2", "unimac-128x4", "unimac-128l", "libaegis-256x2", "libaegis-128x4", "libaegis-128l", "unimac-umac-128", "gmac"}},
	{"poly1305", nil},
	{"chacha20-blake2b-seal", nil},
}

// Charted returns the contests with charts, reduced to the entrants shown.
func (r *Record) Charted() (charted []Contest) {
	for _, chart := range Charts {
		c := r.Contest(chart.Contest)
		if c == nil {
			continue
		}
		shown := *c
		if chart.Entrants != nil {
			shown.Entrants = nil
			for _, name := range chart.Entrants {
				if e := c.Entrant(name); e != nil {
					shown.Entrants = append(shown.Entrants, *e)
				}
			}
		}
		charted = append(charted, shown)
	}
	return charted
}

// chartList returns links to the charts of the main record.
func chartList(all []*Record) string {
	var b strings.Builder
	for _, c := range Main(all).Charted() {
		fmt.Fprintf(&b, "![%s](../internal/bench/charts/%s.svg)\n", c.Title, c.Name)
	}
	return "\n" + b.String() + "\n"
}

// Main returns the record used for figures and charts: among the records with the most contests, the
// latest.
func Main(all []*Record) *Record {
	return slices.MaxFunc(all, func(a, b *Record) int {
		return cmp.Or(cmp.Compare(len(a.Contests), len(b.Contests)), strings.Compare(a.Date, b.Date))
	})
}

// Update returns a page with the figures and blocks of the records.
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
