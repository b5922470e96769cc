// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Crossovers measures operations at every length, by turns in one process. Where a table says which
// level of a package's kernels runs at which length, it finds which takes the least time here: it
// prints this processor's column, in which a level ends where the next begins, and by how much today's
// table loses. Where golang.org/x/crypto has the operation, too, it prints the lengths at which that is
// faster.
//
//	go -C internal/bench run ./crossovers -run 'New Seal' -step 1
//	GODEBUG=cpu.avx512f=off go -C internal/bench run ./crossovers
//
// A level has to gain two percent at two lengths in a row. A length at which today's table seems
// to lose more than that, or x/crypto to be faster, is measured again, longer.
package main

import (
	"flag"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/unimac/unimac/internal/bench/contest"
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
	"github.com/unimac/unimac/internal/measure"
)

// turn is how long one takes.
const turn = 20 * time.Microsecond

// gain is what a level must have of another's time at most to be faster, and below the least
// multiple of x/crypto's speed that counts as no slower.
const gain, below = 0.98, 0.97

// A point is what the levels of a package take for a length, and what today's table and x/crypto take.
type point struct {
	length        int
	today, theirs float64
	levels        []float64
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
		names := available(o.Package)
		var points []point
		for _, n := range lengths(o, max(1, *step)) {
			p := measured(o, names, n, measure.Plan{Rounds: 9, Turn: turn})
			if p.loss() > 1/gain || p.ratio() < below {
				p = measured(o, names, n, measure.Plan{Rounds: 41, Turn: 2 * turn})
			}
			points = append(points, p)
		}
		if names != nil {
			fmt.Printf("%s: %s; today's table %s\n", o.Name, column(names, points), losses(points))
		}
		if o.Theirs != nil {
			fmt.Printf("%s: %s\n", o.Name, slower(points))
		}
	}
}

// available names the levels of a package that this machine has, the lowest first.
func available(pkg string) (names []string) {
	if pkg == "" {
		return nil
	}
	for _, name := range impl.List(pkg) {
		if impl.Available(pkg, name) {
			names = append([]string{name}, names...)
		}
	}
	return names
}

// lengths returns those that an operation is measured at.
func lengths(o contest.Operation, step int) (list []int) {
	for n := o.Least; n <= min(o.Most, 2<<10); n += step {
		list = append(list, n)
	}
	for n := 2560; n <= o.Most; n += n / 4 &^ 63 {
		list = append(list, n)
	}
	return list
}

// measured has the levels of a package, alone, today's table and x/crypto take turns.
func measured(o contest.Operation, names []string, n int, plan measure.Plan) point {
	start := func(of func(size int) (*contest.Work, error)) measure.Loop {
		work, err := of(n)
		if err != nil {
			panic(err)
		}
		return work.Loop
	}
	var loops []measure.Loop
	for _, name := range names {
		loop := start(o.Ours)
		loops = append(loops, func(times int) time.Duration {
			impl.Select(o.Package, name)
			defer impl.Reset(o.Package)
			return loop(times)
		})
	}
	loops = append(loops, start(o.Ours))
	if o.Theirs != nil {
		loops = append(loops, start(o.Theirs))
	}
	p := point{length: n}
	for i, series := range measure.Alternate(loops, plan) {
		switch time := series.Best(); i - len(names) {
		case 0:
			p.today = time
		case 1:
			p.theirs = time
		default:
			p.levels = append(p.levels, time)
		}
	}
	return p
}

// best returns the fastest level, and best unless it is clearly slower.
func (p *point) best(before int) int {
	best := before
	for i, time := range p.levels {
		if time < p.levels[best]*gain || best != before && time < p.levels[best] {
			best = i
		}
	}
	return best
}

// loss is what today's table takes, as a multiple of the fastest level's time.
func (p *point) loss() float64 {
	if p.levels == nil {
		return 1
	}
	return p.today / p.levels[p.best(0)]
}

// ratio is the multiple of x/crypto's speed.
func (p *point) ratio() float64 {
	if p.theirs == 0 {
		return 1
	}
	return p.theirs / p.today
}

// column writes which level is the fastest up to which length.
func column(names []string, points []point) string {
	var b strings.Builder
	now := points[0].best(len(names) - 1)
	for i := range points {
		next := points[i].best(now)
		if i+1 < len(points) && points[i+1].best(now) == now {
			next = now
		}
		if next != now {
			fmt.Fprintf(&b, "{%d, %s}, ", points[i-1].length, names[now])
			now = next
		}
	}
	fmt.Fprintf(&b, "{unlimited, %s}", names[now])
	return b.String()
}

// losses says where today's table takes longer than the fastest level.
func losses(points []point) string {
	var slower []string
	for _, p := range points {
		if p.loss() > 1/gain {
			slower = append(slower, fmt.Sprintf("%d: %.2f", p.length, p.loss()))
		}
	}
	if slower == nil {
		return "loses nowhere"
	}
	return "takes of the least time " + strings.Join(slower, ", ")
}

// slower says where x/crypto is faster.
func slower(points []point) string {
	var at []string
	for _, p := range points {
		if p.ratio() < below {
			at = append(at, fmt.Sprintf("%d: %.3f", p.length, p.ratio()))
		}
	}
	if at == nil {
		return "no length is slower than in x/crypto"
	}
	return "multiples of x/crypto's speed " + strings.Join(at, ", ")
}
