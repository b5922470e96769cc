// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !gc || purego || !(amd64 || arm64)

package poly1305

// KeptTable is empty because no kernel precomputes anything.
type KeptTable struct{}

// Blocks sets h to (h + block)·r for each whole block in msg.
func (s *State) Blocks(_ *KeptTable, msg []byte) { blocksGeneric(s, msg) }

// IsShort returns false because there is no scalar kernel.
func IsShort(int) bool { return false }

// BlocksShort is Blocks.
func (s *State) BlocksShort(msg []byte) { s.Blocks(nil, msg) }
