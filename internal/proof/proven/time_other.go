// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !linux

package proven

import "time"

// processorTime returns elapsed time because there is no clock for one thread.
func processorTime(f func()) time.Duration {
	begin := time.Now()
	f()
	return time.Since(begin)
}
