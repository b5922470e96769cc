// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"slices"
	"strings"
	"testing"
)

// testProgram contains functions main, f and g. main calls f at address 8, f calls g at
// 32, and f and g contain loops.
var testProgram = &program{
	instructions: map[uint64]string{
		0: "bl\t0x8", 4: "ret",
		8: "add\tx0, x0, #1", 12: "bl\t0x20", 16: "cbnz\tx0, 0x8", 20: "ret",
		32: "adrp\tx1, 0x1000", 36: "b.ne\t0x24", 40: "ret",
	},
	byName: map[string]*function{"main": {0, 8}, "f": {8, 24}, "g": {32, 44}},
}

// TestLastCall checks that lastCall returns the last complete call. The log contains a
// call that restarts because its stack grew, a call during which another thread runs,
// and a call that has not returned when the log ends.
func TestLastCall(t *testing.T) {
	var log strings.Builder
	run := func(thread string, addresses ...string) {
		for _, a := range addresses {
			log.WriteString("Trace " + thread + ": 0x7f00 [0000000000000001/" + a + "/00000001/00080201] name\n")
		}
	}
	run("0", "00", "08", "08", "0c", "04")
	run("1", "00", "08", "0c", "20")
	run("0", "28")
	run("1", "28", "10", "14", "04")
	run("1", "00", "08", "0c")
	got, err := testProgram.lastCall(strings.NewReader(log.String()), testProgram.byName["f"])
	if want := []uint64{8, 12, 32, 40, 16, 20}; err != nil || !slices.Equal(got, want) {
		t.Errorf("lastCall = %d, %v, want %d", got, err, want)
	}
	if _, err := testProgram.lastCall(strings.NewReader(""), testProgram.byName["f"]); err == nil {
		t.Error("lastCall returned no error for a log without a call")
	}
}

func TestCode(t *testing.T) {
	got := testProgram.code([]uint64{8, 12, 32, 40, 16, 20})
	if want := []string{"add\tx0, x0, #1"}; !slices.Equal(got, want) {
		t.Errorf("code = %q, want %q", got, want)
	}
}

func TestJump(t *testing.T) {
	for at := range testProgram.instructions {
		to, ok := testProgram.jump(at)
		want := map[uint64]uint64{16: 8, 36: 36}[at]
		if to != want || ok != (want > 0) {
			t.Errorf("jump(%d) = %d, %v, want %d", at, to, ok, want)
		}
	}
}
