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
	"strings"
)

// A sentence of a page has figures where its text has a #, the processor's name where it has an @,
// and the cell of a table, which may be empty, where it has a %.
type sentence struct {
	page, text string
	figures    []figure
}

type figure func(r *Record) string

const kiB, miB = 1 << 10, 1 << 20

func gbs(contest, entrant string, size int) figure {
	return func(r *Record) string { return two(r.GBs(contest, entrant, size)) }
}

// bothLevels are our speeds with all that the processor has, and with AVX2 alone.
func bothLevels(contest string, size int) []figure {
	return []figure{gbs(contest, "unimac", size), gbs(contest, "unimac-avx2", size)}
}

// bothCells are bothLevels of an entrant that not all records have.
func bothCells(contest, entrant string, size int) []figure {
	cell := func(name string) figure {
		return func(r *Record) string {
			if v := r.GBs(contest, name, size); !math.IsNaN(v) {
				return " " + two(v) + " "
			}
			return " "
		}
	}
	return []figure{cell(entrant), cell(entrant + "-avx2")}
}

// processorName is the generation, without what comes after a comma.
func processorName(r *Record) string {
	name, _, _ := strings.Cut(r.Name, ",")
	return name
}

func ns(contest, entrant string, size int) figure {
	return func(r *Record) string { return Three(r.NS(contest, entrant, size)) }
}

func times(contest, ours, peer string, size int) figure {
	return func(r *Record) string { return two(r.Times(contest, ours, peer, size)) }
}

func program(what string) figure {
	return func(r *Record) string {
		best, _ := r.Program(what)
		return fmt.Sprintf("%.2f", best)
	}
}

// two writes two digits, Three writes three.
func two(v float64) string   { return digits(v, 1) }
func Three(v float64) string { return digits(v, 2) }

func digits(v float64, more int) string {
	places := max(0, more-int(math.Floor(math.Log10(v))))
	return fmt.Sprintf("%.*f", places, v)
}

// sentences are all that have figures outside of the tables that blocks makes.
var sentences = []sentence{
	{"README.md", "| 32 per chunk | to everything | # | # |", []figure{gbs("stream-formats-seal", "unimac-v2", 64*miB), gbs("stream-formats-seal", "unimac-v2-avx2", 64*miB)}},
	{"README.md", "Cobblestone128 | 16, long-lived | nothing | 16 per chunk | to key and additional data | # |", []figure{gbs("stream-formats-seal", "unimac-cobblestone128", 64*miB)}},
	{"README.md", "ChunkedChaCha20Poly1305 | 32, long-lived | nothing | 16 per chunk | to key and additional data | # | # |", bothLevels("stream-formats-seal", 64*miB)},
	{"README.md", "ChunkedAEGIS256X2 | 32, long-lived | nothing | 16 per chunk | to key and additional data |%|%|", bothCells("stream-formats-seal", "unimac-aegis256x2", 64*miB)},
	{"README.md", "| 32, 48, 64 | to everything | # | # |", bothLevels("chacha20-blake2b-seal", 16*kiB)},
	{"README.md", "| 32 | to key and nonce | # | # |", bothLevels("chacha20-poly1305-siv-seal", 16*kiB)},
	{"README.md", "unless others choose the additional data |%|%|", bothCells("aegis-seal", "unimac-256x2", 16*kiB)},
	{"README.md", "| `chacha20poly1305` | 32, long-lived | a nonce of 12 bytes or, random, 24 | 16 | no | # | # |", bothLevels("chacha20-poly1305-seal", 16*kiB)},
	{"README.md", "| 4, 8, 12, 16 | no | # for 8 bytes, # for 16 | #, # |", []figure{
		gbs("umac-64", "unimac", 16*kiB), gbs("umac-128", "unimac", 16*kiB), gbs("umac-64", "unimac-avx2", 16*kiB), gbs("umac-128", "unimac-avx2", 16*kiB)}},
	{"README.md", "| a unique key | 16 | no | # | # |", bothLevels("poly1305", 16*kiB)},
	{"README.md", "| 16, 32, 64 | no | # | # |", bothLevels("multimixer-mac", 16*kiB)},
	{"README.md", "| 32, 48, 64 | no | #, in batches # | #, in batches # |", []figure{
		gbs("multimac", "unimac", 16*kiB), gbs("multimac-8", "unimac", 16*kiB), gbs("multimac", "unimac-avx2", 16*kiB), gbs("multimac-8", "unimac-avx2", 16*kiB)}},
	{"README.md", "| 1 to 64 | to everything, from 32 bytes on | #, in batches # | #, in batches # |", []figure{
		gbs("blake2b", "unimac", 16*kiB), gbs("blake2b-8", "unimac", 16*kiB), gbs("blake2b", "unimac-avx2", 16*kiB), gbs("blake2b-8", "unimac-avx2", 16*kiB)}},
	{"README.md", "| none | no | # | # |", bothLevels("chacha20", 16*kiB)},
	{"doc/speed.md", "The charts below are of the @, except", []figure{processorName}},
	{"README.md", "GB/s are for one core of an @, with AVX-512", []figure{processorName}},
	{"README.md", "seals 1420 bytes # times and 16 KiB # times as fast as x/crypto", []figure{
		times("chacha20-poly1305-seal", "unimac-avx2", "x-crypto", 1420), times("chacha20-poly1305-seal", "unimac-avx2", "x-crypto", 16*kiB)}},
	{"README.md", "on one core of an @, 256 bytes take # ns, with our ChaCha20-Poly1305 # ns, and with `aead`, which commits, # ns.", []figure{
		processorName, ns("chacha20-blake2b-seal", "aes-256-gcm", 256), ns("chacha20-blake2b-seal", "unimac-chacha20poly1305", 256), ns("chacha20-blake2b-seal", "unimac", 256)}},
	{"README.md", "At 16 KiB the three run at #, # and # GB/s", []figure{
		gbs("chacha20-blake2b-seal", "aes-256-gcm", 16*kiB), gbs("chacha20-poly1305-seal", "unimac", 16*kiB), gbs("chacha20-blake2b-seal", "unimac", 16*kiB)}},
	{"README.md", "At 16 KiB, UMAC-128 is # times as fast as GMAC", []figure{times("umac-128", "unimac", "gmac", 16*kiB)}},
	{"README.md", "All figures here are of an @.", []figure{processorName}},
	{"README.md", "hashes 32 bytes in # ns; the MAC on Multimixer-128 needs # ns", []figure{ns("multimixer-mac", "highwayhash-128", 32), ns("multimixer-mac", "unimac", 32)}},
	{"README.md", "(keyed, 1 MiB: # GB/s, ours # GB/s)", []figure{gbs("blake2b", "blake3", miB), gbs("blake2b", "unimac", miB)}},
	{"README.md", "`blake2b.SumBatch` reaches # GB/s", []figure{gbs("blake2b-8", "unimac", 16*kiB)}},
	{"README.md", "seals at # times the speed of x/crypto's ChaCha20-Poly1305", []figure{times("stream-formats-seal", "unimac-v2-avx2", "x-chacha20poly1305", 64*miB)}},
	{"README.md", "sends a file at # and receives one at # times its speed", []figure{
		program("go-sftp-server: the same by sshd, and by the copy (get)"), program("go-sftp-server: the same by sshd, and by the copy (put)")}},
	{"README.md", "age v1.3.2 encrypts to /dev/null # times as fast and decrypts # times as fast on an @. To", []figure{
		program("age: encrypt 1074 MB to /dev/null"), program("age: decrypt 1074 MB to /dev/null"), processorName}},
}

