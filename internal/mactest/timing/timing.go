// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package timing measures whether the time of a function depends on secrets. Only tests
// import it.
//
// The method is dudect's (Oscar Reparaz, Josep Balasch and Ingrid Verbauwhede, "Dude,
// is my code constant time?", 2016). The function runs on inputs of two classes in
// random order, and Welch's t-test determines whether the times of both classes have
// the same mean. Because interrupts lengthen some measurements, the test is repeated on
// the shorter ones.
//
// If |t| is below 4.5, there is no evidence of a difference. If |t| is above 10, there
// is proof. If |t| is at least 4.5, the measurement is repeated for twice as long, and
// the test fails if the difference appears again. No test of this kind proves that
// there is no difference, so each result also states the observed difference and its
// precision.
//
//	go test -v -p 1 -run Timing ./umac ./poly1305 -timing 5s
//
// measures each pair of classes, with each implementation, for five seconds. Without
// the flag, timing tests are skipped. RESULTS.md contains the results. Run nothing else
// on the machine during the measurement. On a shared machine, as in CI, -least 0.05
// ignores differences below five percent of the time.
//
// TestBranches measures nothing. It searches the compiler's listing of the plain Go
// code for branches, for the architectures given by the flag -arch.
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

	"github.com/unimac/unimac/internal/dispatch"
)

var (
	perTest = flag.Duration("timing", 0, "how long to measure each pair of classes; 0 skips timing tests")
	least   = flag.Float64("least", 0, "ignore differences below this fraction of the time, for shared machines")
)

const (
	// Values of |t| from which a difference is suspected or considered certain.
	suspectedT = 4.5
	certainT   = 10

	// Each test needs minSamples samples, or fewSamples if -least is set.
	minSamples, fewSamples = 1000, 100
)

// A Test compares the times of a function for inputs of two classes.
type Test struct {
	Name  string
	Size  int                                           // input size in bytes
	Input func(class int, input []byte, rng *rand.Rand) // fills input for class 0 or 1
	Run   func(input []byte)                            // the measured function; must not change its input

	// Leaks marks tests of the method itself, which must find a difference.
	Leaks bool
}

// Run runs every test with each implementation of the given packages.
func Run(t *testing.T, tests []Test, packages ...string) {
	if *perTest == 0 {
		t.Skip("-timing is not set")
	}
	t.Cleanup(func() {
		for _, pkg := range packages {
			dispatch.Reset(pkg)
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

func implementations(packages []string) []string {
	var names []string
	for _, pkg := range packages {
		for _, name := range dispatch.List(pkg) {
			if name != dispatch.Generic && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return append(names, dispatch.Generic)
}

// selectAll selects the named implementation in every package and reports whether this
// machine can run it.
func selectAll(packages []string, name string) bool {
	for _, pkg := range packages {
		if !slices.Contains(dispatch.List(pkg), name) {
			dispatch.Select(pkg, dispatch.Generic) // the package lacks the implementation
		} else if !dispatch.Select(pkg, name) {
			return false
		}
	}
	return true
}

// check times both classes and reports an error if the times differ.
func (test *Test) check(t *testing.T, implementation string) {
	want := minSamples
	if *least > 0 {
		want = fewSamples
	}
	result := test.measure(*perTest, elapsed())
	for longer := 4 * *perTest; result.samples < want && longer <= 16**perTest; longer *= 4 {
		result = test.measure(longer, elapsed()) // perhaps delayed by other programs
	}
	if !test.Leaks && math.Abs(result.t) >= suspectedT {
		t.Logf("suspected: %v", result)
		// More samples show a real difference more clearly.
		again := test.measure(2**perTest, elapsed())
		if again.t*result.t > 0 && math.Abs(again.t) >= suspectedT && math.Abs(again.difference) >= *least*again.median {
			t.Errorf("the time depends on the class: %v, and %v", result, again)
		}
		result = again
	}
	if test.Leaks && math.Abs(result.t) < certainT {
		t.Errorf("no difference found in a leaky function: %v", result)
	}
	if result.samples < want {
		t.Errorf("%d samples, want at least %d: increase -timing", result.samples, want)
	}
	// Print a row of the table in RESULTS.md.
	fmt.Fprintf(os.Stdout, "| %s | %s | %v |\n", test.Name, implementation, result)
}

// elapsed returns a clock that starts at zero.
func elapsed() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

const (
	// minSample is the minimum duration of a sample. It must exceed the clock's
	// resolution.
	minSample = time.Microsecond

	maxCalls = 64 // per sample; fast calls are repeated with the same input

	// poolSize is the approximate size in bytes of the pool of inputs.
	poolSize = 128 << 10
)

// measure collects samples for approximately the given time.
func (test *Test) measure(duration time.Duration, clock func() time.Duration) result {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	rng := rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	input := make([]byte, test.Size)
	calls := test.calls(input, rng, clock)

	// Discard the first samples, during which the processor warms up.
	end := clock() + duration
	begin := clock() + min(duration/10, 100*time.Millisecond)
	slots := min(max(poolSize/test.Size, 16), 1024)
	pool, classes := make([]byte, slots*test.Size), make([]int, slots)
	var samples []sample
	runtime.GC()
	for now := clock(); now < end; now = clock() {
		// Use new inputs each time: one slow input would distort the mean.
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

// calls returns the number of calls per sample.
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

// Fixed returns a test that compares the times for all-zero inputs (class 0) and random
// inputs (class 1).
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

// accepted receives results so that the compiler cannot remove their computation.
//
//lint:ignore U1000 it is only written
var accepted bool

// Tags returns timing tests for a function that verifies a tag. Each test compares the
// times for two kinds of tags:
//
//   - tags wrong in the first byte and tags wrong in the last byte
//   - correct tags and tags with one bit flipped at random
//   - correct tags and random tags
func Tags(name string, tag []byte, verify func(tag []byte) bool) []Test {
	right := bytes.Clone(tag)
	test := func(classes string, input func(class int, input []byte, rng *rand.Rand)) Test {
		return Test{
			Name: name + ", tag " + classes, Size: len(right), Input: input,
			// Do not branch on the result, because that would affect the time.
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
