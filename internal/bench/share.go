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
	share := measuredShare()
	return func() { warn(w, share()) }
}

// measuredShare returns a function that returns how much of a processor there was since.
func measuredShare() func() float64 {
	start, before := time.Now(), processorTime()
	return func() float64 { return (processorTime() - before).Seconds() / time.Since(start).Seconds() }
}

// shareNote is what a page says of the share that it was measured with.
func shareNote(share float64) string {
	if share >= enoughShare {
		return ""
	}
	return fmt.Sprintf("The machine had something else to do: %.0f %% of a processor was left. The best of several\nrounds suffers little from that; the medians, those of streams and SSH, do.\n\n", 100*share)
}

func warn(w io.Writer, share float64) {
	if share < enoughShare {
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
