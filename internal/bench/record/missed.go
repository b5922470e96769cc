// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package record

import (
	"fmt"
	"slices"
	"strings"
)

// A Miss is a goal that a record does not reach.
type Miss struct {
	Goal
	Size     int // the worst
	Measured float64
	peer     string // as tables name it
}

// Missed returns the goals that a record does not reach, by the medians that are in its
// tables. What is not in the record counts neither way.
func (r *Record) Missed() (missed []Miss) {
	for _, g := range Goals {
		m := Miss{Goal: g, Measured: g.Least}
		for _, size := range r.sizes(g) {
			if times := r.Times(g.Contest, g.Ours, g.Peer, size); times < m.Measured {
				m.Size, m.Measured = size, times
				m.peer = r.Contest(g.Contest).Entrant(g.Peer).Label
			}
		}
		if m.Measured < g.Least {
			missed = append(missed, m)
		}
	}
	return missed
}

// sizes are those that a goal is about and the record has.
func (r *Record) sizes(g Goal) []int {
	c := r.Contest(g.Contest)
	if c == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.Sizes), func(size int) bool { return g.Sizes != nil && !slices.Contains(g.Sizes, size) })
}

// missed lists the goals that the run did not reach.
func (r *Record) missed() string {
	missed := r.Missed()
	if len(missed) == 0 {
		return "This run reached all goals.\n"
	}
	var b strings.Builder
	b.WriteString("| work | peer | goal | measured | what decides |\n|---|---|---|---|---|\n")
	for _, m := range missed {
		at := ""
		if len(m.Sizes) != 1 {
			at = " at " + Size(m.Size)
		}
		fmt.Fprintf(&b, "| %s | %s | ≥ %.2f × | %.2f ×%s | %s |\n", m.Work, m.peer, m.Least, m.Measured, at, m.Sentence)
	}
	return b.String()
}

// HasGoal reports whether a goal is about a contest.
func HasGoal(contest string) bool {
	return slices.ContainsFunc(Goals, func(g Goal) bool { return g.Contest == contest })
}
