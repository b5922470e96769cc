// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Crossovers finds on this machine which level of each package's kernels takes the least time for
// which lengths, by turns in one process. For each operation it prints this processor's column,
// in which a level ends where the next begins, and by how much today's table loses.
//
//	go -C internal/bench run ./crossovers -run 'New Seal' -step 1
//
// A level has to gain two percent at two lengths in a row. A length at which today's table seems
// to lose more than that is measured again, longer.
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

// gain is what a level must have of another's time at most to be faster.
const gain = 0.98

// A point is what the levels of a package take for a length, and what today's table takes.
type point struct {
	length int
	today  float64
	levels []float64
}

func main() {
	step := flag.Int("step", 16, "measure lengths that are so far apart, up to 1 KiB")
	only := flag.String("run", "", "measure operations whose names match")
	flag.Parse()
	pattern := regexp.MustCompile(*only)
	fmt.Printf("this processor is %s\n", cpu.ThisKind())
	for _, o := range contest.Operations() {
		if o.Package == "" || !pattern.MatchString(o.Name) {
			continue
		}
		names := available(o.Package)
		var points []point
		for _, n := range lengths(o, max(1, *step)) {
			p := measured(o, names, n, measure.Plan{Rounds: 9, Turn: turn})
			if p.loss() > 1/gain {
				p = measured(o, names, n, measure.Plan{Rounds: 41, Turn: 2 * turn})
			}
			points = append(points, p)
		}
		fmt.Printf("%s: %s; today's table %s\n", o.Name, column(names, points), losses(points))
	}
}

// available names the levels of a package that this machine has, the lowest first.
func available(pkg string) (names []string) {
	for _, name := range impl.List(pkg) {
		if impl.Available(pkg, name) {
			names = append([]string{name}, names...)
		}
	}
	return names
}

// lengths returns those that an operation is measured at.
func lengths(o contest.Operation, step int) (list []int) {
	for n := o.Least; n <= min(o.Most, 1<<10); n += step {
		list = append(list, n)
	}
	for n := 1280; n <= o.Most; n += n / 4 &^ 63 {
		list = append(list, n)
	}
	return list
}

// measured has the levels of a package, alone, and today's table take turns.
func measured(o contest.Operation, names []string, n int, plan measure.Plan) point {
	var loops []measure.Loop
	for _, name := range append(names, "") {
		work, err := o.Ours(n)
		if err != nil {
			panic(err)
		}
		loops = append(loops, func(times int) time.Duration {
			impl.Reset(o.Package)
			if name != "" {
				impl.Select(o.Package, name)
			}
			return work.Loop(times)
		})
	}
	p := point{length: n}
	for _, series := range measure.Alternate(loops, plan) {
		p.levels = append(p.levels, series.Best())
	}
	impl.Reset(o.Package)
	p.today, p.levels = p.levels[len(names)], p.levels[:len(names)]
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
func (p *point) loss() float64 { return p.today / p.levels[p.best(0)] }

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
