// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !linux

package proven

import "time"

// processorTime returns elapsed time, because no per-thread clock is available.
func processorTime(f func()) time.Duration {
	begin := time.Now()
	f()
	return time.Since(begin)
}
