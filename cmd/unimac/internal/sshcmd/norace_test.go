// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !race

package sshcmd

// raceDetector tells whether the race detector is on, which takes memory of its own.
const raceDetector = false
