// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A row of the table in doc/speed.md shows a contest at one size.
type row struct {
	work, contest string
	size          int
	time          bool   // shows times instead of speeds
	peer          string // "" for the fastest peer that does the same work
	own           string // "" for unimac; the suffix of a level gives the entrant of the level
}

var rows = []row{
	{"UMAC-64, 32 B", "umac-64", 32, true, "", ""},
	{"UMAC-64, 64 messages of 32 B", "umac-64-batch", 32, true, "", ""},
	{"UMAC-64, 16 KiB", "umac-64", 16 * kiB, false, "", ""},
	{"UMAC-128, 16 KiB", "umac-128", 16 * kiB, false, "", ""},
	{"Poly1305, 1 KiB", "poly1305", kiB, false, "", ""},
	{"Poly1305, 16 KiB", "poly1305", 16 * kiB, false, "", ""},
	{"Multimixer-128 digest, 32 B", "multimixer-digest", 32, true, "", ""},
	{"Multimixer-128 digest, 16 KiB", "multimixer-digest", 16 * kiB, false, "", ""},
	{"MAC on Multimixer-128, 16 KiB", "multimixer-mac", 16 * kiB, false, "crypto-hmac", ""},
	{"MultiMAC, 16 B and 16 KiB", "multimac", 16 * kiB, false, "", ""},
	{"the same, eight lists at once", "multimac-8", 16 * kiB, false, "", ""},
	{"BLAKE2b with a key, 16 KiB", "blake2b", 16 * kiB, false, "", ""},
	{"the same, eight messages at once", "blake2b-8", 16 * kiB, false, "", ""},
	{"ChaCha20, 16 KiB", "chacha20", 16 * kiB, false, "", ""},
	{"ChaCha20-Poly1305 Seal, 64 B", "chacha20-poly1305-seal", 64, true, "", ""},
	{"the same, opened", "chacha20-poly1305-open", 64, true, "", ""},
	{"ChaCha20-Poly1305 Seal, 1420 B", "chacha20-poly1305-seal", 1420, true, "", ""},
	{"the same, opened", "chacha20-poly1305-open", 1420, true, "", ""},
	{"ChaCha20-Poly1305 Seal, 16 KiB", "chacha20-poly1305-seal", 16 * kiB, false, "", ""},
	{"the same, opened", "chacha20-poly1305-open", 16 * kiB, false, "", ""},
	{"ChaCha20-Poly1305 SealBatch, 128 packets of 256 B", "chacha20-poly1305-batch", 256, true, "", ""},
	{"ChaCha20-Poly1305-SIV Seal, 64 B", "chacha20-poly1305-siv-seal", 64, true, "x-crypto", ""},
	{"the same, opened", "chacha20-poly1305-siv-open", 64, true, "x-crypto", ""},
	{"ChaCha20-Poly1305-SIV Seal, 16 KiB", "chacha20-poly1305-siv-seal", 16 * kiB, false, "x-crypto", ""},
	{"the same, opened", "chacha20-poly1305-siv-open", 16 * kiB, false, "x-crypto", ""},
	{"ChaCha20-BLAKE2b Seal, 16 KiB", "chacha20-blake2b-seal", 16 * kiB, false, "", ""},
	{"the same, opened", "chacha20-blake2b-open", 16 * kiB, false, "", ""},
	{"AEGIS-128L Seal, 64 B", "aegis-seal", 64, true, "libaegis-128l", "unimac-128l"},
	{"the same, opened", "aegis-open", 64, true, "libaegis-128l", "unimac-128l"},
	{"AEGIS-256X2 Seal, 64 B", "aegis-seal", 64, true, "libaegis-256x2", "unimac-256x2"},
	{"the same, opened", "aegis-open", 64, true, "libaegis-256x2", "unimac-256x2"},
	{"AEGIS-128L Seal, 16 KiB", "aegis-seal", 16 * kiB, false, "libaegis-128l", "unimac-128l"},
	{"the same, opened", "aegis-open", 16 * kiB, false, "libaegis-128l", "unimac-128l"},
	{"AEGIS-128X4 Seal, 16 KiB", "aegis-seal", 16 * kiB, false, "libaegis-128x4", "unimac-128x4"},
	{"the same, opened", "aegis-open", 16 * kiB, false, "libaegis-128x4", "unimac-128x4"},
	{"AEGIS-256 Seal, 16 KiB", "aegis-seal", 16 * kiB, false, "libaegis-256", "unimac-256"},
	{"the same, opened", "aegis-open", 16 * kiB, false, "libaegis-256", "unimac-256"},
	{"AEGIS-256X2 Seal, 16 KiB", "aegis-seal", 16 * kiB, false, "libaegis-256x2", "unimac-256x2"},
	{"the same, opened", "aegis-open", 16 * kiB, false, "libaegis-256x2", "unimac-256x2"},
	{"AEGIS-256X2 Seal, 16 KiB, next to AES-128-GCM", "aegis-seal", 16 * kiB, false, "aes-128-gcm", "unimac-256x2"},
	{"AEGISMAC-256X2, 16 KiB", "aegis-mac", 16 * kiB, false, "libaegis-256x2", "unimac-256x2"},
	{"stream, UnimacV2, sealed, 64 MiB", "stream-formats-seal", 64 * miB, false, "x-chacha20poly1305", "unimac-v2"},
	{"the same, opened", "stream-formats-open", 64 * miB, false, "x-chacha20poly1305", "unimac-v2"},
	{"stream, ChunkedChaCha20Poly1305, sealed", "stream-formats-seal", 64 * miB, false, "x-chacha20poly1305", ""},
	{"the same, opened", "stream-formats-open", 64 * miB, false, "x-chacha20poly1305", ""},
	{"stream, ChunkedAEGIS256X2, sealed", "stream-formats-seal", 64 * miB, false, "libaegis-256x2", "unimac-aegis256x2"},
	{"the same, opened", "stream-formats-open", 64 * miB, false, "libaegis-256x2", "unimac-aegis256x2"},
	{"stream, Cobblestone128, sealed", "stream-formats-seal", 64 * miB, false, "crypto-gcm", "unimac-cobblestone128"},
	{"the same, opened", "stream-formats-open", 64 * miB, false, "crypto-gcm", "unimac-cobblestone128"},
	{"stream, Cobblestone256, sealed", "stream-formats-seal", 64 * miB, false, "crypto-gcm", "unimac-cobblestone256"},
	{"the same, opened", "stream-formats-open", 64 * miB, false, "crypto-gcm", "unimac-cobblestone256"},
	{"SSH, chacha20-poly1305, accelerated", "ssh", miB, false, "chacha20-poly1305", "unimac-chacha20-poly1305"},
	{"SSH, aes128-ctr and umac-128-etm", "ssh", miB, false, "hmac-sha2-256-etm", "umac-128-etm"},
}

