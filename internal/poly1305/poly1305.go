// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package poly1305 implements the arithmetic of Poly1305 (RFC 8439, section 2.5) for
// the public packages poly1305 and chacha20poly1305. [State.Blocks] evaluates the
// polynomial, and [State.Tag] computes the tag.
package poly1305

//go:generate go -C ../layout run . internal/poly1305
//go:generate go -C ../asm run . internal/poly1305

const (
	KeySize   = 32
	TagSize   = 16
	BlockSize = 16
)
