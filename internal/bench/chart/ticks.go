// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chart

import (
	"fmt"
	"math"

	"github.com/unimac/unimac/internal/bench/record"
)

// A tick is a mark on an axis.
type tick struct {
	value float64
	label string
}

// sizeTicks marks the powers of four.
func sizeTicks(low, high float64) (ticks []tick) {
	for n := 1; float64(n) <= high; n *= 4 {
		if float64(n) >= low {
			ticks = append(ticks, tick{float64(n), record.Size(n)})
		}
	}
	return ticks
}

// speedTicks marks 1, 2 and 5 of each power of ten.
func speedTicks(low, high float64) (ticks []tick) {
	for _, v := range speeds {
		if v >= low && v <= high {
			ticks = append(ticks, tick{v, fmt.Sprint(v)})
		}
	}
	return ticks
}

// evenTicks marks six steps at most, of 1, 2 or 5 of a power of ten each.
func evenTicks(high float64) (ticks []tick) {
	step := roundUp(high / 6)
	for i := 0; float64(i)*step <= high; i++ {
		v := float64(i) * step
		ticks = append(ticks, tick{v, fmt.Sprintf("%.3g", v)})
	}
	return ticks
}

// speeds are the marks that an axis may have, in order.
var speeds = func() (all []float64) {
	for power := -4; power <= 4; power++ {
		for _, digit := range []float64{1, 2, 5} {
			// Not by math.Pow, whose negative powers are not what is printed.
			v := digit * math.Pow10(max(power, 0)) / math.Pow10(max(-power, 0))
			all = append(all, v)
		}
	}
	return all
}()

func roundDown(v float64) float64 {
	r := speeds[0]
	for _, s := range speeds {
		if s <= v {
			r = s
		}
	}
	return r
}

func roundUp(v float64) float64 {
	for _, s := range speeds {
		if s >= v {
			return s
		}
	}
	return v
}
