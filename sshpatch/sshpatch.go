// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package sshpatch adds OpenSSH's UMAC and a faster ChaCha20-Poly1305 to
// golang.org/x/crypto/ssh. There are two ways to use it:
//
//   - [Register] adds UMAC to the unmodified x/crypto/ssh that the program links, and
//     [Accelerate] makes x/crypto/ssh use this module's ChaCha20-Poly1305. Call each
//     once in main.
//   - [Vendor] writes a copy of x/crypto for a replace directive, with an additional
//     file that registers UMAC. In this case, no package accesses another package's
//     variables, and the compiler checks every type. Package xcrypto makes a copy in
//     which other packages are accelerated too.
//
// Neither way changes the algorithms that x/crypto/ssh offers by default. A client or a
// server requests UMAC by name, as in the example of [Register]:
//
//   - List the algorithms in [golang.org/x/crypto/ssh.Config].MACs, with the best
//     first, followed by algorithms for peers without UMAC.
//   - List ciphers that use a MAC, such as aes128-ctr, in the Ciphers field. AES-GCM
//     and ChaCha20-Poly1305, which x/crypto/ssh prefers, do not use a MAC.
//   - Prefer the -etm algorithms (encrypt-then-MAC). Never combine them with aes128-cbc
//     in releases of x/crypto before v0.58.0, where such connections fail
//     (go.dev/issue/64779).
//
// Win32-OpenSSH has shipped programs that compute UMAC-128 incorrectly
// (github.com/PowerShell/Win32-OpenSSH/issues/1359 and /2078). A connection to such a
// peer fails on the first packet after the key exchange, and there is no fallback. If
// such peers must connect, offer UMAC-64 or HMAC instead of UMAC-128.
//
// The SSH transport provides keys and nonces. It derives a 16-byte key for each
// direction, uses the packet's sequence number as the nonce, and exchanges keys again
// before a number repeats. FIPS 140-3 approves neither UMAC nor ChaCha20-Poly1305. In
// FIPS 140-3 mode, Register and Accelerate return [ErrFIPS], and a copy made by Vendor
// registers nothing.
package sshpatch

import (
	"errors"

	"github.com/unimac/unimac/sshpatch/sshmac"
)

// Names of the algorithms for [golang.org/x/crypto/ssh.Config].MACs.
const (
	UMAC64     = sshmac.UMAC64
	UMAC128    = sshmac.UMAC128
	UMAC64ETM  = sshmac.UMAC64ETM
	UMAC128ETM = sshmac.UMAC128ETM
)

// Algorithms returns the names of the four UMAC algorithms, with the strongest first:
// 16-byte tags before 8-byte tags, and encrypt-then-MAC before MAC-and-encrypt. The
// caller may modify the slice.
func Algorithms() []string {
	return []string{UMAC128ETM, UMAC128, UMAC64ETM, UMAC64}
}

var (
	// ErrFIPS is returned in FIPS 140-3 mode, in which neither UMAC nor
	// ChaCha20-Poly1305 is approved.
	ErrFIPS = errors.New("sshpatch: neither UMAC nor ChaCha20-Poly1305 is approved in FIPS 140-3 mode")

	// ErrIncompatible is returned if the layout of x/crypto/ssh is unknown. Errors that
	// wrap ErrIncompatible describe what differs.
	ErrIncompatible = errors.New("sshpatch: golang.org/x/crypto/ssh has an unsupported layout")
)
