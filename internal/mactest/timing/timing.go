// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package timing measures whether a function's time depends on its secrets. Only
// tests import it.
//
// The method is that of dudect (Oscar Reparaz, Josep Balasch and Ingrid
// Verbauwhede, "Dude, is my code constant time?", 2016): the function runs on
// inputs of two classes, which follow each other at random, and Welch's t-test
// tells whether the two populations of times have one mean. Interrupts and the
// like make a few times very long, so the test is repeated on the shorter ones.
//
// A value of |t| below 4.5 is no evidence of a difference, one above 10 is proof
// of one. From 4.5 on it is measured again, for twice as long, and is a failure if
// it shows again. No such test shows that there is no
// difference: the table has the one that it saw and how exactly it saw it.
//
//	go test -v -p 1 -run Timing ./umac ./poly1305 -timing 5s
//
// measures each pair of classes, under each implementation, for five seconds.
// Without the flag, tests that measure time are skipped. RESULTS.md has what they
// found. The machine should do nothing else meanwhile; where others use it, too, as in
// CI, -least 0.05 lets differences below a twentieth of the time pass.
//
// TestBranches of this package needs no clock: it searches the compiler's listing of
// the arithmetic in plain Go for branches, for the architectures in the flag -arch.
package timing

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/unimac/unimac/internal/impl"
)

var (
	perTest = flag.Duration("timing", 0, "how long timing tests measure each pair of classes; without it they are skipped")
	least   = flag.Float64("least", 0, "the part of the time below which a difference is no failure, as on a machine that others use, too")
)

const (
	// The values of |t| from which a difference is suspected, and certain.
	suspected = 4.5
	certain   = 10

	// minSamples is the number below which nothing was measured to speak of, and
	// fewSamples that for differences that are not small.
	minSamples, fewSamples = 1000, 100
)

// A Test compares the times of a function on inputs of two classes.
type Test struct {
	Name  string
	Size  int                                           // of an input, in bytes
	Input func(class int, input []byte, rng *rand.Rand) // makes one of class 0 or 1
	Run   func(input []byte)                            // is measured; must leave its input alone

	// Leaks is for tests of the method itself: it has to find a difference.
	Leaks bool
}

// Run measures tests under each implementation of the packages, by its name. A
// package that does not know a name runs its plain Go.
func Run(t *testing.T, tests []Test, packages ...string) {
	if *perTest == 0 {
		t.Skip("-timing is not set")
	}
	t.Cleanup(func() {
		for _, pkg := range packages {
			impl.Reset(pkg)
		}
	})
	for _, name := range implementations(packages) {
		t.Run(name, func(t *testing.T) {
			if !selectAll(packages, name) {
				t.Skipf("this machine cannot run %s", name)
			}
			for _, test := range tests {
				t.Run(test.Name, func(t *testing.T) { test.check(t, name) })
			}
		})
	}
}

