// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !race

package mactest

// RaceDetector reports whether the race detector is enabled, which makes Go code spill
// more registers to the stack and sync.Pool drop values at random.
const RaceDetector = false
