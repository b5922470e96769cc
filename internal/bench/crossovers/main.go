// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Crossovers measures operations at every length and alternates between code paths in
// one process. If a package chooses its paths by thresholds, crossovers prints
// thresholds for this processor, in the format of the package's threshold file, and how
// much time today's thresholds lose. If a package chooses by levels, crossovers does
// the same with levels. If golang.org/x/crypto has the same operation, crossovers
// prints the lengths at which x/crypto is faster.
//
//	go -C internal/bench run ./crossovers -run 'New Seal' -step 1
//	GODEBUG=cpu.avx512f=off go -C internal/bench run ./crossovers
//
// A threshold is set only where another code path gains two percent at two consecutive
// lengths. If today's thresholds seem to lose more than two percent at a length, or if
// x/crypto seems to be faster, the length is measured again, for longer.
package main

import (
	"flag"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/unimac/unimac/internal/bench/contest"
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/measure"
)

const turnTime = 20 * time.Microsecond

// A candidate is faster than another if it takes at most maxTime times as long. A speed
// of at least minSpeed times x/crypto's counts as no slower.
const maxTime, minSpeed = 0.98, 0.97

// A point contains the times of today's choice, x/crypto and each candidate at a
// length.
type point struct {
	length        int
	today, theirs float64
	candidates    []float64
}

func main() {
	step := flag.Int("step", 16, "measure lengths that are so far apart, up to 2 KiB")
	only := flag.String("run", "", "measure operations whose names match")
	flag.Parse()
	pattern := regexp.MustCompile(*only)
	fmt.Printf("this processor is %s\n", cpu.ThisKind())
	for _, o := range contest.Operations() {
		if !pattern.MatchString(o.Name) {
			continue
		}
		candidates := available(o.Package)
		var points []point
		for _, n := range lengths(o, max(1, *step)) {
			p := measured(o, candidates, n, measure.Plan{Rounds: 9, Turn: turnTime})
			if p.loss() > 1/maxTime || p.ratio() < minSpeed {
				p = measured(o, candidates, n, measure.Plan{Rounds: 41, Turn: 2 * turnTime})
			}
			points = append(points, p)
		}
		if candidates != nil {
			fmt.Printf("%s: %s; today's choice %s\n", o.Name, thresholds(candidates, points), losses(points))
		}
		if o.Theirs != nil {
			fmt.Printf("%s: %s\n", o.Name, slower(points))
		}
	}
}

// A candidate is a code path of a package or, if the package has none, a level.
type candidate struct {
	name     string
	min, max int // the lengths that it takes
	use      func()
}

// available returns the candidates that this machine can run, lowest level first.
func available(pkg string) (candidates []candidate) {
	if pkg == "" {
		return nil
	}
	for _, p := range dispatch.Paths(pkg) {
		c := candidate{name: p.Name, min: p.Min, max: p.Max, use: func() { dispatch.SelectPath(pkg, p.Name) }}
		if c.max == 0 {
			c.max = math.MaxInt
		}
		candidates = append(candidates, c)
	}
	if candidates != nil {
		return candidates
	}
	for _, name := range slices.Backward(dispatch.List(pkg)) {
		if dispatch.Available(pkg, name) {
			candidates = append(candidates, candidate{name, 0, math.MaxInt, func() { dispatch.Select(pkg, name) }})
		}
	}
	return candidates
}

func lengths(o contest.Operation, step int) (list []int) {
	for n := o.Least; n <= min(o.Most, 2<<10); n += step {
		list = append(list, n)
	}
	for n := 2560; n <= o.Most; n += n / 4 &^ 63 {
		list = append(list, n)
	}
	return list
}

// measured alternates between the candidates, today's choice and x/crypto.
func measured(o contest.Operation, candidates []candidate, n int, plan measure.Plan) point {
	start := func(of func(size int) (*contest.Work, error)) measure.Loop {
		work, err := of(n)
		if err != nil {
			panic(err)
		}
		return work.Loop
	}
	var loops []measure.Loop
	for _, c := range candidates {
		loop := start(o.Ours)
		loops = append(loops, func(times int) time.Duration {
			if c.min <= n && n <= c.max {
				c.use()
				defer dispatch.Reset(o.Package)
			}
			return loop(times)
		})
	}
	loops = append(loops, start(o.Ours))
	if o.Theirs != nil {
		loops = append(loops, start(o.Theirs))
	}
	p := point{length: n}
	for i, series := range measure.Alternate(loops, plan) {
		switch time := series.Best(); i - len(candidates) {
		case 0:
			p.today = time
		case 1:
			p.theirs = time
		default:
			if c := candidates[i]; n < c.min || c.max < n {
				time = math.Inf(1)
			}
			p.candidates = append(p.candidates, time)
		}
	}
	return p
}

// best returns the fastest candidate, or before unless another is clearly faster.
func (p *point) best(before int) int {
	best := before
	for i, time := range p.candidates {
		if time < p.candidates[best]*maxTime || best != before && time < p.candidates[best] {
			best = i
		}
	}
	return best
}

// loss returns the time of today's choice as a multiple of the fastest candidate's.
func (p *point) loss() float64 {
	if p.candidates == nil {
		return 1
	}
	return p.today / p.candidates[p.best(0)]
}

func (p *point) ratio() float64 {
	if p.theirs == 0 {
		return 1
	}
	return p.theirs / p.today
}

func thresholds(candidates []candidate, points []point) string {
	var b strings.Builder
	now := points[0].best(len(candidates) - 1)
	for i := range points {
		next := points[i].best(now)
		if i+1 < len(points) && points[i+1].best(now) == now {
			next = now
		}
		if next != now {
			fmt.Fprintf(&b, "{Max: %d, Path: %s}, ", points[i-1].length, candidates[now].name)
			now = next
		}
	}
	fmt.Fprintf(&b, "{Path: %s}", candidates[now].name)
	return b.String()
}

func losses(points []point) string {
	var slower []string
	for _, p := range points {
		if p.loss() > 1/maxTime {
			slower = append(slower, fmt.Sprintf("%d: %.2f", p.length, p.loss()))
		}
	}
	if slower == nil {
		return "no losses"
	}
	return "multiples of the shortest time " + strings.Join(slower, ", ")
}

func slower(points []point) string {
	var at []string
	for _, p := range points {
		if p.ratio() < minSpeed {
			at = append(at, fmt.Sprintf("%d: %.3f", p.length, p.ratio()))
		}
	}
	if at == nil {
		return "never slower than x/crypto"
	}
	return "multiples of x/crypto's speed " + strings.Join(at, ", ")
}
