// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package dispatch

import (
	"math"

	"github.com/unimac/unimac/internal/cpu"
)

// A Threshold determines the code path for lengths of at most Max bytes.
type Threshold[Path ~uint8] struct {
	Max  int
	Path Path
}

// Thresholds must be sorted by ascending Max. The last threshold applies to all greater
// lengths, and its Max is ignored.
type Thresholds[Path ~uint8] []Threshold[Path]

// Choose returns the code path for n bytes.
func (t Thresholds[Path]) Choose(n int) Path {
	for len(t) > 1 && n > t[0].Max {
		t = t[1:]
	}
	return t[0].Path
}

// First returns the smallest length for which path is chosen, or math.MaxInt.
func (t Thresholds[Path]) First(path Path) int {
	first := 0
	for _, row := range t {
		if row.Path == path {
			return first
		}
		first = row.Max + 1
	}
	return math.MaxInt
}

// A Table contains an operation's thresholds for each level and each kind of processor.
// A kind without thresholds uses the thresholds of cpu.Narrow. The table must have an
// entry for every possible value of [Choice.Level].
type Table[Path ~uint8] [][cpu.Forced + 1]Thresholds[Path]

// Thresholds returns the thresholds that apply to a choice.
func (t Table[Path]) Thresholds(choice *Choice) Thresholds[Path] {
	level := &t[choice.Level]
	switch own := level[choice.Kind]; {
	case choice.forced != 0:
		return Thresholds[Path]{{Path: Path(choice.forced - 1)}}
	case own != nil:
		return own
	}
	return level[cpu.Narrow]
}

// An Operation selects a code path by input length. [Bind] sets its thresholds.
type Operation[Path ~uint8] struct{ thresholds Thresholds[Path] }

// Choose returns the code path for n bytes.
func (o *Operation[Path]) Choose(n int) Path { return o.thresholds.Choose(n) }

// Bind sets the thresholds of o from table, and updates them whenever the [Choice] of
// package pkg changes. pkg must already be registered.
func Bind[Path ~uint8](pkg string, o *Operation[Path], table Table[Path]) {
	r := find(pkg)
	choice := r.choice
	bind := func() { o.thresholds = table.Thresholds(choice) }
	r.bindings = append(r.bindings, bind)
	bind()
}
