// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package poly1305 evaluates the polynomial of Poly1305 (RFC 8439, section 2.5). The
// packages poly1305 and chacha20poly1305 of the module's root say what it is good for.
package poly1305

//go:generate go -C ../asm run . internal/poly1305

const (
	KeySize   = 32
	TagSize   = 16
	BlockSize = 16
)
