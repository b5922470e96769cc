// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package sshpatch brings OpenSSH's UMAC to golang.org/x/crypto/ssh, which does
// not have it. There are two ways:
//
//   - [Register] adds the algorithms to the genuine, unmodified x/crypto/ssh
//     that the program links. One call in main is all.
//   - [Vendor] writes a copy of x/crypto with one file added, for a replace
//     directive. Nothing reaches into another package then, and the compiler
//     checks every type.
//
// Neither changes what x/crypto/ssh offers by default. A client or a server
// asks for the algorithms by name, as the example of [Register] does:
//
//   - [golang.org/x/crypto/ssh.Config].MACs names them, the best first, and behind
//     them what a peer without UMAC shall use.
//   - Its field Ciphers names ciphers that use a MAC, such as aes128-ctr.
//     AES-GCM and ChaCha20-Poly1305, which x/crypto/ssh prefers, use none.
//   - Prefer the -etm algorithms, encrypt-then-MAC. Do not combine them with
//     aes128-cbc in releases of x/crypto before v0.58.0, where such connections
//     fail (go.dev/issue/64779).
//
// Keys, nonces and tags are the transport's: it takes a key of 16 bytes for each
// direction from the key exchange, the packet's sequence number for the nonce, and
// exchanges keys again before that repeats. In FIPS 140-3 mode, which UMAC is not
// approved for, Register returns [ErrFIPS] and a copy by Vendor registers nothing.
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
// those of 8, and encrypt-then-MAC before MAC-and-encrypt. The slice is the
// caller's.
func Algorithms() []string {
	return []string{UMAC128ETM, UMAC128, UMAC64ETM, UMAC64}
}

var (
	// ErrFIPS reports that the program runs in FIPS 140-3 mode, in which UMAC
	// is not approved.
	ErrFIPS = errors.New("sshpatch: UMAC is not approved in FIPS 140-3 mode")

	// ErrIncompatible reports an x/crypto/ssh that is not laid out as known.
	// Errors wrap it together with what was found.
	ErrIncompatible = errors.New("sshpatch: golang.org/x/crypto/ssh is not laid out as known")
)
