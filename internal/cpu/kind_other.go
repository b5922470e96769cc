// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !amd64 || !gc || purego

package cpu

// ThisKind returns Narrow.
func ThisKind() Kind { return Narrow }

// askVAES does nothing, because only amd64 has VAES.
func askVAES() {}
