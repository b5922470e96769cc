// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package goals

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/unimac/unimac/internal/bench/contest"
	"github.com/unimac/unimac/internal/measure"
)

func TestRatio(t *testing.T) {
	for _, tt := range []struct {
		ratio      Ratio
		ours, peer float64
		want       float64
		reached    bool
		limit, got string
	}{
		{Ratio{SpeedAtLeast: 2.5}, 100, 300, 3, true, "≥ 2.50 ×", "3.00 ×"},
		{Ratio{SpeedAtLeast: 2.5}, 100, 250, 2.5, true, "≥ 2.50 ×", "2.50 ×"},
		{Ratio{SpeedAtLeast: 2.5}, 100, 240, 2.4, false, "≥ 2.50 ×", "2.40 ×"},
		{Ratio{TimeAtMost: 0.75}, 100, 200, 0.5, true, "≤ 0.75 × the time", "0.50 × the time"},
		{Ratio{TimeAtMost: 0.75}, 75, 100, 0.75, true, "≤ 0.75 × the time", "0.75 × the time"},
		{Ratio{TimeAtMost: 0.75}, 80, 100, 0.8, false, "≤ 0.75 × the time", "0.80 × the time"},
	} {
		got := tt.ratio.Of(tt.ours, tt.peer)
		if got != tt.want || tt.ratio.Reached(got) != tt.reached {
			t.Errorf("%v of %v and %v: %v, reached %v", tt.ratio, tt.ours, tt.peer, got, !tt.reached)
		}
		if tt.ratio.String() != tt.limit || tt.ratio.Format(got) != tt.got {
			t.Errorf("%q, %q, want %q, %q", tt.ratio, tt.ratio.Format(got), tt.limit, tt.got)
		}
	}
	if got := (Ratio{SpeedAtLeast: 1}).Worse(2, 3); got != 2 {
		t.Errorf("speed: %v is worse", got)
	}
	if got := (Ratio{TimeAtMost: 1}).Worse(2, 3); got != 3 {
		t.Errorf("time: %v is worse", got)
	}
}

// TestAll looks every goal up. The entrants that a machine may lack are checked by
// TestThisMachine.
func TestAll(t *testing.T) {
	contests := contest.All()
	for _, g := range All() {
		if (g.Ratio.SpeedAtLeast > 0) == (g.Ratio.TimeAtMost > 0) || len(g.Sizes) == 0 || g.Work == "" {
			t.Errorf("%+v", g)
		}
		if _, _, err := g.find(contests); err != nil && !errors.Is(err, contest.ErrAbsent) {
			t.Errorf("%s: %v", g.Work, err)
		}
	}
}

// fake returns a contest of two that take the times given, by size, and whose clock is
// what they say. In some of its starts, counted from 1, the first takes half or twice as long.
func fake(times map[int][2]time.Duration, lucky, unlucky []int) []contest.Contest {
	c := contest.Contest{Name: "fake"}
	for i, name := range []string{"unimac", "peer"} {
		starts := 0
		c.Entrants = append(c.Entrants, contest.Entrant{Name: name, Start: func(size int) (*contest.Work, error) {
			starts++
			took := times[size][i]
			if i == 0 && slices.Contains(lucky, starts) {
				took /= 2
			}
			if i == 0 && slices.Contains(unlucky, starts) {
				took *= 2
			}
			return &contest.Work{Loop: func(n int) time.Duration { return time.Duration(n) * took }}, nil
		}})
	}
	c.Entrants = append(c.Entrants, contest.Entrant{Name: "lacking", Start: func(int) (*contest.Work, error) { return nil, contest.ErrAbsent }})
	c.Entrants = append(c.Entrants, contest.Entrant{Name: "broken", Start: func(int) (*contest.Work, error) { return nil, errors.New("broken") }})
	return []contest.Contest{c}
}

