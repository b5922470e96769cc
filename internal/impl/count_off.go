// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !implcount

package impl

// Counting reports whether this build counts calls of assembly.
const Counting = false

// Count notes that a package calls a function of assembly. Without the build tag
// implcount it is empty, and nothing of it is left where it was called.
func Count(pkg, function string) {}
