// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !gc || purego || !(amd64 || arm64)

package multimixer

func digestBlocks(dst *[DigestSize]byte, key, msg []byte) {
	digestGeneric(dst, key, msg)
}