// implementations lists the names that any of the packages knows.
func implementations(packages []string) []string {
	var names []string
	for _, pkg := range packages {
		for _, name := range impl.List(pkg) {
			if name != impl.Generic && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return append(names, impl.Generic)
}

// selectAll selects an implementation in the packages that know it. It is false
// where this machine cannot run one.
func selectAll(packages []string, name string) bool {
	for _, pkg := range packages {
		if !slices.Contains(impl.List(pkg), name) {
			impl.Select(pkg, impl.Generic)
		} else if !impl.Select(pkg, name) {
			return false
		}
	}
	return true
}

// check measures, and once more if a difference is suspected: what is there shows
// again, and clearer for twice the time.
func (test *Test) check(t *testing.T, implementation string) {
	result := test.measure(*perTest, elapsed())
	if !test.Leaks && math.Abs(result.t) >= suspected {
		t.Logf("suspected: %v", result)
		again := test.measure(2**perTest, elapsed())
		if again.t*result.t > 0 && math.Abs(again.t) >= suspected && math.Abs(again.difference) >= *least*again.median {
			t.Errorf("the time depends on the class: %v, and %v", result, again)
		}
		result = again
	}
	if test.Leaks && math.Abs(result.t) < certain {
		t.Errorf("a difference that is there was not found: %v", result)
	}
	want := minSamples
	if *least > 0 {
		want = fewSamples
	}
	if result.samples < want {
		t.Errorf("%d samples, want %d: measure for longer", result.samples, want)
	}
	// A line of RESULTS.md's table.
	fmt.Fprintf(os.Stdout, "| %s | %s | %v |\n", test.Name, implementation, result)
}

// elapsed returns a clock, which counts from now on.
func elapsed() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

const (
	// minSample is how long one sample should take, so that the clock's own time
	// and grain do not matter: as many calls, all with one input, make a sample.
	minSample = time.Microsecond

	maxCalls = 64

	// Inputs lie in a pool of at most poolSize bytes. Each makes one sample, and then
	// new ones take their places: an input or a place in memory that is a little
	// slower than others must not count many times, for one class.
	poolSize = 128 << 10
)

// measure takes samples for about the given time.
func (test *Test) measure(duration time.Duration, clock func() time.Duration) result {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	rng := rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	input := make([]byte, test.Size)
	calls := test.calls(input, rng, clock)

	// The times of the first samples are those of a processor that warms up.
	end := clock() + duration
	begin := clock() + min(duration/10, 100*time.Millisecond)
	slots := min(max(poolSize/test.Size, 16), 1024)
	pool, classes := make([]byte, slots*test.Size), make([]int, slots)
	var samples []sample
	runtime.GC()
	for now := clock(); now < end; now = clock() {
		for i := range classes {
			classes[i] = i % 2
		}
		rng.Shuffle(slots, func(i, j int) { classes[i], classes[j] = classes[j], classes[i] })
		for i, class := range classes {
			test.Input(class, pool[i*test.Size:][:test.Size], rng)
		}
		for i, class := range classes {
			copy(input, pool[i*test.Size:])
			start := clock()
			for range calls {
				test.Run(input)
			}
			stop := clock()
			if start >= begin {
				samples = append(samples, sample{float64(stop - start), class})
			}
		}
	}
	r := compare(samples)
	r.scale(calls)
	return r
}

// calls is the number of calls that make a sample.
func (test *Test) calls(input []byte, rng *rand.Rand, clock func() time.Duration) int {
	test.Input(0, input, rng)
	for calls := 1; ; calls *= 2 {
		best := time.Duration(math.MaxInt64)
		for range 10 {
			start := clock()
			for range calls {
				test.Run(input)
			}
			best = min(best, clock()-start)
		}
		if best >= minSample || calls >= maxCalls {
			return calls
		}
	}
}

// Random fills input with random bytes.
func Random(input []byte, rng *rand.Rand) {
	for ; len(input) >= 8; input = input[8:] {
		binary.LittleEndian.PutUint64(input, rng.Uint64())
	}
	for i := range input {
		input[i] = byte(rng.Uint32())
	}
}

// Fixed returns the test with inputs of zeros in class 0 and random ones in class
// 1, as for a key or a message.
func Fixed(name string, size int, run func(input []byte)) Test {
	return Test{
		Name: name + ", zeros or random", Size: size, Run: run,
		Input: func(class int, input []byte, rng *rand.Rand) {
			if Random(input, rng); class == 0 {
				clear(input)
			}
		},
	}
}

// accepted is where answers go: it keeps their computation in the program.
//
//lint:ignore U1000 it is only written
var accepted bool

// Tags returns the tests of a function that verifies a tag, given the right one:
// with the first or the last byte wrong, right or wrong in one random bit, and
// right or random.
func Tags(name string, tag []byte, verify func(tag []byte) bool) []Test {
	right := bytes.Clone(tag)
	test := func(classes string, input func(class int, input []byte, rng *rand.Rand)) Test {
		return Test{
			Name: name + ", tag " + classes, Size: len(right), Input: input,
			// The answer is stored, not asked: a branch on it would be seen.
			Run: func(input []byte) { accepted = verify(input) },
		}
	}
	return []Test{
		test("wrong in the first or the last byte", func(class int, input []byte, rng *rand.Rand) {
			copy(input, right)
			input[class*(len(input)-1)] ^= 1 + byte(rng.IntN(255))
		}),
		test("right or wrong in a bit", func(class int, input []byte, rng *rand.Rand) {
			copy(input, right)
			input[rng.IntN(len(input))] ^= byte(class) << rng.IntN(8)
		}),
		test("right or random", func(class int, input []byte, rng *rand.Rand) {
			if Random(input, rng); class == 0 {
				copy(input, right)
			}
		}),
	}
}
