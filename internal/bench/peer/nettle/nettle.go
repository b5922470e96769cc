// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package nettle runs nettle's UMAC. A loop runs in C, in one call.
package nettle

// #cgo LDFLAGS: -lnettle
// #include "loops.h"
import "C"

import (
	"fmt"
	"unsafe"
)

// Version is nettle's.
func Version() string {
	return fmt.Sprintf("%d.%d", C.NETTLE_VERSION_MAJOR, C.NETTLE_VERSION_MINOR)
}

// UMAC returns a loop that computes tags of len(tag) bytes, 8 or 16, under a key
// of 16 bytes. The nonce counts up from message to message.
func UMAC(tag, key, nonce, msg []byte) (loop func(n int)) {
	switch len(tag) {
	case C.UMAC64_DIGEST_SIZE:
		ctx := new(C.struct_umac64_ctx)
		C.nettle_umac64_set_key(ctx, pointer(key))
		C.nettle_umac64_set_nonce(ctx, C.size_t(len(nonce)), pointer(nonce))
		return func(n int) {
			C.nettle_loop_umac64(ctx, C.size_t(n), pointer(tag), pointer(msg), C.size_t(len(msg)))
		}
	case C.UMAC128_DIGEST_SIZE:
		ctx := new(C.struct_umac128_ctx)
		C.nettle_umac128_set_key(ctx, pointer(key))
		C.nettle_umac128_set_nonce(ctx, C.size_t(len(nonce)), pointer(nonce))
		return func(n int) {
			C.nettle_loop_umac128(ctx, C.size_t(n), pointer(tag), pointer(msg), C.size_t(len(msg)))
		}
	}
	panic(fmt.Sprintf("nettle: tag of %d bytes", len(tag)))
}

func pointer(p []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(p))) }
