// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"fmt"
	"io"
	"syscall"
	"time"
)

// enoughShare is how much of one processor a measurement has to have, of which
// nothing waits.
const enoughShare = 0.85

// watchShare returns a function that tells, if it was so, that other programs had
// the processor for part of the time.
func watchShare(w io.Writer) func() {
	start, before := time.Now(), processorTime()
	return func() {
		warn(w, processorTime()-before, time.Since(start))
	}
}

func warn(w io.Writer, worked, passed time.Duration) {
	if share := worked.Seconds() / passed.Seconds(); share < enoughShare {
		fmt.Fprintf(w, "warning: the machine had something else to do, and %.0f %% of a processor was left: measure again\n", 100*share)
	}
}

// processorTime returns what this process and those that it ended have used.
func processorTime() (total time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if err := syscall.Getrusage(who, &usage); err != nil {
			panic(err)
		}
		total += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	return total
}
