// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !gc || purego || !(amd64 || arm64)

package umac

func nh(dst []uint64, key *nhKey, msg []byte, streams int) {
	nhGeneric(dst, key, msg, streams)
}
