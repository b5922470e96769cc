// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package measure compares the speed of functions in alternating runs. Every function
// gets a short turn in each round, so background load affects all functions equally.
package measure

import (
	"math"
	"slices"
	"time"
)

// A Plan determines how long to measure.
type Plan struct {
	Rounds int
	Turn   time.Duration // approximate time per contender and round

	// Limit, if not zero, bounds the total time: once it has elapsed, no round starts.
	// The first three rounds always run. Set Limit if a single operation may take
	// longer than Turn.
	Limit time.Duration
}

const minRounds = 3

// A Loop performs some work n times and returns the time it took.
type Loop = func(n int) time.Duration

// Timed returns a Loop that measures the time of loop.
func Timed(loop func(n int)) Loop {
	return func(n int) time.Duration {
		start := clock()
		loop(n)
		return clock() - start
	}
}

// A Series contains the time per operation in nanoseconds for each round.
type Series []float64

// Best returns the minimum because disturbances only lengthen a measurement.
func (s Series) Best() float64 { return slices.Min(s) }

// Median returns the median, which is robust against a single unusually fast round.
func (s Series) Median() float64 {
	sorted := slices.Sorted(slices.Values(s))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Quartiles returns the lower and the upper quartile.
func (s Series) Quartiles() (low, high float64) {
	sorted := slices.Sorted(slices.Values(s))
	n := len(sorted) - 1
	return sorted[n/4], sorted[n-n/4]
}

// Alternate measures the loops in rounds and returns a Series for each loop. In each
// round, every loop gets one turn.
func Alternate(loops []Loop, plan Plan) []Series { return alternate(loops, plan, clockStep()) }

// stepsInTurn is the minimum length of a turn in clock steps.
const stepsInTurn = 20

func clockStep() time.Duration {
	step := time.Duration(math.MaxInt64)
	for range 3 {
		for start := clock(); ; {
			if moved := clock() - start; moved > 0 {
				step = min(step, moved)
				break
			}
		}
	}
	return step
}

func alternate(loops []Loop, plan Plan, step time.Duration) []Series {
	plan.Turn = max(plan.Turn, stepsInTurn*step) // the clock cannot measure shorter turns
	counts := make([]int, len(loops))
	for i, loop := range loops {
		counts[i] = count(loop, plan.Turn)
	}
	series := make([]Series, len(loops))
	var total time.Duration
	for round := range plan.Rounds {
		if plan.Limit > 0 && total > plan.Limit && round >= minRounds {
			break
		}
		for i := range loops {
			// Vary the order so that no loop always runs first or always follows the
			// same loop.
			i := (i + round) % len(loops)
			if round%2 == 1 {
				i = len(loops) - 1 - i
			}
			took := loops[i](counts[i])
			total += took
			series[i] = append(series[i], float64(took)/float64(counts[i]))
		}
	}
	return series
}

// count returns how many iterations of loop take about duration.
func count(loop Loop, duration time.Duration) int {
	for n := 1; ; {
		took := max(loop(n), 1)
		if took >= duration/4 {
			// Use the shorter of two times, because other programs may interfere.
			took = max(min(took, loop(n)), 1)
		}
		if took >= duration/4 {
			return max(1, int(float64(n)*float64(duration)/float64(took)))
		}
		n *= int(min(100, max(2, duration/2/took)))
	}
}
