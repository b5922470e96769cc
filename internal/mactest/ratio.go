// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import (
	"testing"
	"time"

	"github.com/unimac/unimac/internal/measure"
)

// BenchmarkRatio reports the time that one loop takes, divided by that of another: the best
// of 30 turns each.
func BenchmarkRatio(b *testing.B, one, another func(n int)) {
	s := measure.Alternate([]measure.Loop{measure.Timed(one), measure.Timed(another)},
		measure.Plan{Rounds: 30, Turn: 200 * time.Microsecond})
	for b.Loop() {
		// What a benchmark reports by itself is of no interest.
	}
	b.ReportMetric(s[0].Best()/s[1].Best(), "ratio")
	b.ReportMetric(s[0].Best(), "ns")
	b.ReportMetric(0, "ns/op")
}