// blocks are the parts of pages that are made as a whole, between the comments
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

const programsPage = "internal/bench/programs/README.md"

// Pages are those that have figures.
var Pages = []string{"README.md", "doc/speed.md", programsPage}

// Charts are the contests that doc/speed.md has charts of, each with those of its entrants that are
// shown, nil for all.
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

// Charted returns the contests that have charts, with those entrants alone.
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

// chartList links to the charts of the main record.
func chartList(all []*Record) string {
	var b strings.Builder
	for _, c := range Main(all).Charted() {
		fmt.Fprintf(&b, "![%s](../internal/bench/charts/%s.svg)\n", c.Title, c.Name)
	}
	return "\n" + b.String() + "\n"
}

// Main returns the record that sentences with figures, and charts of one processor, are about: the
// one of the most contests, and the latest of such.
func Main(all []*Record) *Record {
	return slices.MaxFunc(all, func(a, b *Record) int {
		return cmp.Or(cmp.Compare(len(a.Contests), len(b.Contests)), strings.Compare(a.Date, b.Date))
	})
}

// Update returns a page with the figures of the records.
func Update(all []*Record, page, text string) (string, error) {
	for _, s := range sentences {
		if s.page != page {
			continue
		}
		var err error
		if text, err = s.update(text, Main(all)); err != nil {
			return "", err
		}
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

// pattern returns what finds the sentence, however its lines are broken.
func (s *sentence) pattern() *regexp.Regexp {
	pattern := regexp.QuoteMeta(s.text)
	pattern = strings.NewReplacer("#", `([0-9.]*[0-9]|NaN)`, "@", `([\w -]+?)`, "%", `([^|]*)`).Replace(pattern)
	return regexp.MustCompile(strings.ReplaceAll(pattern, " ", `\s+`))
}

func (s *sentence) update(text string, r *Record) (string, error) {
	found := s.pattern().FindAllStringSubmatchIndex(text, -1)
	if len(found) != 1 {
		return "", fmt.Errorf("%s has %d times %q, want it once", s.page, len(found), s.text)
	}
	groups := found[0][2:]
	for i, f := range slices.Backward(s.figures) {
		text = text[:groups[2*i]] + f(r) + text[groups[2*i+1]:]
	}
	return text, nil
}

// UpdatePages writes the figures into the pages of the repository at a root.
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
