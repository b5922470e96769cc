// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/internal/impl"
	"github.com/unimac/unimac/internal/measure"
)

func benchCommand() *cli.Command {
	return &cli.Command{
		Name:  "bench",
		Args:  "[-a REGEXP] [-t TIME] [-json]",
		Short: "measure how fast everything is on this machine",
		Long: `Measures every algorithm together with those of the standard library and of
golang.org/x/crypto that do the same, or that one would use instead. A row has the
speed for messages of several lengths; the last column is how many times as fast
as the one marked 1.00 it is, for messages of 16 KiB.

All of a kind take turns, so that whatever else the machine does meets all alike;
the best turn of each counts. Everything runs in one thread but the formats of "unimac
seal", which use as many as there are processors. Keys are set up before, except for
Poly1305, which has one for each message, and streams, which derive theirs.

With -json all comes as one object, with speeds in bytes a second.`,
		Examples: []string{"unimac bench", "unimac bench -a umac -t 1s", "unimac bench -a ChaCha20-Poly1305", "unimac bench -json >bench.json"},
		New:      newBench,
	}
}

// benchSizes are the lengths of the messages that bench measures, of which the last is the
// one to compare.
var benchSizes = []int{64, 1420, 16 << 10}

func newBench(c *cli.Call) func() int {
	pattern := c.Flags.String("a", "", "the algorithms: a `name`, or a regular expression, that names or origins match")
	each := c.Flags.Duration("t", 150*time.Millisecond, "measure for this `time` for each figure")
	asJSON := c.Flags.Bool("json", false, "print an object of JSON")
	return func() int {
		if len(c.Args) > 0 {
			return c.WrongArguments("none")
		}
		if *each <= 0 {
			return c.Usagef("a time of %v is no time", *each)
		}
		wanted, err := regexp.Compile("(?i)" + *pattern)
		if err != nil {
			return c.Usagef("%v", err)
		}
		plan := measure.Plan{Rounds: 8, Turn: *each / 8, Limit: time.Minute}
		info, _ := debug.ReadBuildInfo()
		report := newBenchReport(info)
		if !*asJSON {
			printVersion(c.Stdout, info)
		}
		for _, kind := range contestKinds() {
			results, err := kind.measure(kind.matching(wanted), plan)
			if err != nil {
				return c.Errorf("%v", err)
			}
			if report.Results = append(report.Results, results...); !*asJSON && len(results) > 0 {
				printResults(c.Stdout, results)
			}
		}
		if len(report.Results) == 0 {
			return c.Errorf("no algorithm matches %q", *pattern)
		}
		if *asJSON {
			data, err := json.MarshalIndent(report, "", "\t")
			if err != nil {
				return c.Errorf("%v", err)
			}
			c.Stdout.Write(append(data, '\n')) // run tells its error
		}
		return cli.ExitOK
	}
}

// A benchReport is what bench -json prints.
type benchReport struct {
	Version string            `json:"version"`
	Commit  string            `json:"commit,omitempty"`
	Go      string            `json:"go"`
	OS      string            `json:"os"`
	Arch    string            `json:"arch"`
	Kernels map[string]string `json:"kernels"` // by package
	Results []benchResult     `json:"results"`
}

// A benchResult is the speed of one algorithm for messages of one length.
type benchResult struct {
	Kind           string  `json:"kind"`
	Name           string  `json:"name"`
	From           string  `json:"from"`
	Size           int     `json:"size"` // bytes
	BytesPerSecond float64 `json:"bytes_per_second"`
}

func newBenchReport(info *debug.BuildInfo) *benchReport {
	version, commit := buildVersion(info)
	r := &benchReport{
		Version: version, Commit: commit, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Kernels: make(map[string]string),
	}
	for _, pkg := range impl.Packages() {
		r.Kernels[pkg] = impl.InUse(pkg)
	}
	return r
}

// matching returns the contestants that are wanted, and the reference, which is the last, if
// there is anything to compare with it.
func (k *contestKind) matching(wanted *regexp.Regexp) (found []contestant) {
	for i, c := range k.contestants {
		match := wanted.MatchString(c.name) || wanted.MatchString(c.origin)
		if match || i == len(k.contestants)-1 && len(found) > 0 {
			found = append(found, c)
		}
	}
	return found
}

// measure lets contestants take turns, and all sizes: what disturbs a moment spoils no
// figure.
func (k *contestKind) measure(contestants []contestant, plan measure.Plan) (results []benchResult, err error) {
	var loops []measure.Loop
	for _, c := range contestants {
		for _, size := range benchSizes {
			work, err := c.start(make([]byte, size))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			loops = append(loops, measure.Timed(func(n int) {
				for range n {
					work()
				}
			}))
			results = append(results, benchResult{k.title, c.name, c.origin, size, 0})
		}
	}
	for i, series := range measure.Alternate(loops, plan) {
		results[i].BytesPerSecond = float64(results[i].Size) / series.Best() * 1e9
	}
	return results, nil
}

// printResults writes a table, with the numbers at the right of their columns.
func printResults(w io.Writer, results []benchResult) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "\n%s\tFROM\t%10s\t%10s\t%10s\tRATIO\n", results[0].Kind, "64 B", "1420 B", "16 KiB")
	last := results[len(results)-1].BytesPerSecond
	for row := range slices.Chunk(results, len(benchSizes)) {
		fmt.Fprintf(tw, "%s\t%s", row[0].Name, row[0].From)
		for _, r := range row {
			fmt.Fprintf(tw, "\t%10s", shownSpeed(r.BytesPerSecond))
		}
		fmt.Fprintf(tw, "\t%5.2f\n", row[len(row)-1].BytesPerSecond/last)
	}
	tw.Flush()
}

// shownSpeed takes bytes a second.
func shownSpeed(v float64) string {
	if v >= 1e9 {
		return fmt.Sprintf("%.2f GB/s", v/1e9)
	}
	return fmt.Sprintf("%.1f MB/s", v/1e6)
}
