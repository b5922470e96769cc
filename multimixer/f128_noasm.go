// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !gc || purego || !(amd64 || arm64)

package multimixer

func sum(acc *[8]uint64, key, msg []byte) {
	sumGeneric(acc, key, msg)
}
