// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package timing

import (
	"fmt"
	"math"
	"slices"
)

// A sample is a time, in nanoseconds, and the class of its input.
type sample struct {
	time  float64
	class int
}

// A result is what comparing the classes tells.
type result struct {
	t     float64 // of the share of samples, always the shortest, where it is largest
	share float64 // that share

	// The difference of the means of class 1 and class 0, in nanoseconds, where its
	// standard deviation is least. That is in a share of nine tenths or more: the
	// smaller ones leave out much of a difference.
	difference, deviation float64

	median  float64 // of all samples
	samples int     // all of them
	calls   int     // in a sample
}

// cuts is how many shares of the samples are compared, besides all of them.
const cuts = 20

// compare applies Welch's t-test to all samples and to ever fewer of them, always
// the shortest, down to three tenths. The shares are dudect's: most of them are
// large.
func compare(samples []sample) result {
	samples = slices.Clone(samples)
	slices.SortFunc(samples, func(a, b sample) int {
		switch {
		case a.time < b.time:
			return -1
		case a.time > b.time:
			return 1
		}
		return 0
	})
	best := result{deviation: math.Inf(1), share: 1}
	if len(samples) == 0 {
		return best
	}
	var classes [2]moments
	next := 0
	for i := 1; i <= cuts+1; i++ {
		share := 1 - math.Pow(0.5, 10*float64(i)/cuts)
		if i > cuts {
			share = 1
		}
		n := int(share * float64(len(samples)))
		// Samples of one time, of which there are many, stay together: their order
		// in the sorted list is nobody's.
		for n > next && n < len(samples) && samples[n].time == samples[n-1].time {
			n++
		}
		for ; next < n; next++ {
			classes[samples[next].class].add(samples[next].time)
		}
		r := welch(&classes[0], &classes[1])
		if math.Abs(r.t) > math.Abs(best.t) {
			best.t, best.share = r.t, float64(n)/float64(len(samples))
		}
		if n > len(samples)*9/10 && r.deviation < best.deviation {
			best.difference, best.deviation = r.difference, r.deviation
		}
	}
	best.median, best.samples = samples[len(samples)/2].time, len(samples)
	return best
}

// moments are the number, the mean and the sum of squared deviations of numbers
// that come one at a time (B. P. Welford, 1962).
type moments struct{ n, mean, squares float64 }

func (m *moments) add(x float64) {
	m.n++
	d := x - m.mean
	m.mean += d / m.n
	m.squares += d * (x - m.mean)
}

// welch is Welch's t-test: the difference of two means in units of its standard
// deviation.
func welch(a, b *moments) result {
	if a.n < 2 || b.n < 2 {
		return result{deviation: math.Inf(1)}
	}
	r := result{
		difference: b.mean - a.mean,
		deviation:  math.Sqrt(a.squares/(a.n-1)/a.n + b.squares/(b.n-1)/b.n),
	}
	if r.difference != 0 {
		r.t = r.difference / r.deviation // infinite if times do not vary at all
	}
	return r
}

// scale makes times of samples times of calls.
func (r *result) scale(calls int) {
	r.calls = calls
	r.difference /= float64(calls)
	r.deviation /= float64(calls)
	r.median /= float64(calls)
}

// String is the end of a line of RESULTS.md's table.
func (r result) String() string {
	return fmt.Sprintf("%.1f ns | %d × %d | %+.3f ± %.3f ns | %+.2f",
		r.median, r.samples, r.calls, r.difference, r.deviation, r.t)
}
