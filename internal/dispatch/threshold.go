// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package dispatch

import "github.com/unimac/unimac/internal/cpu"

// A Threshold determines the code path for lengths of at most Max bytes.
type Threshold[Path ~uint8] struct {
	Max  int
	Path Path
}

// Thresholds must be in ascending order of Max. The last one determines the code path
// for all remaining lengths, and its Max is ignored.
type Thresholds[Path ~uint8] []Threshold[Path]

// Choose returns the code path for n bytes.
func (t Thresholds[Path]) Choose(n int) Path {
	for len(t) > 1 && n > t[0].Max {
		t = t[1:]
	}
	return t[0].Path
}

// A Table contains an operation's thresholds for each level and each kind of processor.
// A kind without thresholds uses those of cpu.Narrow. [Choice.Level] must be a level in
// the table.
type Table[Path ~uint8] [][cpu.Alone + 1]Thresholds[Path]

func (t Table[Path]) Thresholds(on *Choice) Thresholds[Path] {
	level := &t[on.Level]
	if own := level[on.Kind]; own != nil {
		return own
	}
	return level[cpu.Narrow]
}

// Choose returns the code path for n bytes.
func (t Table[Path]) Choose(on *Choice, n int) Path {
	if on.forced != 0 {
		return Path(on.forced - 1)
	}
	return t.Thresholds(on).Choose(n)
}
