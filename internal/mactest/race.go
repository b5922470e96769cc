// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build race

package mactest

// RaceDetector reports whether this build has the race detector, with which Go code spills
// more registers, and a sync.Pool forgets some of what it is given on purpose.
const RaceDetector = true
