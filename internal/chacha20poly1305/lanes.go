// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

const (
	// MaxLanes is how many packets Lanes works on at once.
	MaxLanes = 16

	// MaxLaneText and MaxLaneAD are how many bytes a packet may have in Lanes.
	MaxLaneText = 1984
	MaxLaneAD   = 16
)
