// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// The command bench measures this module next to what one would use instead, in one
// process and by turns. It writes doc/speed.json, and from that charts, tables and the
// figures of the manual; -draw does the latter alone. With -goals, it tells whether the module is as fast as it is meant to be.
//
// It needs cgo and Debian's nettle-dev, libsodium-dev, libssl-dev and, on amd64,
// libipsec-mb-dev. The peer of one contest is a Rust crate, which takes part where
// there is cargo. Run it in its folder, or by
//
//	go -C internal/bench run .
//	go -C internal/bench run . -draw
//	go -C internal/bench run . -goals -levels
//	go -C internal/bench run . -run poly1305 -quick
//	go -C internal/bench test -run - -bench .
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/unimac/unimac/internal/bench/contest"
	"github.com/unimac/unimac/internal/measure"
	"github.com/unimac/unimac/internal/speed"
)

// The exit statuses.
const (
	exitOK     = 0
	exitFailed = 1 // a goal is short or could not be measured, or something did not work
	exitUsage  = 2
)

func main() {
	os.Exit(run(os.Args[1:], contest.All(), os.Stdout, os.Stderr))
}

// options are what the flags say.
type options struct {
	goals   bool
	levels  bool
	cells   bool // for the process that asked for a level
	draw    bool
	quick   bool
	only    *regexp.Regexp // nil for all
	dir     string         // to write to; "" for none
	machine string
}

// run is the whole program, on some contests.
func run(args []string, contests []contest.Contest, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return exitOK
		}
		fmt.Fprintln(stderr, "bench:", err)
		return exitUsage
	}
	warnOfOthers := watchShare(stderr)
	if o.draw {
		err = draw(chartsDir, rootDir)
	} else if o.goals {
		err = runGoals(o, contests, stdout, stderr)
	} else {
		err = runContests(o, contests, stdout, stderr)
	}
	if !o.quick && !o.draw {
		warnOfOthers()
	}
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return exitFailed
	}
	return exitOK
}

// Where the repository has its charts, and its pages.
const (
	chartsDir = "charts"
	rootDir   = "../.."
)

func parse(args []string, stderr io.Writer) (*options, error) {
	o := new(options)
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&o.goals, "goals", false, "measure what has a goal; the status is 1 if one is short")
	flags.BoolVar(&o.levels, "levels", false, "with -goals: on amd64, also with AVX2 alone and with SSE4.1, three times as long")
	flags.BoolVar(&o.cells, "cells", false, "what is asked of another process, at a level of the processor, as JSON")
	flags.BoolVar(&o.draw, "draw", false, "measure nothing: write charts and figures from doc/speed.json")
	flags.BoolVar(&o.quick, "quick", false, "measure for a moment, to see that it works")
	only := flags.String("run", "", "the `REGEXP` that names of algorithms, or of goals, have to match")
	flags.StringVar(&o.dir, "o", "", "write table and charts to the folder `DIR`; where all is measured, and not quickly, that is "+chartsDir+", and pages and doc/speed.json are written, too")
	flags.StringVar(&o.machine, "machine", speed.Processor(), "the `NAME` of the machine in tables and charts")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(stderr, "Usage: go -C internal/bench run . [FLAG…]")
			flags.SetOutput(stderr)
			flags.PrintDefaults()
		}
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("%d arguments, want flags alone", flags.NArg())
	}
	if *only != "" {
		var err error
		if o.only, err = regexp.Compile(*only); err != nil {
			return nil, err
		}
	}
	if o.levels && !o.goals {
		return nil, errors.New("-levels is for -goals")
	}
	if o.goals && o.dir != "" {
		return nil, errors.New("-goals writes no files: want one of -goals and -o alone")
	}
	if o.dir == "" && !o.quick && o.only == nil && !o.goals && !o.draw {
		o.dir = chartsDir
	}
	return o, nil
}

// wants reports whether any of some names is to be measured.
func (o *options) wants(names ...string) bool {
	return o.only == nil || slices.ContainsFunc(names, o.only.MatchString)
}

// plan returns how long to measure.
func (o *options) plan() measure.Plan {
	if o.quick {
		return measure.Plan{Rounds: 2, Turn: 50 * time.Microsecond, Limit: time.Second}
	}
	return measure.Plan{Rounds: 31, Turn: time.Millisecond}
}

// goalPlan returns how long to measure for a goal, which is about two contenders
// only.
func (o *options) goalPlan() measure.Plan {
	if o.quick {
		return o.plan()
	}
	return measure.Plan{Rounds: 33, Turn: time.Millisecond, Limit: 2 * time.Second}
}
