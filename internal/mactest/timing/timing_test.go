// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package timing

import (
	"crypto/subtle"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestWelch checks an example computed by hand: samples of six and five numbers with
// the means 3.5 and 6 and the variances 3.5 and 2.5.
func TestWelch(t *testing.T) {
	var a, b moments
	for i := range 6 {
		a.add(float64(1 + i))
	}
	for i := range 5 {
		b.add(float64(4 + i))
	}
	r := welch(&a, &b)
	want := 2.5 / math.Sqrt(3.5/6+2.5/5)
	if math.Abs(r.t-want) > 1e-12 || r.difference != 2.5 {
		t.Errorf("t = %v, difference %v, want %v and 2.5", r.t, r.difference, want)
	}
}

// noise returns n samples similar to measured ones: most have about the same time, and
// a few take much longer. Samples of class 1 take longer by shift nanoseconds.
func noise(n int, shift float64, rng *rand.Rand) []sample {
	samples := make([]sample, n)
	for i := range samples {
		class := rng.IntN(2)
		time := 1000 + 20*rng.NormFloat64() + shift*float64(class)
		if rng.IntN(50) == 0 {
			time += 50_000 * rng.ExpFloat64()
		}
		samples[i] = sample{math.Round(time), class}
	}
	return samples
}

func TestCompare(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		if r := compare(noise(20_000, 0, rng)); math.Abs(r.t) >= suspectedT {
			t.Errorf("equal classes: %v, want |t| below %v", r, suspectedT)
		}
	}
	for range 20 {
		samples := noise(20_000, 5, rng)
		r := compare(samples)
		if r.t < certainT {
			t.Errorf("classes a quarter of a standard deviation apart: %v, want t of at least %d", r, certainT)
		}
		if r.fraction == 1 {
			t.Errorf("t is largest for all samples, including long ones: %v", r)
		}
		for i := range samples {
			samples[i].class ^= 1
		}
		if other := compare(samples); other.t != -r.t || other.samples != 20_000 {
			t.Errorf("classes exchanged: %v, want t of the opposite sign: %v", other, r)
		}
	}
	if r := compare([]sample{{1, 0}, {1, 1}, {1, 0}, {1, 1}}); r.t != 0 {
		t.Errorf("constant times: %v, want t = 0", r)
	}
	if r := compare(nil); r.t != 0 {
		t.Errorf("no samples: %v, want t = 0", r)
	}
}

// TestMeasure checks measure with a simulated clock, which advances by 20 nanoseconds
// whenever it is read and by the time of each call to the measured function.
func TestMeasure(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, leak := range []time.Duration{0, 1, -1} {
		var now time.Duration
		clock := func() time.Duration { now += 20; return now }
		var seen [2]int
		test := Test{
			Size: 3,
			Input: func(class int, input []byte, rng *rand.Rand) {
				for i := range input {
					input[i] = byte(rng.Uint32())
				}
				input[1] = byte(class)
			},
			Run: func(input []byte) {
				seen[input[1]]++
				now += 100 + time.Duration(rng.IntN(10)) + leak*time.Duration(input[1])
			},
		}
		r := test.measure(20*time.Millisecond, clock)
		if found := math.Abs(r.t) >= suspectedT; found != (leak != 0) {
			t.Errorf("a leak of %d ns: %v", leak, r)
		}
		// Discarding the longest samples also removes a part of the difference.
		if leak != 0 && math.Abs(r.difference-float64(leak)) > 0.4 {
			t.Errorf("a leak of %d ns per call was measured as %v", leak, r)
		}
		if r.calls != 16 || r.median < 100 || r.median > 110 {
			t.Errorf("calls of 100 to 109 ns: %v, want 16 calls per sample and a median of 100 to 110 ns", r)
		}
		if seen[0] < 10*r.calls || seen[1] < 10*r.calls {
			t.Errorf("classes ran %v times, want at least %d times each", seen, 10*r.calls)
		}
	}
}

// wrongTag fills tag, of 16 bytes, with a tag that differs from zeros in the first or
// in the last byte.
func wrongTag(class int, tag []byte, _ *rand.Rand) {
	clear(tag)
	tag[class*(len(tag)-1)] = 1
}

// TestTimingControl checks that the method finds a difference in a comparison that
// stops at the first unequal byte, and none in subtle.ConstantTimeCompare.
func TestTimingControl(t *testing.T) {
	want := make([]byte, 16)
	equal := 0
	Run(t, []Test{{
		Name: "control: leaky comparison, wrong in the first or last byte", Size: 16, Leaks: true,
		Input: wrongTag,
		Run: func(tag []byte) {
			for i := range tag {
				if tag[i] != want[i] {
					return
				}
			}
			equal++
		},
	}, {
		Name: "control: crypto/subtle, wrong in the first or last byte", Size: 16,
		Input: wrongTag,
		Run:   func(tag []byte) { equal += subtle.ConstantTimeCompare(tag, want) },
	}})
}