func TestMeasure(t *testing.T) {
	plan := measure.Plan{Rounds: 3, Turn: time.Millisecond}
	times := map[int][2]time.Duration{1: {100, 300}, 2: {100, 200}, 3: {100, 250}}
	for _, tt := range []struct {
		name           string
		goal           Goal
		lucky, unlucky []int
		starts         int
		size           int
		measured       float64
		least, most    float64
		reached        bool
	}{
		{"reached", Goal{Sizes: []int{1}, Ratio: Ratio{SpeedAtLeast: 2.9}}, nil, nil, 1, 1, 3, 3, 3, true},
		{"short", Goal{Sizes: []int{1}, Ratio: Ratio{SpeedAtLeast: 3.1}}, nil, nil, 5, 1, 3, 3, 3, false},
		{"worst speed", Goal{Sizes: []int{1, 2, 3}, Ratio: Ratio{SpeedAtLeast: 2.4}}, nil, nil, 1, 2, 2, 2, 2, false},
		{"worst time", Goal{Sizes: []int{3, 2, 1}, Ratio: Ratio{TimeAtMost: 0.5}}, nil, nil, 1, 2, 0.5, 0.5, 0.5, true},
		{"short but for luck", Goal{Sizes: []int{1}, Ratio: Ratio{SpeedAtLeast: 3.1}}, []int{1, 4}, nil, 5, 1, 3, 3, 6, false},
		{"reached but for a disturbance", Goal{Sizes: []int{1}, Ratio: Ratio{SpeedAtLeast: 2.9}}, nil, []int{1, 5}, 5, 1, 3, 1.5, 3, true},
		{"disturbed, mostly", Goal{Sizes: []int{1}, Ratio: Ratio{SpeedAtLeast: 2.9}}, nil, []int{1, 2, 3}, 5, 1, 1.5, 1.5, 3, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := tt.goal
			g.Work, g.Contest, g.Ours, g.Peer = tt.name, "fake", "unimac", "peer"
			r, err := g.Measure(fake(times, tt.lucky, tt.unlucky), plan, tt.starts)
			if err != nil || r.Missing != nil {
				t.Fatal(err, r.Missing)
			}
			if r.Size != tt.size || r.Measured != tt.measured || r.Reached != tt.reached {
				t.Errorf("size %d, %v, reached %v, want %d, %v, %v", r.Size, r.Measured, r.Reached, tt.size, tt.measured, tt.reached)
			}
			if r.Least != tt.least || r.Most != tt.most {
				t.Errorf("%v to %v, want %v to %v", r.Least, r.Most, tt.least, tt.most)
			}
			if g.Ratio.Of(r.OursNS, r.PeerNS) != r.Measured {
				t.Errorf("%v and %v ns for a ratio of %v", r.OursNS, r.PeerNS, r.Measured)
			}
		})
	}
}

func TestMissing(t *testing.T) {
	contests := fake(map[int][2]time.Duration{1: {1, 1}}, nil, nil)
	for _, name := range []string{"lacking", "nobody"} {
		g := Goal{"work", "fake", []int{1}, "unimac", name, Ratio{SpeedAtLeast: 1}}
		r, err := g.Measure(contests, measure.Plan{Rounds: 1}, 1)
		if err != nil || !errors.Is(r.Missing, contest.ErrAbsent) || r.Reached {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	for _, g := range []Goal{
		{"work", "fake", []int{1}, "unimac", "broken", Ratio{SpeedAtLeast: 1}},
		{"work", "none", []int{1}, "unimac", "peer", Ratio{SpeedAtLeast: 1}},
	} {
		if r, err := g.Measure(contests, measure.Plan{Rounds: 1}, 1); err == nil || r.Missing != nil {
			t.Errorf("%s, %s: %+v, %v", g.Contest, g.Peer, r, err)
		}
	}
}

// TestThisMachine checks that a machine with AVX2 measures the goal of AVX2 alone.
func TestThisMachine(t *testing.T) {
	contests := contest.All()
	i := slices.IndexFunc(contests, func(c contest.Contest) bool { return c.Name == "poly1305" })
	if contests[i].Entrant("unimac-avx2") == nil {
		t.Skip("this machine has no AVX2")
	}
	for _, g := range All() {
		if _, _, err := g.find(contests); err != nil {
			t.Errorf("%s: %v", g.Work, err)
		}
	}
}
