// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !amd64 || !gc || purego

package cpu

// ThisKind returns the kind of the processor.
func ThisKind() Kind { return Narrow }

// askVAES leaves it at no.
func askVAES() {}