// levels lists the columns of the table. A peer that uses wider vectors than a column's
// level gets a footnote mark.
var levels = []struct{ title, name string }{{"", ""}, {"AVX2", "avx2"}, {"SSE4.1", "sse41"}}

var vectorLevels = []string{"SSE4.1", "AVX2", "AVX-512"}

// widest lists the peers that never use AVX-512, with the widest level that they use.
// Names may be prefixes of an entrant's name.
var widest = []struct{ peer, level string }{
	{"nettle", "SSE4.1"}, {"aes-", "SSE4.1"}, {"aes128-gcm", "SSE4.1"}, {"crypto-gcm", "SSE4.1"},
	{"x-", "AVX2"}, {"libsodium", "AVX2"}, {"ring", "AVX2"}, {"crypto-hmac", "AVX2"}, {"highwayhash-", "AVX2"},
	{"chacha20-poly1305", "AVX2"}, {"hmac-sha2-256-etm", "AVX2"},
}

// mark returns a peer's footnote mark in the column of a level: ¹ if the peer may use
// AVX-512, ² if it uses AVX2, and "" if it uses no wider vectors than the level.
func (r *Record) mark(peer *Entrant, title string) string {
	if title == "" || peer.Level != "" {
		return ""
	}
	used := r.Level()
	for _, w := range widest {
		if strings.HasPrefix(peer.Name, w.peer) && slices.Index(vectorLevels, w.level) < slices.Index(vectorLevels, used) {
			used = w.level
		}
	}
	switch {
	case slices.Index(vectorLevels, used) <= slices.Index(vectorLevels, title):
		return ""
	case used == "AVX2":
		return " ²"
	}
	return " ¹"
}

const footnotes = "\n¹ The peer was not restricted to this level and may use AVX-512. ² The peer uses AVX2. A name after a ratio is that of a\npeer that was restricted to the level.\n"

