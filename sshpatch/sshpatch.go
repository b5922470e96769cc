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
// asks for the algorithms by name, together with a cipher that uses a MAC;
// AES-GCM and ChaCha20-Poly1305, which x/crypto/ssh prefers, use none:
//
//	if err := sshpatch.Register(); err != nil {
//		log.Fatal(err)
//	}
//	config := &ssh.ClientConfig{
//		Config: ssh.Config{
//			Ciphers: []string{"aes128-ctr"},
//			MACs:    []string{sshpatch.UMAC128ETM, "hmac-sha2-256-etm@openssh.com"},
//		},
//		…
//	}
//
// Prefer the -etm algorithms, and do not combine them with aes128-cbc in
// releases of x/crypto before v0.58.0, where such connections fail.
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
