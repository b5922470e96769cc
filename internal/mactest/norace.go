// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !race

package mactest

// RaceDetector reports whether the race detector is enabled.
const RaceDetector = false
