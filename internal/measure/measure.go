// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package measure times work by turns: each round gives every contender a short
// turn, so that whatever else the machine does meets all alike. The benchmarks of
// unimac bench and of internal/bench use it.
package measure

import (
	"math"
	"slices"
	"time"
)

// A Plan says how long to measure.
type Plan struct {
	Rounds int
	Turn   time.Duration // of one contender in one round, about

	// Limit ends the rounds early, but never before the third, where work takes
	// longer than a turn. Zero stands for no limit.
	Limit time.Duration
}

// minRounds is how many rounds a limit leaves.
const minRounds = 3

// A Loop does some work n times and returns how long that took.
type Loop = func(n int) time.Duration

// Timed returns the Loop of work that does not look at the clock itself.
func Timed(loop func(n int)) Loop {
	return func(n int) time.Duration {
		start := clock()
		loop(n)
		return clock() - start
	}
}

// A Series holds the nanoseconds that the work took once, in each round.
type Series []float64

// Best returns the least: whatever disturbs a measurement makes it longer.
func (s Series) Best() float64 { return slices.Min(s) }

// Median returns the middle, for work that can also be lucky.
func (s Series) Median() float64 {
	sorted := slices.Sorted(slices.Values(s))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Quartiles returns the values that a quarter is below and a quarter is above.
func (s Series) Quartiles() (low, high float64) {
	sorted := slices.Sorted(slices.Values(s))
	n := len(sorted) - 1
	return sorted[n/4], sorted[n-n/4]
}

// Alternate measures loops by turns, and returns a series for each. A turn is never so
// short that a step of the clock matters.
func Alternate(loops []Loop, plan Plan) []Series { return alternate(loops, plan, clockStep()) }

// stepsInTurn is how many steps of the clock a turn has at least.
const stepsInTurn = 20

// clockStep returns by how much the clock moves at once.
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
	plan.Turn = max(plan.Turn, stepsInTurn*step)
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
			// Nobody always comes first, or always after the same one.
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

// count finds out how often a loop has to go round to fill a turn. What takes long once may have been
// disturbed, and too few rounds would time the clock, too.
func count(loop Loop, turn time.Duration) int {
	for n := 1; ; {
		took := max(loop(n), 1)
		if took >= turn/4 {
			took = max(min(took, loop(n)), 1)
		}
		if took >= turn/4 {
			return max(1, int(float64(n)*float64(turn)/float64(took)))
		}
		n *= int(min(100, max(2, turn/2/took)))
	}
}
