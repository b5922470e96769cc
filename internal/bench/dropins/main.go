// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Dropins looks for lengths at which a package that replaces one of golang.org/x/crypto is slower than
// what it replaces: every length from 0 to 2048 bytes and some longer ones, by turns in one process.
//
//	go -C internal/bench run ./dropins
//	GODEBUG=cpu.avx512f=off go -C internal/bench run ./dropins -step 16 -run 'Seal|Open'
//
// A length that is slower is measured again, twice and longer. It is printed only if it is slower
// each time.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/unimac/unimac/internal/bench/contest"
	"github.com/unimac/unimac/internal/measure"
)

// below is the least multiple of x/crypto's speed that counts as no slower.
const below = 0.97

func main() {
	step := flag.Int("step", 1, "measure lengths that are so far apart")
	only := flag.String("run", "", "measure functions whose names match")
	turn := flag.Duration("turn", 20*time.Microsecond, "how long a turn takes")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err != nil || *step < 1 {
		fmt.Fprintln(os.Stderr, "dropins: -run takes a regular expression, -step a number above 0")
		os.Exit(2)
	}
	measured := 0
	for _, o := range contest.Operations() {
		if o.Theirs == nil || !pattern.MatchString(o.Name) {
			continue
		}
		least, at, slower := 1e9, 0, ""
		for _, n := range lengths(*step) {
			measured++
			r := ratio(o, n, measure.Plan{Rounds: 7, Turn: *turn})
			if r < least {
				least, at = r, n
			}
			for again := 0; r < below && again < 2; again++ {
				r = max(r, ratio(o, n, measure.Plan{Rounds: 25, Turn: 2 * *turn}))
			}
			if r < below {
				slower += fmt.Sprintf("\t%d bytes: %.3f\n", n, r)
			}
		}
		fmt.Printf("%s: %d lengths are slower each time; at first the least was %.2f, at %d bytes\n%s", o.Name, strings.Count(slower, "\n"), least, at, slower)
	}
	if measured == 0 {
		fmt.Fprintf(os.Stderr, "dropins: no function matches %q\n", *only)
		os.Exit(2)
	}
}

// lengths returns those that are measured.
func lengths(step int) (list []int) {
	for n := 0; n <= 2048; n += step {
		list = append(list, n)
	}
	return append(list, 4<<10, 16<<10, 64<<10)
}

// ratio returns the multiple of x/crypto's speed at a length, by the least times of both.
func ratio(o contest.Operation, n int, plan measure.Plan) float64 {
	var loops []measure.Loop
	for _, start := range []func(int) (*contest.Work, error){o.Ours, o.Theirs} {
		work, err := start(n)
		if err != nil {
			panic(err)
		}
		loops = append(loops, work.Loop)
	}
	s := measure.Alternate(loops, plan)
	return s[1].Best() / s[0].Best()
}
