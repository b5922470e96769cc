// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package measure

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestSeries(t *testing.T) {
	for _, tt := range []struct {
		s            Series
		best, median float64
	}{
		{Series{3}, 3, 3},
		{Series{4, 2}, 2, 3},
		{Series{9, 1, 2}, 1, 2},
		{Series{8, 1, 100, 2}, 1, 5},
	} {
		before := slices.Clone(tt.s)
		if got := tt.s.Best(); got != tt.best {
			t.Errorf("%v: best %v, want %v", tt.s, got, tt.best)
		}
		if got := tt.s.Median(); got != tt.median {
			t.Errorf("%v: median %v, want %v", tt.s, got, tt.median)
		}
		if !slices.Equal(tt.s, before) {
			t.Errorf("%v became %v", before, tt.s)
		}
	}
}

// A machine has a simulated clock that only its loops advance.
type machine struct {
	calls []string   // the names of the loops, in the order of the calls
	rng   *rand.Rand // source of noise, or nil
}

func (m *machine) loop(name string, cost time.Duration) Loop {
	return func(n int) time.Duration {
		m.calls = append(m.calls, name)
		took := time.Duration(n) * cost
		if m.rng != nil && m.rng.IntN(2) == 0 {
			took += time.Duration(m.rng.Int64N(int64(took)))
		}
		return took
	}
}

// TestAlternate checks the results and the length of the turns, and that each loop has
// one turn per round in a rotating order.
func TestAlternate(t *testing.T) {
	m := new(machine)
	costs := []time.Duration{7, 1500, 3 * time.Millisecond}
	loops := []Loop{m.loop("a", costs[0]), m.loop("b", costs[1]), m.loop("c", costs[2])}
	longest := time.Duration(0)
	for i, loop := range loops {
		loops[i] = func(n int) time.Duration {
			took := loop(n)
			if n > 1 {
				longest = max(longest, took)
			}
			return took
		}
	}
	plan := Plan{Rounds: 6, Turn: time.Millisecond}
	series := Alternate(loops, plan)
	for i, s := range series {
		if len(s) != plan.Rounds || s.Best() != float64(costs[i]) || s.Median() != float64(costs[i]) {
			t.Errorf("%v for costs of %v", s, costs[i])
		}
	}
	if longest > plan.Turn || longest < plan.Turn*9/10 {
		t.Errorf("the longest turn is %v, want about %v", longest, plan.Turn)
	}
	rounds := slices.Collect(slices.Chunk(m.calls[len(m.calls)-18:], 3))
	places := map[string]bool{}
	for _, round := range rounds {
		if sorted := slices.Sorted(slices.Values(round)); !slices.Equal(sorted, []string{"a", "b", "c"}) {
			t.Errorf("round %v", round)
		}
		for place, name := range round {
			places[name+string(rune('0'+place))] = true
		}
	}
	if len(places) != 9 {
		t.Errorf("places %v", places)
	}
}

// TestNoise checks that the minimum of several rounds is not affected by additive
// noise.
func TestNoise(t *testing.T) {
	m := &machine{rng: rand.New(rand.NewPCG(1, 2))}
	series := Alternate([]Loop{m.loop("a", 100), m.loop("b", 200)}, Plan{Rounds: 20, Turn: time.Millisecond})
	if a, b := series[0].Best(), series[1].Best(); a != 100 || b != 200 {
		t.Errorf("%v and %v, want 100 and 200", a, b)
	}
}

// TestDisturbed delays one call of each length and checks that the turns keep their
// length.
func TestDisturbed(t *testing.T) {
	called := map[int]bool{}
	n := count(func(n int) time.Duration {
		took := time.Duration(n)
		if !called[n] {
			took += time.Second
		}
		called[n] = true
		return took
	}, time.Millisecond)
	if n != int(time.Millisecond) {
		t.Errorf("%d rounds, want %d", n, time.Millisecond)
	}
}

func TestTimed(t *testing.T) {
	iterations := 0
	took := Timed(func(n int) {
		for range n {
			iterations++
			time.Sleep(2 * time.Millisecond)
		}
	})(3)
	if iterations != 3 || took < 6*time.Millisecond {
		t.Errorf("%d iterations in %v", iterations, took)
	}
}

// TestLimit checks that long work gets few rounds and short work all of them.
func TestLimit(t *testing.T) {
	m := new(machine)
	plan := Plan{Rounds: 10, Turn: time.Millisecond, Limit: 100 * time.Millisecond}
	for cost, want := range map[time.Duration]int{100: 10, 20 * time.Millisecond: 6, time.Second: 3} {
		if s := Alternate([]Loop{m.loop("a", cost)}, plan); len(s[0]) != want {
			t.Errorf("%v: %d rounds, want %d", cost, len(s[0]), want)
		}
	}
}

// TestCountZero uses a clock too coarse for short work.
func TestCountZero(t *testing.T) {
	coarse := func(n int) time.Duration { return time.Duration(n) * 3 / 1000 * 1000 }
	if n := count(coarse, time.Millisecond); n < 200_000 || n > 500_000 {
		t.Errorf("%d times", n)
	}
}

// TestCoarseClock uses turns shorter than a clock step, as on Windows. No result may be
// zero.
func TestCoarseClock(t *testing.T) {
	const step = time.Millisecond
	var now time.Duration
	loop := func(n int) time.Duration {
		start := now.Truncate(step)
		now += time.Duration(n) * 700
		return now.Truncate(step) - start
	}
	for _, duration := range []time.Duration{0, time.Microsecond, step} {
		s := alternate([]Loop{loop}, Plan{Rounds: 5, Turn: duration}, step)[0]
		if best, median := s.Best(), s.Median(); best < 600 || best > 800 || median < 600 || median > 800 {
			t.Errorf("turns of %v: best %v, median %v, want about 700", duration, best, median)
		}
	}
}

// TestClockStep checks that the real clock advances in steps much shorter than a turn.
func TestClockStep(t *testing.T) {
	if step := clockStep(); step <= 0 || step > 20*time.Millisecond {
		t.Errorf("a step of %v", step)
	}
}
