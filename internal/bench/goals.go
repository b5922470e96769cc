// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"fmt"
	"io"

	"github.com/unimac/unimac/internal/bench/contest"
	"github.com/unimac/unimac/internal/bench/goals"
	"github.com/unimac/unimac/internal/bench/report"
)

// starts is how often everything begins anew for a goal. It is the same for all: nothing is
// measured again because of what came out.
const starts = 5

// runGoals measures the goals and prints a table. It fails unless all are reached.
func runGoals(o *options, contests []contest.Contest, stdout, stderr io.Writer) error {
	var results []goals.Result
	var numbers []int
	for i, g := range goals.All() {
		if !o.wants(g.Work, g.Contest) {
			continue
		}
		fmt.Fprintf(stderr, "%s…\n", g.Work)
		r, err := g.Measure(contests, o.goalPlan(), starts)
		if err != nil {
			return err
		}
		results, numbers = append(results, r), append(numbers, i)
	}
	if o.cells {
		return writeLevel(stdout, numbers, results)
	}
	if len(results) == 0 {
		return fmt.Errorf("no goal matches %q", o.only)
	}
	columns, err := levelColumns(o, numbers, stderr)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s, %s, %s\n\n%s", o.machine, platform(), versions(), goalTable(results, columns, contests))
	return verdict(results)
}

// goalTable returns a row for each goal, with more columns at its end.
func goalTable(results []goals.Result, columns [][]string, contests []contest.Contest) string {
	rows := [][]string{{"work", "peer", "goal", "measured", "spread", "", "ours", "theirs"}}
	for _, r := range results {
		row := []string{r.Work, label(contests, r.Contest, r.Peer), r.Ratio.String()}
		if r.Missing != nil {
			rows = append(rows, append(row, r.Missing.Error(), "", "not measured", "", ""))
			continue
		}
		measured, verdict := r.Ratio.Format(r.Measured), "SHORT"
		if len(r.Sizes) > 1 {
			measured += " at " + report.Size(r.Size)
		}
		if r.Reached {
			verdict = "reached"
		}
		row = append(row, measured, fmt.Sprintf("%.2f to %.2f", r.Least, r.Most), verdict, report.Duration(r.OursNS), report.Duration(r.PeerNS))
		rows = append(rows, row)
	}
	for _, column := range columns {
		for i, cell := range column {
			rows[i] = append(rows[i], cell)
		}
	}
	return report.Table(rows)
}

// label returns how a reader knows an entrant.
func label(contests []contest.Contest, name, entrant string) string {
	for i := range contests {
		if contests[i].Name == name {
			if e := contests[i].Entrant(entrant); e != nil {
				return e.Label
			}
		}
	}
	return entrant
}

// verdict returns an error unless all goals are reached.
func verdict(results []goals.Result) error {
	short, missing := 0, 0
	for _, r := range results {
		switch {
		case r.Missing != nil:
			missing++
		case !r.Reached:
			short++
		}
	}
	if short+missing == 0 {
		return nil
	}
	return fmt.Errorf("of %d goals, %d are short and %d could not be measured", len(results), short, missing)
}
