// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package sshpatch adds OpenSSH's UMAC and a faster ChaCha20-Poly1305 to golang.org/x/crypto/ssh.
// There are two ways:
//
//   - [Register] adds UMAC to the unmodified x/crypto/ssh that the program links, and
//     [Accelerate] makes it use this module's ChaCha20-Poly1305. Call each once in main.
//   - [Vendor] writes a copy of x/crypto with one file added, which registers UMAC, for
//     a replace directive. Nothing reaches into another package then, and the compiler
//     checks every type. Package xcrypto makes a copy that is faster throughout.
//
// Neither changes what x/crypto/ssh offers by default. A client or a server
// asks for UMAC by name, as the example of [Register] does:
//
//   - [golang.org/x/crypto/ssh.Config].MACs names the algorithms, the best first, and
//     last those for a peer without UMAC.
//   - Its field Ciphers names ciphers that use a MAC, such as aes128-ctr.
//     AES-GCM and ChaCha20-Poly1305, which x/crypto/ssh prefers, use no MAC.
//   - Prefer the -etm algorithms, encrypt-then-MAC. Never combine them with
//     aes128-cbc in releases of x/crypto before v0.58.0, where such connections
//     fail (go.dev/issue/64779).
//
// Win32-OpenSSH has shipped programs that compute UMAC-128 incorrectly
// (github.com/PowerShell/Win32-OpenSSH/issues/1359 and /2078). A connection with such a
// peer fails with the first packet after the key exchange, and the peer never falls back
// to another algorithm. If they must connect, offer UMAC-64 or HMAC in place of UMAC-128.
//
// Keys, nonces and tags are the transport's: it takes a key of 16 bytes for each
// direction from the key exchange, uses the packet's sequence number as the nonce, and
// exchanges keys again before that repeats. In FIPS 140-3 mode, which approves neither
// UMAC nor ChaCha20-Poly1305, Register and Accelerate return [ErrFIPS], and a copy by
// Vendor registers nothing.
package sshpatch

import (
	"errors"

	"github.com/unimac/unimac/sshpatch/sshmac"
)

// The names to list in [golang.org/x/crypto/ssh.Config].MACs.
const (
	UMAC64     = sshmac.UMAC64
	UMAC128    = sshmac.UMAC128
	UMAC64ETM  = sshmac.UMAC64ETM
	UMAC128ETM = sshmac.UMAC128ETM
)

// Algorithms returns the four names, strongest first: tags of 16 bytes before
// tags of 8, and encrypt-then-MAC before MAC-and-encrypt. The slice is the
// caller's.
func Algorithms() []string {
	return []string{UMAC128ETM, UMAC128, UMAC64ETM, UMAC64}
}

var (
	// ErrFIPS reports that the program runs in FIPS 140-3 mode, in which neither UMAC
	// nor ChaCha20-Poly1305 is approved.
	ErrFIPS = errors.New("sshpatch: neither UMAC nor ChaCha20-Poly1305 is approved in FIPS 140-3 mode")

	// ErrIncompatible reports an x/crypto/ssh that is not laid out as known.
	// Errors wrap it together with what was found.
	ErrIncompatible = errors.New("sshpatch: golang.org/x/crypto/ssh is not laid out as known")
)
