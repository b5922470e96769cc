// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package sodium runs libsodium: its Poly1305, BLAKE2b, ChaCha20 and
// ChaCha20-Poly1305, and what is composed of them. A loop runs in C, in one call.
package sodium

// #cgo LDFLAGS: -lsodium
// #include "loops.h"
import "C"

import (
	"runtime"
	"unsafe"
)

// Version is libsodium's.
func Version() string { return C.GoString(C.sodium_version_string()) }

// start makes libsodium choose its implementations, the first time.
func start() {
	if C.sodium_init() < 0 {
		panic("sodium: cannot start")
	}
}

// Poly1305 returns a loop that computes tags of 16 bytes.
func Poly1305(tag, key, msg []byte) (loop func(n int)) {
	start()
	return func(n int) {
		withTexts(func(t []C.text) { C.sodium_loop_poly1305(C.size_t(n), pointer(tag), pointer(key), t[0]) }, msg)
	}
}

// BLAKE2b returns a loop that computes digests under a key: those of as many
// messages, equally long, as lie one after the other in msgs.
func BLAKE2b(tags, key, msgs []byte, messages int) (loop func(n int)) {
	start()
	return func(n int) {
		withTexts(func(t []C.text) {
			C.sodium_loop_blake2b(C.size_t(n), pointer(tags), C.size_t(len(tags)/messages), t[0], t[1], C.size_t(messages))
		}, key, msgs)
	}
}

// MultiMAC returns a loop that computes the tag of two inputs with BLAKE2b, under
// keys of 32 bytes.
func MultiMAC(tag, key1, key2, input1, input2 []byte) (loop func(n int)) {
	start()
	return func(n int) {
		withTexts(func(t []C.text) {
			C.sodium_loop_multimac(C.size_t(n), pointer(tag), pointer(key1), pointer(key2), t[0], t[1])
		}, input1, input2)
	}
}

// Seal returns a loop that seals msg to dst by ChaCha20-BLAKE2b. The context is
// that of the key of the MAC, with the lengths after it.
func Seal(dst, key, encKey, nonce, context, msg, ad []byte) (loop func(n int)) {
	start()
	return func(n int) {
		withTexts(func(t []C.text) {
			C.sodium_loop_seal(C.size_t(n), pointer(dst), pointer(key), pointer(encKey), pointer(nonce), t[0], t[1], t[2])
		}, context, msg, ad)
	}
}

// SealIETF returns a loop that seals msg to dst by ChaCha20-Poly1305 as in RFC 8439, without
// additional data.
func SealIETF(dst, key, nonce, msg []byte) (loop func(n int)) {
	start()
	return func(n int) {
		withTexts(func(t []C.text) {
			C.sodium_loop_seal_ietf(C.size_t(n), pointer(dst), pointer(key), pointer(nonce), t[0])
		}, msg)
	}
}

// withTexts passes slices by value. C gets their addresses inside of structs, so
// they have to be pinned.
func withTexts(call func(t []C.text), slices ...[]byte) {
	var pinner runtime.Pinner
	defer pinner.Unpin()
	texts := make([]C.text, len(slices))
	for i, s := range slices {
		if len(s) > 0 {
			pinner.Pin(unsafe.SliceData(s))
		}
		texts[i] = C.text{pointer(s), C.size_t(len(s))}
	}
	call(texts)
}

func pointer(p []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(p))) }
