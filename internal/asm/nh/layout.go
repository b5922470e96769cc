// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package nh

const (
	chunk      = 1024
	group      = 32
	maxStreams = 4

	// oddPieces is where the key's odd pieces begin: behind 34 even ones.
	oddPieces = (chunk/group + maxStreams/2) * 16
)
