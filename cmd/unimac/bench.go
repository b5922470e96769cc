// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"fmt"
	"io"
	"regexp"
	"runtime"
	"slices"
	"strings"
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
the best turn of each counts. Everything runs in one thread but "stream", which
uses as many as there are processors. Keys are set up before, except for Poly1305,
which has one for each message.

With -json all comes as one object, with speeds in bytes a second.`,
		Examples: []string{"unimac bench", "unimac bench -a umac -t 1s", "unimac bench -json >bench.json"},
		New:      newBench,
	}
}

// benchSizes are the lengths of the messages that bench measures, of which one is
// the one to compare.
var benchSizes = []int{64, 1 << 10, comparedSize, 1 << 20}

const comparedSize = 16 << 10

// benchRounds is into how many turns the time for a figure is divided.
const benchRounds = 8

func newBench(c *cli.Call) func() int {
	pattern := c.Flags.String("a", "", "the algorithms: a `regexp` that their names or origins must match")
	each := c.Flags.Duration("t", 150*time.Millisecond, "measure for this `time` for each figure")
	asJSON := c.Flags.Bool("json", false, "print an object of JSON")
	return func() int {
		if len(c.Args) > 0 {
			return c.WrongArguments("none")
		}
		if *each <= 0 {
			return c.Usagef("a time of %v is no time", *each)
		}
		wanted, err := regexp.Compile(*pattern)
		if err != nil {
			return c.Usagef("%v", err)
		}
		plan := measure.Plan{Rounds: benchRounds, Turn: *each / benchRounds, Limit: time.Minute}
		if !*asJSON {
			fmt.Fprintf(c.Stdout, "%s/%s, %s%s\n", runtime.GOOS, runtime.GOARCH, runtime.Version(), kernelsInUse())
		}
		shown, report := 0, newBenchReport()
		for _, kind := range contestKinds() {
			contestants := kind.matching(wanted)
			if len(contestants) == 0 {
				continue
			}
			shown++
			table, err := kind.measure(contestants, plan)
			if err != nil {
				return c.Errorf("%v", err)
			}
			if *asJSON {
				report.add(table)
				continue
			}
			fmt.Fprintln(c.Stdout)
			table.print(c.Stdout)
		}
		if shown == 0 {
			return c.Errorf("no algorithm matches %q", *pattern)
		}
		if !*asJSON {
			return cli.ExitOK
		}
		if err := report.print(c.Stdout); err != nil && c.Stdout.Err == nil { // else run tells it
			return c.Errorf("%v", err)
		}
		return cli.ExitOK
	}
}

// kernelsInUse names what runs on this machine.
func kernelsInUse() string {
	var b strings.Builder
	for _, pkg := range impl.Packages() {
		fmt.Fprintf(&b, ", %s: %s", pkg, impl.InUse(pkg))
	}
	return b.String()
}

// A contestant does some work with a message.
type contestant struct {
	name, origin string

	// start returns a loop that does the work n times, with messages of size bytes.
	start func(size int) (loop func(n int), err error)
}

// A contestKind is what can be compared. The one that others are compared to is
// the reference.
type contestKind struct {
	title       string
	contestants []contestant
	reference   int // index
}

// matching returns the contestants that are wanted, and the reference if there is
// anything to compare with it.
func (k *contestKind) matching(wanted *regexp.Regexp) (found []contestant) {
	matches := false
	for i, c := range k.contestants {
		match := wanted.MatchString(c.name) || wanted.MatchString(c.origin)
		matches = matches || match
		if match || i == k.reference {
			found = append(found, c)
		}
	}
	if !matches {
		return nil
	}
	return found
}

// A benchTable has a row of speeds, in bytes a second, for each contestant.
type benchTable struct {
	title     string
	rows      []contestant
	speeds    [][]float64 // by row, then by benchSizes
	reference string
}

// measure lets contestants take turns.
func (k *contestKind) measure(contestants []contestant, plan measure.Plan) (*benchTable, error) {
	t := &benchTable{
		title: k.title, rows: contestants, speeds: make([][]float64, len(contestants)),
		reference: k.contestants[k.reference].name,
	}
	// All sizes take turns as well: what disturbs a moment spoils no figure.
	var loops []measure.Loop
	for _, c := range contestants {
		for _, size := range benchSizes {
			loop, err := c.start(size)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			loops = append(loops, measure.Timed(loop))
		}
	}
	for i, series := range measure.Alternate(loops, plan) {
		row, size := i/len(benchSizes), benchSizes[i%len(benchSizes)]
		t.speeds[row] = append(t.speeds[row], float64(size)/series.Best()*1e9)
	}
	return t, nil
}

// ratio returns how many times as fast as the reference a row is.
func (t *benchTable) ratio(row int) float64 {
	size := slices.Index(benchSizes, comparedSize)
	reference := slices.IndexFunc(t.rows, func(c contestant) bool { return c.name == t.reference })
	return t.speeds[row][size] / t.speeds[reference][size]
}

// print writes the table, with the numbers at the right of their columns.
func (t *benchTable) print(w io.Writer) {
	head := []string{t.title, "FROM"}
	for _, size := range benchSizes {
		head = append(head, shownSize(size))
	}
	rows := [][]string{append(head, "RATIO")}
	for i, c := range t.rows {
		row := []string{c.name, c.origin}
		for _, speed := range t.speeds[i] {
			row = append(row, shownSpeed(speed))
		}
		rows = append(rows, append(row, fmt.Sprintf("%.2f", t.ratio(i))))
	}
	widths := make([]int, len(head)+1)
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	for _, row := range rows {
		fmt.Fprintf(w, "%-*s  %-*s", widths[0], row[0], widths[1], row[1])
		for i, cell := range row[2:] {
			fmt.Fprintf(w, "  %*s", widths[2+i], cell)
		}
		fmt.Fprintln(w)
	}
}

func shownSize(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}

// shownSpeed takes bytes a second.
func shownSpeed(v float64) string {
	switch {
	case v >= 9.995e9:
		return fmt.Sprintf("%.1f GB/s", v/1e9)
	case v >= 0.9995e9:
		return fmt.Sprintf("%.2f GB/s", v/1e9)
	case v >= 9.95e6:
		return fmt.Sprintf("%.0f MB/s", v/1e6)
	}
	return fmt.Sprintf("%.1f MB/s", v/1e6)
}
