// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !race

package mactest

// RaceDetector reports whether the race detector is enabled. The race detector makes Go
// code spill more registers to the stack, and it makes sync.Pool drop values at random.
const RaceDetector = false
