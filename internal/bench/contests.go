// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/bench/contest"
	"github.com/unimac/unimac/internal/bench/goals"
	"github.com/unimac/unimac/internal/bench/report"
	"github.com/unimac/unimac/internal/measure"
	"github.com/unimac/unimac/internal/speed"
)

// runContests measures contests, prints the table and writes the files.
func runContests(o *options, contests []contest.Contest, stdout, stderr io.Writer) error {
	record := &speed.Record{
		Processor: o.machine, Features: features(), Peers: versions(), Rounds: fewRounds,
		Go: platform(),
	}
	share := measuredShare()
	for i := range contests {
		c := &contests[i]
		if !o.wants(c.Name) {
			continue
		}
		fmt.Fprintf(stderr, "%s…\n", c.Name)
		measured, err := measureContest(o, c, stderr)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		if c.OwnProcess && !o.cells && record.Level() == "AVX-512" {
			program, err := os.Executable()
			if err != nil {
				return err
			}
			if err := addAVX2(program, o.quick, &measured, stderr); err != nil {
				return err
			}
		}
		record.Contests = append(record.Contests, measured)
	}
	if len(record.Contests) == 0 {
		return fmt.Errorf("no algorithm matches %q", o.only)
	}
	if o.cells {
		return json.NewEncoder(stdout).Encode(record.Contests)
	}
	record.Share = 1
	if !o.quick {
		record.Share = share()
	}
	if _, err := io.WriteString(stdout, page(record, o.dir != "")); err != nil {
		return err
	}
	if o.dir == chartsDir {
		return publish(record)
	}
	if o.dir == "" {
		return nil
	}
	return writeFiles(o.dir, record, o.only == nil)
}

// publish writes what the repository has of a record. Programs are measured by another
// command, which leaves the rest as it is.
func publish(record *speed.Record) error {
	if before, err := speed.Load(rootDir); err == nil {
		record.Programs = before.Programs
	} else if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := record.Save(rootDir); err != nil {
		return err
	}
	return draw(chartsDir, rootDir)
}

// draw writes charts and pages from the record that is in the repository.
func draw(charts, root string) error {
	record, err := speed.Load(root)
	if err != nil {
		return err
	}
	record.Missed = goals.Missed(record) // by the goals of today
	if err := record.Save(root); err != nil {
		return err
	}
	if err := writeFiles(charts, record, true); err != nil {
		return err
	}
	return record.UpdateAll(root)
}

// present returns those entrants of a contest that are on this machine and are not
// there twice.
func present(c *contest.Contest, stderr io.Writer) (entrants []*contest.Entrant, err error) {
	for i := range c.Entrants {
		e := &c.Entrants[i]
		if e.InUse {
			continue
		}
		w, err := e.Start(c.Sizes[0])
		if errors.Is(err, contest.ErrAbsent) {
			fmt.Fprintf(stderr, "%s is left out: %v\n", e.Label, err)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name, err)
		}
		w.Stop()
		entrants = append(entrants, e)
	}
	return entrants, nil
}

// measureContest measures a contest.
func measureContest(o *options, c *contest.Contest, stderr io.Writer) (speed.Contest, error) {
	r := speed.Contest{Name: c.Name, Title: c.Title, Sizes: c.Sizes, RatioTo: c.RatioTo}
	for _, size := range c.Sizes {
		r.Bytes = append(r.Bytes, c.Worked(size))
	}
	entrants, err := present(c, stderr)
	if err != nil {
		return r, err
	}
	for _, e := range entrants {
		r.Entrants = append(r.Entrants, speed.Entrant{Name: e.Name, Label: e.Label, Ours: e.Ours, Other: e.Other})
	}
	// Sizes take turns as well: what disturbs a moment spoils no figure. They do so in
	// groups, because the memory that very many take is in no cache.
	for sizes := range slices.Chunk(c.Sizes, sizesAtOnce) {
		if err := measureSizes(o, c, entrants, sizes, r.Entrants); err != nil {
			return r, err
		}
	}
	return r, nil
}

