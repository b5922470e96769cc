// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package goals

import (
	"slices"
	"strings"

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
		missed = append(missed, speed.Goal{
			Work: g.Work, Peer: peer.Label, Limit: g.Ratio.String(), Measured: measured, Reason: reason(g),
		})
	}
	return missed
}

// reason says why a goal is missed, where that is known.
func reason(g Goal) string {
	short := g.Sizes[0] <= 64 && len(g.Sizes) == 1
	switch {
	case g.Peer == "unimac-chacha20-alone":
		return "Poly1305 needs a fifth as many vector instructions as ChaCha20; the scalar multiplier takes only a part of them"
	case g.Peer == "unimac-blake2b-alone":
		return "BLAKE2b leaves too few idle cycles to hide all of ChaCha20 in them"
	case g.Ours == "unimac-avx2" && (g.Contest == "stream-seal" || g.Contest == "stream-open"):
		return "BLAKE2b for AVX2 takes 162 cycles per block in the best schedule found; the other formats do not use BLAKE2b"
	case strings.HasPrefix(g.Contest, "chacha20-poly1305-siv") && short:
		return "four blocks of ChaCha20, each of which needs the result of the one before"
	case strings.HasPrefix(g.Contest, "chacha20-poly1305") && short && !strings.HasSuffix(g.Contest, "batch"):
		return "the latency of one ChaCha20 block, which both compute, is most of the time"
	case g.Ours == "unimac" && strings.HasPrefix(g.Peer, "x-c") && (strings.HasPrefix(g.Contest, "chacha20-poly1305") || strings.HasPrefix(g.Contest, "stream-formats")):
		return "ChaCha20 rotates vectors of 512 bits once per cycle on Intel's cores, twice on Zen 5"
	case g.Contest == "ssh" && g.Ours == "umac-128-etm":
		return "without Accelerate, x/crypto/ssh encrypts and authenticates in two passes"
	}
	return "not known"
}
