// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !gc || purego || !amd64

package umac

// canEncrypt is false: there is no kernel that encrypts and nothing else.
func canEncrypt() bool { return false }

func encrypt(*[kernelBlocks * 16]byte, *roundKeys) { panic("umac: no kernel that encrypts") }
