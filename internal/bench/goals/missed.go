// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package goals

import (
	"slices"

	"github.com/unimac/unimac/internal/bench/report"
	"github.com/unimac/unimac/internal/speed"
)

// Missed returns the goals that a record of all contests does not reach, by the medians that
// are in its tables. What is not in the record counts neither way.
func Missed(r *speed.Record) (missed []speed.Goal) {
	for _, g := range All() {
		c := r.Contest(g.Contest)
		if c == nil {
			continue
		}
		ours, peer := c.Entrant(g.Ours), c.Entrant(g.Peer)
		if ours == nil || peer == nil {
			continue
		}
		worst, at := 0.0, -1
		for i, size := range c.Sizes {
			if !slices.Contains(g.Sizes, size) {
				continue
			}
			ratio := g.Ratio.Of(ours.NS[i], peer.NS[i])
			if at < 0 || g.Ratio.Worse(ratio, worst) == ratio {
				worst, at = ratio, i
			}
		}
		if at < 0 || g.Ratio.Reached(worst) {
			continue
		}
		measured := g.Ratio.Format(worst)
		if len(g.Sizes) > 1 {
			measured += " at " + report.Size(c.Sizes[at])
		}
		m := &miss{g, r, c.Sizes[at]}
		missed = append(missed, speed.Goal{
			Work: g.Work, Peer: peer.Label, Limit: g.Ratio.String(), Measured: measured, Reason: m.reason(),
		})
	}
	return missed
}