// table returns a table that compares the speeds at each level with a peer's speed,
// usually the fastest peer's.
func (r *Record) table() string {
	var b strings.Builder
	b.WriteString("| work |")
	for _, l := range levels {
		fmt.Fprintf(&b, " %s |", cmp.Or(l.title, r.Level()))
	}
	b.WriteString(" peer |")
	for _, l := range levels {
		fmt.Fprintf(&b, " ratio, %s |", cmp.Or(l.title, r.Level()))
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", 2*len(levels)+1) + "\n")
	for _, row := range rows {
		b.WriteString(r.tableRow(row))
	}
	return b.String() + footnotes
}

func (r *Record) tableRow(row row) string {
	c, own := r.Contest(row.contest), cmp.Or(row.own, "unimac")
	if c == nil || c.Entrant(own) == nil {
		return ""
	}
	i := slices.Index(c.Sizes, row.size)
	show := func(e *Entrant) string {
		if row.time {
			return duration(e.NS[i]) + spread(e, i)
		}
		return two(c.GBs(e, i)) + " GB/s" + spread(e, i)
	}
	cells, ratios, name := "| "+row.work+" |", "", ""
	for _, l := range levels {
		peer := c.best(i, l.name)
		if row.peer != "" {
			if peer = c.Entrant(row.peer); peer != nil {
				peer = c.atLevel(peer, l.name)
			}
		}
		if l.name == "" && peer != nil {
			name = peer.Label + " " + show(peer)
		}
		cell, ratio := "", ""
		if e := c.Entrant(strings.TrimSuffix(own+"-"+l.name, "-")); e != nil {
			cell = show(e)
			if peer != nil {
				ratio = two(peer.NS[i]/e.NS[i]) + r.mark(peer, l.title)
				if peer.Level != "" {
					ratio += ", " + peer.Label
				}
			}
		}
		cells += " " + cell + " |"
		ratios += " " + ratio + " |"
	}
	return cells + " " + name + " |" + ratios + "\n"
}

// spread returns half of the interquartile range in percent, or "" below 2.5 %.
func spread(e *Entrant, i int) string {
	half := 100 * e.Spread(i) / 2
	if half < 2.5 {
		return ""
	}
	return fmt.Sprintf(" ± %.0f %%", half)
}

func duration(ns float64) string {
	for _, unit := range []string{"ns", "µs", "ms"} {
		if ns < 1000 {
			return Three(ns) + " " + unit
		}
		ns /= 1000
	}
	return Three(ns) + " s"
}

func (r *Record) machine() string {
	text := fmt.Sprintf("- CPUID: %s\n- Kernels: %s\n- Measured: %s, at commit %s, with %s\n- Peers: %s\n- One run; medians of at least %d rounds, in which all take turns. A ± is half of the distance\n  between the quartiles; it is left out below 2.5 %%.\n",
		cmp.Or(r.Processor, "unknown"), r.Features, r.Date, r.Commit, r.Go, r.Peers, r.Rounds)
	if r.Share < 0.85 {
		text += fmt.Sprintf("- Other programs used the machine: %.0f %% of a processor was left.\n", 100*r.Share)
	}
	return text
}

// Heading returns the processor that CPUID reports, with its inferred generation.
func (r *Record) Heading() string {
	if r.Processor == "" || r.Processor == r.Name {
		return r.Name
	}
	return fmt.Sprintf("%s; inferred: %s", r.Processor, r.Name)
}

// eachMachine returns a function that computes a block. For each record with contests,
// the block contains a heading and the record's text.
func eachMachine(text func(r *Record) string) func(all []*Record) string {
	return func(all []*Record) string {
		var b strings.Builder
		for _, r := range all {
			if len(r.Contests) > 0 {
				fmt.Fprintf(&b, "\n%s:\n\n%s", r.Heading(), text(r))
			}
		}
		return b.String() + "\n"
	}
}

func programs(all []*Record) string {
	var b strings.Builder
	for _, r := range all {
		if len(r.Programs) > 0 {
			fmt.Fprintf(&b, "\n%s:\n\n| program, and what it does | as released | with the copy | times as fast | with the copy, AVX2 alone | times as fast | measured |\n|---|---|---|---|---|---|---|\n", r.Heading())
		}
		for _, p := range r.Programs {
			lower, times := "", ""
			if p.AVX2.Median > 0 {
				lower, times = p.AVX2.String(), fmt.Sprintf("%.2f", p.TimesAVX2())
			}
			fmt.Fprintf(&b, "| %s: %s | %s | %s | %.2f | %s | %s | %s, %s |\n", p.Name, p.What, p.Plain, p.Vendored, p.Times(), lower, times, p.Date, p.Commit)
		}
	}
	return b.String() + "\n"
}

// String formats the median, followed by the minimum and the maximum if they are known.
func (s Seconds) String() string {
	if s.Most == 0 {
		return duration(s.Median * 1e9)
	}
	return fmt.Sprintf("%s (%s to %s)", duration(s.Median*1e9), duration(s.Least*1e9), duration(s.Most*1e9))
}

// Detail returns a table of each entrant's speed in GB/s at some of the sizes.
func (c *Contest) Detail() string {
	var b strings.Builder
	head, rule := "| "+c.Title+", GB/s |", "\n|---|"
	lines := make([]string, len(c.Entrants))
	for i, size := range c.Sizes {
		if !slices.Contains(DetailSizes, size) {
			continue
		}
		head, rule = head+" "+Size(size)+" |", rule+"---|"
		for k := range c.Entrants {
			lines[k] += " " + Three(c.GBs(&c.Entrants[k], i)) + " |"
		}
	}
	b.WriteString(head + rule + "\n")
	for k, e := range c.Entrants {
		b.WriteString("| " + e.Label + " |" + lines[k] + "\n")
	}
	return b.String()
}

// DetailSizes lists the sizes that Detail shows if the contest has them.
var DetailSizes = []int{16, 32, 64, 256, 1 << 10, 1420, 4 << 10, 16 << 10, 64 << 10, 1 << 20, 64 << 20}

// Text returns the whole record as Markdown.
func (r *Record) Text() string {
	var b strings.Builder
	b.WriteString(r.Heading() + ":\n\n" + r.machine())
	for i := range r.Contests {
		b.WriteString("\n" + r.Contests[i].Detail())
	}
	return b.String() + "\nGoals:\n\n" + r.missed()
}

// Size formats a number of bytes.
func Size(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}
