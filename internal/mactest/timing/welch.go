// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package timing

import (
	"fmt"
	"math"
	"slices"
)

// A sample is a time in nanoseconds with the class of its input.
type sample struct {
	time  float64
	class int
}

// A result is the outcome of a comparison of two classes.
type result struct {
	t        float64 // Welch's t with the largest |t| among all tested fractions
	fraction float64 // the fraction of the samples that yields t

	// difference is the mean time of class 1 minus the mean time of class 0, in
	// nanoseconds. deviation is the standard error of difference.
	difference, deviation float64

	median  float64 // median of all samples
	samples int     // number of samples
	calls   int     // calls per sample
}

// percentiles is the number of fractions below 1 that compare tests.
const percentiles = 20

// compare compares the times of the two classes with Welch's t-test.
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
	best := result{deviation: math.Inf(1), fraction: 1}
	if len(samples) == 0 {
		return best
	}
	var classes [2]moments
	next := 0
	for i := 1; i <= percentiles+1; i++ {
		// As in dudect, most of the fractions are close to 1.
		fraction := 1 - math.Pow(0.5, 10*float64(i)/percentiles)
		if i > percentiles {
			fraction = 1
		}
		n := int(fraction * float64(len(samples)))
		// Keep samples with equal times together because their order is arbitrary.
		for n > next && n < len(samples) && samples[n].time == samples[n-1].time {
			n++
		}
		for ; next < n; next++ {
			classes[samples[next].class].add(samples[next].time)
		}
		r := welch(&classes[0], &classes[1])
		// Keep the t statistic with the largest absolute value.
		if math.Abs(r.t) > math.Abs(best.t) {
			best.t, best.fraction = r.t, float64(n)/float64(len(samples))
		}
		// Discarding more than 10 percent would hide much of the difference.
		if n > len(samples)*9/10 && r.deviation < best.deviation {
			best.difference, best.deviation = r.difference, r.deviation
		}
	}
	best.median, best.samples = samples[len(samples)/2].time, len(samples)
	return best
}

// moments holds the count, mean and sum of squared deviations of the samples.
type moments struct{ n, mean, squares float64 }

// add adds the sample x with Welford's algorithm (1962).
func (m *moments) add(x float64) {
	m.n++
	d := x - m.mean
	m.mean += d / m.n
	m.squares += d * (x - m.mean)
}

// welch returns Welch's t statistic for two classes.
func welch(a, b *moments) result {
	if a.n < 2 || b.n < 2 {
		return result{deviation: math.Inf(1)}
	}
	r := result{
		difference: b.mean - a.mean,
		deviation:  math.Sqrt(a.squares/(a.n-1)/a.n + b.squares/(b.n-1)/b.n),
	}
	if r.difference != 0 {
		r.t = r.difference / r.deviation // infinite if the times do not vary
	}
	return r
}

// scale converts times per sample to times per call.
func (r *result) scale(calls int) {
	r.calls = calls
	r.difference /= float64(calls)
	r.deviation /= float64(calls)
	r.median /= float64(calls)
}

// String returns the last columns of a row of the table in RESULTS.md.
func (r result) String() string {
	return fmt.Sprintf("%.1f ns | %d × %d | %+.3f ± %.3f ns | %+.2f",
		r.median, r.samples, r.calls, r.difference, r.deviation, r.t)
}
