// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"syscall"
	"time"

	"github.com/unimac/unimac/internal/bench/contest"
	"github.com/unimac/unimac/internal/bench/record"
	"github.com/unimac/unimac/internal/measure"
)

func measureAll(o *options, contests []contest.Contest, stderr io.Writer) (*record.Record, error) {
	r := newRecord(o.name)
	r.Rounds = fewRounds
	start, before := time.Now(), processorTime()
	for i := range contests {
		c := &contests[i]
		if !o.wants(c.Name) {
			continue
		}
		fmt.Fprintf(stderr, "%s…\n", c.Name)
		measured, err := measureContest(o, c, c.Sizes, stderr)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		r.Contests = append(r.Contests, measured)
	}
	if len(r.Contests) == 0 {
		return nil, fmt.Errorf("no algorithm matches %q", o.only)
	}
	for i := range r.Contests {
		m := &r.Contests[i]
		c := &contests[slices.IndexFunc(contests, func(c contest.Contest) bool { return c.Name == m.Name })]
		if err := measureNoisy(o, c, m, stderr); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	r.Share = (processorTime() - before).Seconds() / time.Since(start).Seconds()
	return r, nil
}

// processorTime returns the processor time of this process and its ended children.
func processorTime() (total time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if err := syscall.Getrusage(who, &usage); err != nil {
			panic(err)
		}
		total += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	return total
}

// present returns the entrants that can run on this machine. It omits entrants with
// InUse, because the entrant "unimac" already runs their implementation.
func present(c *contest.Contest, stderr io.Writer) (entrants []*contest.Entrant, err error) {
	for i := range c.Entrants {
		e := &c.Entrants[i]
		if e.InUse {
			continue
		}
		w, err := e.Start(c.Sizes[0])
		if errors.Is(err, contest.ErrAbsent) {
			fmt.Fprintf(stderr, "skipping %s: %v\n", e.Label, err)
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

// maxSpread is the largest interquartile range, relative to the median, of a size that
// is measured only once.
const maxSpread = 0.05

// measureNoisy measures the sizes of m again at which an entrant's spread exceeds
// maxSpread. If the new results of a size have a smaller spread, they replace the old
// ones of all entrants.
func measureNoisy(o *options, c *contest.Contest, m *record.Contest, stderr io.Writer) error {
	var noisy, sizes []int
	for i, size := range m.Sizes {
		if m.Spread(i) > maxSpread && !o.quick {
			noisy, sizes = append(noisy, i), append(sizes, size)
		}
	}
	if len(noisy) == 0 {
		return nil
	}
	fmt.Fprintf(stderr, "%s again, %d of %d sizes…\n", c.Name, len(noisy), len(m.Sizes))
	again, err := measureContest(o, c, sizes, io.Discard)
	if err != nil {
		return err
	}
	for k, i := range noisy {
		if again.Spread(k) >= m.Spread(i) {
			continue
		}
		for j, e := range again.Entrants {
			old := &m.Entrants[j]
			old.NS[i], old.Low[i], old.High[i] = e.NS[k], e.Low[k], e.High[k]
		}
	}
	return nil
}

func measureContest(o *options, c *contest.Contest, sizes []int, stderr io.Writer) (record.Contest, error) {
	r := record.Contest{Name: c.Name, Title: c.Title, Sizes: sizes, RatioTo: c.RatioTo}
	for _, size := range sizes {
		r.Bytes = append(r.Bytes, c.Worked(size))
	}
	entrants, err := present(c, stderr)
	if err != nil {
		return r, err
	}
	for _, e := range entrants {
		r.Entrants = append(r.Entrants, record.Entrant{Name: e.Name, Label: e.Label, Ours: e.Ours, Other: e.Other, Level: e.Level})
	}
	// Rounds alternate between sizes as well, so that a disturbance does not spoil a
	// single size. If there are many sizes, they are measured in groups whose messages
	// fit in a cache.
	for sizes := range slices.Chunk(sizes, sizesAtOnce) {
		if err := measureSizes(o, c, entrants, sizes, r.Entrants); err != nil {
			return r, err
		}
	}
	return r, nil
}

const sizesAtOnce = 20

func measureSizes(o *options, c *contest.Contest, entrants []*contest.Entrant, sizes []int, results []record.Entrant) error {
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

const fewRounds = 15

// planFor returns the plan for measuring a contest. Ratios over many sizes use short
// turns and more rounds, because a disturbed turn would show as a peak.
func (o *options) planFor(c *contest.Contest) measure.Plan {
	plan := measure.Plan{Rounds: 31, Turn: time.Millisecond}
	switch {
	case o.quick:
		plan = measure.Plan{Rounds: 2, Turn: 50 * time.Microsecond, Limit: time.Second}
	case c.RatioTo != "":
		plan.Turn, plan.Rounds = c.Turn, 33
	case len(c.Sizes) == 1:
		plan.Turn, plan.Rounds = max(plan.Turn, c.Turn), fewRounds
	}
	return plan
}
