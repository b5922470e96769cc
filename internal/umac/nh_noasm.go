// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !gc || purego || !(amd64 || arm64)

package umac

func nh(values *[maxStreams]uint64, key *nhKey, chunk []byte, streams int) {
	nhGeneric(values, key, chunk, streams)
}

func nhPoly(st *polyState, u *uhashKey, chunks []byte) {
	nhPolyGeneric(st, u, chunks)
}
