// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package record

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

const root = "../../.."

func page(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n")
}

func load(t *testing.T) []*Record {
	t.Helper()
	all, err := All(root)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestRecords checks that each record is in the file of its name and has a date and a
// commit, and which record Main selects.
func TestRecords(t *testing.T) {
	for _, r := range load(t) {
		if again, err := Load(root, r.Name); err != nil || !reflect.DeepEqual(again, r) {
			t.Errorf("%s is not in %s: %v", r.Name, r.file(root), err)
		}
		if len(r.Contests) > 0 && (r.Date == "" || r.Commit == "") {
			t.Errorf("%s has no date or no commit", r.Name)
		}
		for _, p := range r.Programs {
			if p.Date == "" || p.Commit == "" {
				t.Errorf("%s: %s has no date or no commit", r.Name, p.Name)
			}
		}
	}
	early, late, few := &Record{Date: "1", Contests: make([]Contest, 2)}, &Record{Date: "2", Contests: make([]Contest, 2)}, &Record{Date: "3"}
	if Main([]*Record{early, late, few}) != late || Main([]*Record{few, late, early}) != late {
		t.Error("Main did not return the latest of the records with the most contests")
	}
}

// TestPages checks that the pages are up to date: Update must not change them.
func TestPages(t *testing.T) {
	all := load(t)
	for _, name := range Pages {
		t.Run(name, func(t *testing.T) {
			is := page(t, name)
			want, err := Update(all, name, is)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(want, "NaN") {
				t.Error("a figure is missing from the records")
			}
			was, is1 := strings.Split(want, "\n"), strings.Split(is, "\n")
			for i := range min(len(was), len(is1)) {
				if was[i] != is1[i] {
					t.Errorf("line %d is\n%s\nwant, according to %s,\n%s", i+1, is1[i], Dir, was[i])
				}
			}
			if len(was) != len(is1) {
				t.Errorf("%d lines, want %d", len(is1), len(was))
			}
		})
	}
}

// TestFigures checks that pages contain no speeds other than those that Update writes.
func TestFigures(t *testing.T) {
	for _, name := range Pages {
		text := figurePattern.ReplaceAllString(page(t, name), "")
		text = regexp.MustCompile(`(?s)<!-- begin (\w+) -->.*?<!-- end \w+ -->`).ReplaceAllString(text, "")
		for _, found := range regexp.MustCompile(`[0-9.]+\s(GB/s|ns|µs|times as)\b`).FindAllString(text, -1) {
			t.Errorf("%s: the figure %q has no marker", name, found)
		}
	}
}

// TestChanged changes every figure of the pages and checks that Update restores the figure.
func TestChanged(t *testing.T) {
	r, seen := load(t), 0
	for _, name := range Pages {
		text := page(t, name)
		for _, at := range figurePattern.FindAllStringSubmatchIndex(text, -1) {
			seen++
			changed := text[:at[6]] + "123456" + text[at[7]:]
			if fixed, err := Update(r, name, changed); err != nil || fixed != text {
				t.Errorf("%s: Update does not restore %q: %v", name, text[at[0]:at[1]], err)
			}
		}
	}
	if seen < 20 {
		t.Errorf("found %d figures, want at least 20", seen)
	}
	for page, text := range map[string]string{
		"README.md":    "<!-- figure unknown -->1<!-- / -->",
		"a.md":         "<!-- figure gbs umac-64 16KiB -->1<!-- / -->",
		"b.md":         "<!-- figure ns umac-64 unimac 16kB -->1<!-- / -->",
		"doc/speed.md": "no blocks",
	} {
		if _, err := Update(r, page, text); err == nil {
			t.Errorf("%s: Update of %q returned no error", page, text)
		}
	}
}

func TestRecord(t *testing.T) {
	dir := t.TempDir()
	r := &Record{Name: "Some, Processor 1", Features: "AVX2 AVX512", Contests: []Contest{{
		Name: "c", Title: "C", Sizes: []int{16, 32}, Bytes: []int{16, 64},
		Entrants: []Entrant{
			{Name: "unimac", Label: "ours", Ours: true, NS: []float64{1.23456, 2}, Low: []float64{1, 2}, High: []float64{2, 2}},
			{Name: "other", Other: true, NS: []float64{1, 1}},
			{Name: "slow", NS: []float64{9, 9}},
			{Name: "peer", NS: []float64{4, 8}},
			{Name: "unimac-avx2", Ours: true, NS: []float64{3, 5}},
		},
	}}}
	r.Add([]Program{{Name: "p", What: "old"}, {Name: "q", What: "kept", Plain: Seconds{Median: 3}, Vendored: Seconds{Median: 2}, AVX2: Seconds{Median: 2.5}}})
	r.Add([]Program{{Name: "p", What: "new", Plain: Seconds{Median: 4}, Vendored: Seconds{Median: 2}}})
	if err := errors.Join(r.Save(dir), (&Record{Name: "Another"}).Save(dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "doc", "speed", "some-processor-1.json")); err != nil {
		t.Error(err)
	}
	all, err := All(dir)
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	r = all[1]
	program := func(what string) string {
		best, lower := r.Program(what)
		return two(best) + " " + two(lower)
	}
	for _, tt := range []struct{ got, want string }{
		{two(r.NS("c", "unimac", 16)), "1.2"},
		{two(r.GBs("c", "unimac", 32)), "32"},
		{two(r.NS("c", "unimac-avx2", 32)), "5.0"},
		{two(r.NS("c", "slow-avx2", 32)), "NaN"},
		{two(r.Times("c", "unimac", "peer", 32)), "4.0"},
		{program("p: new"), "2.0 NaN"},
		{program("q: kept"), "1.5 1.2"},
		{program("p: old"), "NaN NaN"},
		{two(r.NS("c", "unimac", 64)), "NaN"},
		{two(r.NS("d", "unimac", 16)), "NaN"},
		{r.Contest("c").best(0, "").Name, "peer"},
		{r.Level(), "AVX-512"},
		{spread(r.Contest("c").Entrant("unimac"), 0), " ± 40 %"},
		{spread(r.Contest("c").Entrant("unimac"), 1), ""},
		{Three(1234), "1234"}, {Three(123.4), "123"}, {Three(0.1234), "0.123"}, {two(9.96), "10.0"},
		{duration(12345), "12.3 µs"}, {duration(2.5e9), "2.50 s"},
		{Seconds{1, 0.5, 2}.String(), "1.00 s (500 ms to 2.00 s)"},
		{Size(1023) + Size(1<<10) + Size(64<<20), "1023 B1 KiB64 MiB"},
		{r.Contest("c").Detail()[:51], "| C, GB/s | 16 B | 32 B |\n|---|---|---|\n| ours | 13"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

// TestLevels checks the peers, ratios and footnote marks in the columns of each level.
func TestLevels(t *testing.T) {
	ns := func(name, level string, ns float64) Entrant {
		return Entrant{Name: name, Label: name, Level: level, Ours: strings.HasPrefix(name, "unimac"), NS: []float64{ns}, Low: []float64{ns}, High: []float64{ns}}
	}
	c := Contest{Name: "c", Sizes: []int{64}, Bytes: []int{64}, Entrants: []Entrant{
		ns("unimac", "", 10), ns("unimac-avx2", "", 20), ns("unimac-sse41", "", 40), ns("x-crypto", "", 60), ns("openssl", "", 15), ns("nettle", "", 100),
	}}
	r := &Record{Features: "AVX512", Contests: []Contest{c}}
	row := row{"work", "c", 64, true, "", ""}
	check := func(want string) {
		t.Helper()
		if got := r.tableRow(row); got != want {
			t.Errorf("row\n%swant\n%s", got, want)
		}
	}
	check("| work | 10.0 ns | 20.0 ns | 40.0 ns | openssl 15.0 ns | 1.5 | 0.75 ¹ | 0.38 ¹ |\n")
	row.peer = "x-crypto"
	check("| work | 10.0 ns | 20.0 ns | 40.0 ns | x-crypto 60.0 ns | 6.0 | 3.0 | 1.5 ² |\n")
	row.peer = "nettle"
	check("| work | 10.0 ns | 20.0 ns | 40.0 ns | nettle 100 ns | 10 | 5.0 | 2.5 |\n")
	row.peer = ""
	r.Contests[0].Entrants = append(c.Entrants, ns("openssl-avx2", "avx2", 30), ns("openssl-sse41", "sse41", 90))
	check("| work | 10.0 ns | 20.0 ns | 40.0 ns | openssl 15.0 ns | 1.5 | 1.5, openssl-avx2 | 1.5 ² |\n")
	if only := r.Contests[0].only(nil); only.Entrant("openssl-avx2") != nil || only.Entrant("unimac-avx2") == nil || only.Entrant("openssl") == nil {
		t.Errorf("only(nil) returned the entrants %v", only.Entrants)
	}
	r.Features = "AVX2"
	check("| work | 10.0 ns | 20.0 ns | 40.0 ns | openssl 15.0 ns | 1.5 | 1.5, openssl-avx2 | 1.5 ² |\n")
	r.Contests[0].Entrants = c.Entrants
	check("| work | 10.0 ns | 20.0 ns | 40.0 ns | openssl 15.0 ns | 1.5 | 0.75 | 0.38 ² |\n")
}

// TestHeading checks that headings distinguish what CPUID reports from what is inferred.
func TestHeading(t *testing.T) {
	for _, tt := range []struct{ name, processor, want string }{
		{rapids, "Intel (family 6, model 167, virtual machine)", "Intel (family 6, model 167, virtual machine); inferred: " + rapids},
		{"Some CPU", "Some CPU", "Some CPU"},
		{"Some CPU", "", "Some CPU"},
	} {
		if got := (&Record{Name: tt.name, Processor: tt.processor}).Heading(); got != tt.want {
			t.Errorf("heading %q, want %q", got, tt.want)
		}
	}
}

// TestTested checks that new results replace those of the same program, and the
// contents of the table.
func TestTested(t *testing.T) {
	r := &Record{Name: "One", Programs: []Program{
		{Name: "b", Plain: Seconds{Median: 3}, Vendored: Seconds{Median: 2}}, {Name: "b", Plain: Seconds{Median: 3}, Vendored: Seconds{Median: 1}},
	}}
	r.AddTested([]Tested{{Name: "b", Module: "x/b@v1", Passed: 9}, {Name: "c", Module: "x/C@v1", XCrypto: "v0.1.0", Uses: []string{"ssh"}, Packages: []string{"."}, Passed: 1, Date: "today", Commit: "123"}})
	r.AddTested([]Tested{{Name: "b", Module: "x/b@v2", XCrypto: "v0.2.0", Uses: []string{"blake2b", "chacha20"}, Packages: []string{"./p", "./q/..."}, Passed: 7, Skipped: 2, Omitted: "A|B", Reason: "needs a disk", Unreliable: &Unreliable{"C", 60, 7, 5}, Date: "today", Commit: "456"}})
	const want = `
One:

| program | uses | x/crypto | tests of | tests passed | times as fast | run |
|---|---|---|---|---|---|---|
| x/b@v2 | blake2b, chacha20 | v0.2.0 | ` + "`./p`, `./q/...`" + ` | 7; 2 skipped; without ` + "`A\\|B`, which needs a disk; without `C`, which fails in 7 of 60 runs as released and in 5 with the copy" + ` | 1.50 to 3.00 | today, 456 |
| x/C@v1 | ssh | v0.1.0 | ` + "`.`" + ` | 1 |  | today, 123 |

`
	if got := tested([]*Record{{Name: "Another"}, r}); got != want {
		t.Errorf("tested\n%s\nwant\n%s", got, want)
	}
}

// TestMissed checks goals that a record reaches, goals that it misses, and goals that
// it does not measure.
func TestMissed(t *testing.T) {
	contest := func(name string, sizes []int, ours []float64, peer string, theirs ...float64) Contest {
		return Contest{Name: name, Sizes: sizes, Bytes: sizes, Entrants: []Entrant{{Name: "unimac", NS: ours}, {Name: peer, Label: "The " + peer, NS: theirs}}}
	}
	r := &Record{Contests: []Contest{
		contest("umac-64", []int{32, 16 << 10}, []float64{10, 10}, "nettle", 19, 40),
		contest("poly1305", []int{16, 32, 64}, []float64{10, 12, 10}, "x-crypto", 10, 6, 8),
		contest("chacha20", []int{16 << 10}, []float64{10}, "nobody", 1),
	}}
	want := `| UMAC-64, 32 B | The nettle | ≥ 2.00 × | 1.90 × | ` + oneCall + ` |
| Poly1305, 16 to 64 B | The x-crypto | ≥ 1.00 × | 0.50 × at 32 B | ` + noLoss + ` |
`
	if _, got, _ := strings.Cut(r.missed(), "---|\n"); got != want {
		t.Errorf("missed\n%s\nwant\n%s", got, want)
	}
	if got := (&Record{}).missed(); got != "This run reached all goals.\n" {
		t.Errorf("missed of an empty record = %q", got)
	}
}

// TestGoals checks that each goal is complete, and that the main record contains the
// results that the goals of its contests compare.
func TestGoals(t *testing.T) {
	r := Main(load(t))
	for _, g := range Goals {
		if g.Least <= 0 || g.Work == "" || g.Sentence == "" || r.Contest(g.Contest) != nil && len(r.sizes(g)) == 0 {
			t.Errorf("incomplete goal, or no sizes for it in the main record: %+v", g)
		}
		for _, size := range r.sizes(g) {
			c := r.Contest(g.Contest) // a peer may have been absent
			if c.Entrant(g.Ours) != nil && c.Entrant(g.Peer) != nil && math.IsNaN(r.Times(g.Contest, g.Ours, g.Peer, size)) {
				t.Errorf("%s: the record has no %s, %s and %s at %d", g.Work, g.Contest, g.Ours, g.Peer, size)
			}
		}
	}
}

func TestProcessor(t *testing.T) {
	for info, want := range map[string][2]string{
		"processor\t: 0\ncpu family\t: 6\nmodel\t\t: 9999\nmodel name\t: Some CPU\n\nprocessor\t: 1\nmodel name\t: Other\n": {"Some CPU (family 6, model 9999)", "Some CPU (family 6, model 9999)"},
		"cpu family\t: 26\nmodel\t\t: 2\nmodel name\t: AMD EPYC\n":                                                          {"AMD Zen 5, EPYC 9005", "AMD EPYC (family 26, model 2)"},
		"cpu family\t: 6\nmodel\t\t: 167\nmodel name\t: Intel\nflags\t\t: vaes avx512_ifma\n":                               {"Intel Rocket Lake", "Intel (family 6, model 167)"},
		"cpu family\t: 6\nmodel\t\t: 167\nmodel name\t: Intel\nflags\t\t: vaes avx512_fp16\n":                               {rapids, "Intel (family 6, model 167)"},
		"cpu family\t: 6\nmodel\t\t: 207\nmodel name\t: Intel\nflags\t\t: vaes hypervisor\n":                                {"Intel Emerald Rapids", "Intel (family 6, model 207, virtual machine)"},
		"model name\t: ARM(R)\n": {"ARM", "ARM"},
		"":                       {runtime.GOARCH, runtime.GOARCH},
	} {
		if name, system := processor(info); name != want[0] || system != want[1] {
			t.Errorf("processor = %q, %q, want %q", name, system, want)
		}
	}
}
