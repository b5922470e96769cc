// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Instructions counts the instructions that operations execute, and prints x/crypto's
// count divided by this module's. If another program shares the core, the number of
// instructions decides how long a message takes. Valgrind's callgrind counts the
// instructions, so the machine's load does not affect the counts. Callgrind does not
// support AVX-512.
//
//	go -C internal/bench run ./instructions -run 'New Seal' -lengths 0:512:1
//	GODEBUG=cpu.avx2=off go -C internal/bench run ./instructions
//
// With -check, the exit status is 1 if a ratio is below its bound.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/unimac/unimac/internal/bench/contest"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == countedArg {
		execute(os.Args[2], os.Args[3])
		return
	}
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "instructions:", err)
		os.Exit(1)
	}
}

const tableLengths = "0,16,64,128,193,240,256,304,320,384,448,512,832,1420,4096,16384"

type options struct {
	only, lengths string
	check         bool
}

func run(args []string, stdout io.Writer) error {
	var o options
	flags := flag.NewFlagSet("instructions", flag.ExitOnError)
	flags.StringVar(&o.only, "run", "", "count operations whose names match `REGEXP`")
	flags.StringVar(&o.lengths, "lengths", tableLengths, "count at these `LENGTHS`: numbers and FIRST:LAST:STEP, separated by commas")
	flags.BoolVar(&o.check, "check", false, "fail if a ratio is below its bound")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if _, err := exec.LookPath("valgrind"); err != nil {
		return err
	}
	pattern, err := regexp.Compile(o.only)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "instructions")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, err := build(dir)
	if err != nil {
		return err
	}
	missed := 0
	for _, c := range contest.Counted() {
		if !pattern.MatchString(c.Name) {
			continue
		}
		lengths, err := parseLengths(o.lengths, c.Least, c.Most)
		if err != nil {
			return err
		}
		if len(lengths) == 0 {
			continue // the operation is for longer messages only
		}
		counts, err := count(program, c.Name, lengths)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		missed += report(stdout, c.Name, lengths, counts, o.check)
	}
	if missed > 0 {
		return fmt.Errorf("ratios below their bounds: %d", missed)
	}
	return nil
}

// build builds this program in dir and returns its path. The executable that go run
// builds lacks the symbols by which callgrind finds dumpCounts.
func build(dir string) (string, error) {
	program := filepath.Join(dir, "instructions")
	output, err := exec.Command("go", "build", "-o", program, "github.com/unimac/unimac/internal/bench/instructions").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, output)
	}
	return program, nil
}

func parseLengths(list string, minLen, maxLen int) (lengths []int, err error) {
	for item := range strings.SplitSeq(list, ",") {
		var numbers [3]int
		parts := strings.Split(item, ":")
		if len(parts) != 1 && len(parts) != 3 {
			return nil, fmt.Errorf("lengths %q, want a number or FIRST:LAST:STEP", item)
		}
		for i, part := range parts {
			if numbers[i], err = strconv.Atoi(part); err != nil {
				return nil, err
			}
		}
		if len(parts) == 1 {
			numbers = [3]int{numbers[0], numbers[0], 1}
		}
		if numbers[2] < 1 {
			return nil, fmt.Errorf("step of %d, want at least 1", numbers[2])
		}
		for n := numbers[0]; n <= numbers[1]; n += numbers[2] {
			if minLen <= n && n <= maxLen {
				lengths = append(lengths, n)
			}
		}
	}
	return lengths, nil
}

type ratio struct{ ours, theirs int }

func (r ratio) value() float64 { return float64(r.theirs) / float64(r.ours) }

// report prints the ratios of an operation. If check is set, it prints only ratios
// below their bounds and returns how many there are.
func report(w io.Writer, name string, lengths []int, counts []ratio, check bool) (missed int) {
	fmt.Fprintf(w, "%s\n", name)
	for i, n := range lengths {
		c, verdict := counts[i], ""
		if bound := boundOf(name, n); c.value() < bound {
			verdict = fmt.Sprintf(", below %.2f", bound)
			missed++
		}
		if !check || verdict != "" {
			fmt.Fprintf(w, "%8d bytes: %6d instructions, %6d in x/crypto: %.2f%s\n", n, c.ours, c.theirs, c.value(), verdict)
		}
	}
	if !check {
		return 0
	}
	return missed
}

const countedArg = "-counted"

// The count per call is the difference of two loops' counts, divided by more - fewer.
// The smallest of several counts is used, because it contains no instructions of other
// threads.
const fewer, more, times = 8, 16, 3

// count returns the number of instructions per call at each length. program must be
// this program's executable with symbols.
func count(program, name string, lengths []int) ([]ratio, error) {
	dir, err := os.MkdirTemp("", "instructions")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	list := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(lengths)), ","), "[]")
	out := filepath.Join(dir, "out")
	cmd := exec.Command("valgrind", "--tool=callgrind", "--callgrind-out-file="+out, "--dump-before=main.dumpCounts", program, countedArg, name, list)
	// Preemption signals and garbage collection would add instructions.
	cmd.Env = append(os.Environ(), "GODEBUG=asyncpreemptoff=1,"+os.Getenv("GODEBUG"), "GOGC=off", "GOMAXPROCS=1")
	if output, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("valgrind: %w: %s", err, output)
	}
	var counts []ratio
	dump := 0
	least := func() int {
		var n []int
		for range times {
			dump++
			total, e := summary(fmt.Sprintf("%s.%d", out, dump))
			err = errors.Join(err, e)
			n = append(n, total)
		}
		return slices.Min(n)
	}
	perCall := func() int {
		dump++ // counts what came before the loops
		few := least()
		return (least() - few) / (more - fewer)
	}
	for range lengths {
		counts = append(counts, ratio{ours: perCall(), theirs: perCall()})
	}
	return counts, err
}

func summary(file string) (int, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(content)) {
		if n, ok := strings.CutPrefix(line, "summary: "); ok {
			return strconv.Atoi(strings.TrimSpace(n))
		}
	}
	return 0, fmt.Errorf("%s has no summary", file)
}

// execute runs loops of an operation. Callgrind dumps its counts after each loop.
func execute(name, list string) {
	for _, c := range contest.Counted() {
		if c.Name != name {
			continue
		}
		for item := range strings.SplitSeq(list, ",") {
			n, err := strconv.Atoi(item)
			must(err)
			for _, start := range []func(int) (*contest.Work, error){c.Ours, c.Theirs} {
				w, err := start(n)
				must(err)
				w.Loop(2) // pools are filled, and what is initialized at first use is there
				dumpCounts()
				for _, calls := range []int{fewer, more} {
					for range times {
						w.Loop(calls)
						dumpCounts()
					}
				}
			}
		}
	}
}

// dumpCounts does nothing. Callgrind dumps its counts before each call.
//
//go:noinline
func dumpCounts() {}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
