// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !gc || purego || !(amd64 || arm64)

package poly1305

// powers is what a kernel keeps of a key from one call to the next: nothing.
type KeptTable struct{}

// blocks is the kernel.
func (s *State) Blocks(_ *KeptTable, msg []byte) { blocksGeneric(s, msg) }
