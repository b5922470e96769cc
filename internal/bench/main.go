// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// The command bench measures this module next to other libraries. README.md explains it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"github.com/unimac/unimac/internal/bench/chart"
	"github.com/unimac/unimac/internal/bench/contest"
	"github.com/unimac/unimac/internal/bench/record"
)

const (
	exitOK     = 0
	exitFailed = 1 // a goal is missed, or something did not work
	exitUsage  = 2
)

const root = "../.."

func main() {
	os.Exit(run(os.Args[1:], contest.All(), os.Stdout, os.Stderr))
}

type options struct {
	goals, draw, quick bool
	only               *regexp.Regexp // nil for all
	out                string         // the root of the record; "" for none
	name               string
}

func run(args []string, contests []contest.Contest, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return exitUsage
	}
	if o.draw {
		err = draw(root)
	} else {
		err = o.measure(contests, stdout, stderr)
	}
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return exitFailed
	}
	return exitOK
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := new(options)
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&o.goals, "goals", false, "measure what has a goal; the status is 1 if one is missed")
	flags.BoolVar(&o.draw, "draw", false, "measure nothing: write charts and pages from "+record.Dir)
	flags.BoolVar(&o.quick, "quick", false, "measure for a moment, to see that it works")
	only := flags.String("run", "", "the `REGEXP` that names of algorithms have to match")
	flags.StringVar(&o.out, "o", "", "write the record below the folder `DIR`, and draw nothing; where all is measured, and not quickly, it goes to the repository, which is drawn")
	name, _ := record.Processor()
	flags.StringVar(&o.name, "name", name, "the `NAME` of the processor")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(stderr, "Usage: go -C internal/bench run . [FLAG…]")
			flags.SetOutput(stderr)
			flags.PrintDefaults()
		}
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected %q: want only flags", flags.Arg(0))
	}
	var err error
	if *only != "" {
		o.only, err = regexp.Compile(*only)
	}
	if o.out == "" && !o.quick && !o.goals && !o.draw && *only == "" {
		o.out = root
	}
	return o, err
}

func (o *options) wants(name string) bool {
	return (o.only == nil || o.only.MatchString(name)) && (!o.goals || record.HasGoal(name))
}

func (o *options) measure(contests []contest.Contest, stdout, stderr io.Writer) error {
	r, err := measureAll(o, contests, stderr)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(stdout, r.Text()); err != nil {
		return err
	}
	if missed := len(r.Missed()); o.goals && missed > 0 {
		return fmt.Errorf("missed goals: %d", missed)
	}
	if o.out == "" {
		return nil
	}
	// The command programs adds its results to the same file, so keep them.
	before, err := record.Load(o.out, r.Name)
	if err != nil {
		return err
	}
	r.Programs, r.Tests = before.Programs, before.Tests
	if err := r.Save(o.out); err != nil || o.out != root {
		return err
	}
	return draw(root)
}

func charts(all []*record.Record) map[string][]byte {
	var measured []*record.Record
	for _, r := range all {
		if len(r.Contests) > 0 {
			measured = append(measured, r)
		}
	}
	files := map[string][]byte{"overview.svg": chart.Overview(measured)}
	main := record.Main(all)
	for _, c := range main.Charted() {
		files[c.Name+".svg"] = chart.Draw(&c, main.Heading()+"; "+main.Level())
	}
	return files
}

// draw writes the charts and pages of the repository at root from its records.
func draw(root string) error {
	all, err := record.All(root)
	if err != nil {
		return err
	}
	for name, content := range charts(all) {
		if err := os.WriteFile(filepath.Join(root, "internal/bench/charts", name), content, 0o666); err != nil {
			return err
		}
	}
	return record.UpdatePages(root)
}
