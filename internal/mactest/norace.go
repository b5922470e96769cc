// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !race

package mactest

// RaceDetector reports whether the race detector is enabled. If so, Go code spills more
// registers to the stack, and sync.Pool drops values at random.
const RaceDetector = false
