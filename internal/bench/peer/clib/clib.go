// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package clib runs loops of C libraries. Loops must not run concurrently.
package clib

// #cgo LDFLAGS: -lnettle -lcrypto -lsodium
// #cgo amd64 LDFLAGS: -lIPSec_MB
// #include "clib.h"
// #include <openssl/crypto.h>
// #include <sodium.h>
import "C"

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"
)

// An Algorithm is an operation of a library. Unless its comment names another key, it
// uses Work.Key.
type Algorithm C.int

const (
	NettleUMAC             Algorithm = C.NETTLE_UMAC // tags of 8 or 16 bytes under nonces that count up
	OpenSSLPoly1305        Algorithm = C.OPENSSL_POLY1305
	OpenSSLChaCha20        Algorithm = C.OPENSSL_CHACHA20 // the nonce begins with a counter of 8 bytes
	OpenSSLAESGCMSeal      Algorithm = C.OPENSSL_AES_GCM_SEAL
	OpenSSLSeal            Algorithm = C.OPENSSL_CHACHA20_POLY1305_SEAL // as Open under a key that is kept
	OpenSSLOpen            Algorithm = C.OPENSSL_CHACHA20_POLY1305_OPEN
	SodiumPoly1305         Algorithm = C.SODIUM_POLY1305
	SodiumBLAKE2b          Algorithm = C.SODIUM_BLAKE2B  // of as many messages, equally long, as Out has 32 bytes
	SodiumMultiMAC         Algorithm = C.SODIUM_MULTIMAC // of Nonce and Msg under Key and More
	SodiumChaCha20BLAKE2b  Algorithm = C.SODIUM_CHACHA20_BLAKE2B
	SodiumChaCha20Poly1305 Algorithm = C.SODIUM_CHACHA20_POLY1305
	IPsecMBPoly1305        Algorithm = C.IPSECMB_POLY1305
	IPsecMBSeal            Algorithm = C.IPSECMB_SEAL
	IPsecMBOpen            Algorithm = C.IPSECMB_OPEN
)

// HasIPsecMB reports whether Intel's Multi-Buffer Crypto for IPsec exists on this
// platform.
const HasIPsecMB = runtime.GOARCH == "amd64"

// Versions names the libraries.
func Versions() string {
	all := []string{
		"nettle " + C.GoString(C.nettle_version()),
		"OpenSSL " + C.GoString(C.OpenSSL_version(C.OPENSSL_VERSION_STRING)),
		"libsodium " + C.GoString(C.sodium_version_string()),
	}
	if HasIPsecMB {
		all = append(all, "intel-ipsec-mb "+C.GoString(C.ipsecmb_version()))
	}
	return strings.Join(all, ", ")
}

// A Work contains the inputs and the output of a loop. A sealed message ends with its
// tag.
type Work struct{ Out, Key, Nonce, Msg, More []byte }

// Loop returns a loop that does the work n times and panics if the library fails.
func Loop(a Algorithm, w Work) (loop func(n int)) {
	state := new(unsafe.Pointer)
	return func(n int) {
		// The struct that C reads contains addresses, which must be pinned.
		var pinner runtime.Pinner
		defer pinner.Unpin()
		text := func(p []byte) C.text {
			if len(p) > 0 {
				pinner.Pin(unsafe.SliceData(p))
			}
			return C.text{(*C.uint8_t)(unsafe.SliceData(p)), C.size_t(len(p))}
		}
		work := C.work{text(w.Out), text(w.Key), text(w.Nonce), text(w.Msg), text(w.More)}
		if C.run(C.int(a), C.size_t(n), &work, state) == 0 {
			panic(fmt.Sprintf("clib: algorithm %d failed", a))
		}
	}
}