// sizesAtOnce is more than the sizes of any contest but those at every size.
const sizesAtOnce = 20

// measureSizes measures some sizes, and appends to what there is of each entrant.
func measureSizes(o *options, c *contest.Contest, entrants []*contest.Entrant, sizes []int, results []speed.Entrant) error {
	var loops []measure.Loop
	for _, size := range sizes {
		works, err := contest.Start(entrants, size)
		if err != nil {
			return err
		}
		defer contest.StopAll(works)
		for _, w := range works {
			loops = append(loops, w.Loop)
		}
	}
	for i, s := range measure.Alternate(loops, o.planFor(c)) {
		e := &results[i%len(entrants)]
		low, high := s.Quartiles()
		e.NS, e.Low, e.High = append(e.NS, s.Median()), append(e.Low, low), append(e.High, high)
	}
	return nil
}

// fewRounds is how many rounds a contest has whose turns are long.
const fewRounds = 15

// planFor respects how long a contest's turns have to be. Ratios over many sizes take short
// turns, and more of them: one that was disturbed shows as a peak.
func (o *options) planFor(c *contest.Contest) measure.Plan {
	plan := o.plan()
	switch {
	case o.quick:
	case c.RatioTo != "":
		plan.Turn, plan.Rounds = c.Turn, 33
	case len(c.Sizes) == 1:
		plan.Turn, plan.Rounds = max(plan.Turn, c.Turn), fewRounds
	}
	return plan
}

// results returns what a record has for tables and charts.
func results(record *speed.Record) (all []report.Result) {
	for i := range record.Contests {
		from := &record.Contests[i]
		r := report.Result{Contest: &contest.Contest{
			Name: from.Name, Title: from.Title, Sizes: from.Sizes, RatioTo: from.RatioTo,
			Bytes: func(size int) int { return from.Bytes[slices.Index(from.Sizes, size)] },
		}}
		for _, e := range from.Entrants {
			r.Lines = append(r.Lines, report.Line{
				Entrant: &contest.Entrant{Name: e.Name, Label: e.Label, Ours: e.Ours, Other: e.Other}, NS: e.NS,
			})
		}
		all = append(all, r)
	}
	return all
}

// page returns all tables as a page of Markdown, with the charts if they are next to it.
func page(record *speed.Record, charts bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n\nWith %s, %s.\n\n", record.Processor, record.Features, record.Go, record.Peers)
	b.WriteString("One thread, unless it says otherwise. All take turns; the medians of fixed rounds count.\n\n")
	b.WriteString(shareNote(record.Share))
	all := results(record)
	b.WriteString(report.Summary(all))
	for i := range all {
		r := &all[i]
		fmt.Fprintf(&b, "\n## %s\n\n", r.Contest.Title)
		if charts {
			fmt.Fprintf(&b, "![%s: speeds](%s)\n\n", r.Contest.Title, chartName(r))
		}
		b.WriteString(report.Detail(r))
	}
	return b.String()
}

func chartName(r *report.Result) string { return r.Contest.Name + ".svg" }

// pageHeader begins the file that a folder is shown with.
const pageHeader = `<!-- SPDX-License-Identifier: BSD-3-Clause -->
<!-- Copyright 2026 The unimac Authors -->
<!-- Generated by internal/bench. DO NOT EDIT. -->

# Speeds

`

// writeFiles writes the charts, and if all was measured the page and the overview.
func writeFiles(dir string, record *speed.Record, all bool) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	files := map[string][]byte{}
	for _, r := range results(record) {
		files[chartName(&r)] = report.Chart(&r, record.Processor+", "+record.Level())
	}
	if all {
		files["README.md"] = []byte(pageHeader + page(record, true))
		files["overview.svg"] = report.Overview(record)
		files["programs.svg"] = report.Programs(record)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			return err
		}
	}
	return nil
}
