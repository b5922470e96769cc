// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package openssl runs OpenSSL 3's MACs, ChaCha20 and AEADs. A loop runs in C, in one
// call, with a context that is kept; one loop may run at a time.
package openssl

// #cgo LDFLAGS: -lcrypto
// #include <stdlib.h>
// #include "loops.h"
import "C"

import "unsafe"

// Version is OpenSSL's.
func Version() string { return C.GoString(C.OpenSSL_version(C.OPENSSL_VERSION_STRING)) }

// Poly1305 returns a loop that computes tags of 16 bytes, and sets the key each
// time.
func Poly1305(tag, key, msg []byte) (loop func(n int)) {
	return func(n int) {
		must(C.openssl_loop_poly1305(C.size_t(n), pointer(tag), pointer(key), pointer(msg), C.size_t(len(msg))))
	}
}

// ChaCha20 returns a loop that encrypts msg to dst, with the counter 0 and a nonce
// of 8 bytes.
func ChaCha20(dst, key, nonce, msg []byte) (loop func(n int)) {
	iv := append(make([]byte, 8, 16), nonce...)
	return func(n int) {
		must(C.openssl_loop_chacha20(C.size_t(n), pointer(dst), pointer(key), pointer(iv), pointer(msg), C.size_t(len(msg))))
	}
}

// An AEAD is one of OpenSSL's under a key, with nonces of 12 bytes and tags of 16.
type AEAD struct{ a C.aead }

// The AEADs, as OpenSSL calls them.
const (
	ChaCha20Poly1305 = "ChaCha20-Poly1305"
	AES256GCM        = "AES-256-GCM"
)

// NewAEAD prepares one under a key of 32 bytes.
func NewAEAD(name string, key []byte) *AEAD {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	a := &AEAD{C.openssl_aead(c, pointer(key))}
	must(C.int(min(1, uintptr(unsafe.Pointer(a.a.seal)))))
	return a
}

// Free gives back what the AEAD holds.
func (a *AEAD) Free() { C.openssl_aead_free(a.a) }

// Seal returns a loop that seals msg to dst, without additional data.
func (a *AEAD) Seal(dst, nonce, msg []byte) (loop func(n int)) {
	return func(n int) {
		must(C.openssl_loop_seal(C.size_t(n), a.a, pointer(dst), pointer(nonce), pointer(msg), C.size_t(len(msg))))
	}
}

// Open returns a loop that opens sealed to dst, of 16 bytes less.
func (a *AEAD) Open(dst, nonce, sealed []byte) (loop func(n int)) {
	return func(n int) {
		must(C.openssl_loop_open(C.size_t(n), a.a, pointer(dst), pointer(nonce), pointer(sealed), C.size_t(len(dst))))
	}
}

func must(ok C.int) {
	if ok == 0 {
		panic("openssl: failed, or lacks the algorithm")
	}
}

func pointer(p []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(p))) }
