// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package goals holds what this module's speeds are to be, as ratios to those of
// others on the same machine, and measures whether they are.
package goals

import (
	"errors"
	"fmt"

	"github.com/unimac/unimac/internal/bench/contest"
	"github.com/unimac/unimac/internal/measure"
)

// A Goal is a ratio between two entrants of a contest.
type Goal struct {
	Work       string // what a reader calls it
	Contest    string
	Sizes      []int // of messages; the worst of them counts
	Ours, Peer string
	Ratio      Ratio
}

// A Ratio is a limit. One of the two is set.
type Ratio struct {
	SpeedAtLeast float64 // our speed, in multiples of the peer's
	TimeAtMost   float64 // our time, in multiples of the peer's
}

// Of returns the ratio that two times make.
func (r Ratio) Of(ours, peer float64) float64 {
	if r.TimeAtMost > 0 {
		return ours / peer
	}
	return peer / ours
}

// Reached reports whether a ratio is within the limit.
func (r Ratio) Reached(measured float64) bool {
	if r.TimeAtMost > 0 {
		return measured <= r.TimeAtMost
	}
	return measured >= r.SpeedAtLeast
}

// Worse returns the one of two ratios that is further from the limit, or less
// within it.
func (r Ratio) Worse(a, b float64) float64 {
	if r.TimeAtMost > 0 {
		return max(a, b)
	}
	return min(a, b)
}

// String returns the limit.
func (r Ratio) String() string {
	if r.TimeAtMost > 0 {
		return fmt.Sprintf("≤ %.2f × the time", r.TimeAtMost)
	}
	return fmt.Sprintf("≥ %.2f ×", r.SpeedAtLeast)
}

// Format returns what was measured.
func (r Ratio) Format(measured float64) string {
	if r.TimeAtMost > 0 {
		return fmt.Sprintf("%.2f × the time", measured)
	}
	return fmt.Sprintf("%.2f ×", measured)
}

// A Result is what became of a goal.
type Result struct {
	Goal
	Size           int     // the worst one
	OursNS, PeerNS float64 // nanoseconds that a message of that size takes
	Measured       float64 // the ratio of the medians
	Least, Most    float64 // the ratios of the starts on their own
	Reached        bool
	Missing        error // why nothing was measured, if nothing was
}

// Measure measures a goal with that many starts, whatever comes out: to measure again where
// a goal is short, until it is not, would reach some that are missed.
func (g Goal) Measure(contests []contest.Contest, plan measure.Plan, starts int) (Result, error) {
	c, entrants, err := g.find(contests)
	if err != nil {
		return g.failed(err)
	}
	plan.Turn = max(plan.Turn, c.Turn)
	var result Result
	for i, size := range g.Sizes {
		r, err := g.measure(entrants, size, plan, starts)
		if err != nil {
			return g.failed(err)
		}
		if i == 0 || g.Ratio.Worse(r.Measured, result.Measured) == r.Measured {
			result = r
		}
	}
	result.Reached = g.Ratio.Reached(result.Measured)
	return result, nil
}

// failed tells what is missing on this machine from what is wrong.
func (g Goal) failed(err error) (Result, error) {
	if errors.Is(err, contest.ErrAbsent) {
		return Result{Goal: g, Missing: err}, nil
	}
	return Result{}, fmt.Errorf("%s: %w", g.Work, err)
}

// find returns the contest and the two entrants.
func (g Goal) find(contests []contest.Contest) (*contest.Contest, []*contest.Entrant, error) {
	for i := range contests {
		c := &contests[i]
		if c.Name != g.Contest {
			continue
		}
		var entrants []*contest.Entrant
		for _, name := range []string{g.Ours, g.Peer} {
			e := c.Entrant(name)
			if e == nil {
				return nil, nil, fmt.Errorf("%s: %w", name, contest.ErrAbsent)
			}
			entrants = append(entrants, e)
		}
		return c, entrants, nil
	}
	return nil, nil, fmt.Errorf("no contest %q", g.Contest)
}

// measure measures messages of one size. Every start is a new one: where buffers and
// connections come to lie can be bad luck.
func (g Goal) measure(entrants []*contest.Entrant, size int, plan measure.Plan, starts int) (Result, error) {
	r := Result{Goal: g, Size: size}
	var ours, peer measure.Series
	for i := range starts {
		works, err := contest.Start(entrants, size)
		if err != nil {
			return r, err
		}
		s := measure.Alternate([]measure.Loop{works[0].Loop, works[1].Loop}, plan)
		contest.StopAll(works)
		ours, peer = append(ours, s[0]...), append(peer, s[1]...)
		ratio := g.Ratio.Of(s[0].Median(), s[1].Median())
		if i == 0 {
			r.Least, r.Most = ratio, ratio
		}
		r.Least, r.Most = min(r.Least, ratio), max(r.Most, ratio)
	}
	r.OursNS, r.PeerNS = ours.Median(), peer.Median()
	r.Measured = g.Ratio.Of(r.OursNS, r.PeerNS)
	return r, nil
}
