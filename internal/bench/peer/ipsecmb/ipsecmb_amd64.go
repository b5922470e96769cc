// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package ipsecmb

// #cgo LDFLAGS: -lIPSec_MB
// #include "loops.h"
import "C"

import "unsafe"

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

func pointer(p []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(p))) }
