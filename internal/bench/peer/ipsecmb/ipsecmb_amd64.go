// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package ipsecmb

// #cgo LDFLAGS: -lIPSec_MB
// #include "loops.h"
import "C"

import (
	"crypto/subtle"
	"unsafe"
)

// Available reports whether the library exists on this platform.
const Available = true

// Version is the library's.
func Version() string { return C.GoString(C.ipsecmb_version()) }

// Poly1305 returns a loop that computes tags of 16 bytes, and sets the key each
// time.
func Poly1305(tag, key, msg []byte) (loop func(n int)) {
	return func(n int) {
		if C.ipsecmb_loop_poly1305(C.size_t(n), pointer(tag), pointer(key), pointer(msg), C.size_t(len(msg))) == 0 {
			panic("ipsecmb: failed")
		}
	}
}

// Seal returns a loop that seals msg to dst by ChaCha20-Poly1305, a job at a time, without
// additional data.
func Seal(dst, key, nonce, msg []byte) (loop func(n int)) {
	return func(n int) { aead(n, 1, dst, dst[len(msg):], key, nonce, msg) }
}

// Open returns a loop that opens sealed to dst, of 16 bytes less.
func Open(dst, key, nonce, sealed []byte) (loop func(n int)) {
	text, tag := sealed[:len(dst)], make([]byte, 16)
	return func(n int) {
		aead(n, 0, dst, tag, key, nonce, text)
		if subtle.ConstantTimeCompare(tag, sealed[len(dst):]) != 1 {
			panic("ipsecmb: not authentic")
		}
	}
}

func aead(n int, seal C.int, dst, tag, key, nonce, text []byte) {
	if C.ipsecmb_loop_aead(C.size_t(n), seal, pointer(dst), pointer(tag), pointer(key), pointer(nonce), pointer(text), C.size_t(len(text))) == 0 {
		panic("ipsecmb: failed")
	}
}

func pointer(p []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(p))) }
