// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !amd64

package ipsecmb

// Available reports whether the library exists on this platform.
const Available = false

// Version panics.
func Version() string { panic("ipsecmb: not on this platform") }

// Poly1305 panics.
func Poly1305(tag, key, msg []byte) (loop func(n int)) { panic("ipsecmb: not on this platform") }

// Seal panics.
func Seal(dst, key, nonce, msg []byte) (loop func(n int)) { panic("ipsecmb: not on this platform") }

// Open panics.
func Open(dst, key, nonce, sealed []byte) (loop func(n int)) { panic("ipsecmb: not on this platform") }
