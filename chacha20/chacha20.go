// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20 implements the ciphers ChaCha20 of RFC 8439 and XChaCha20 of
// draft-irtf-cfrg-xchacha. Its names mean what they mean in
// golang.org/x/crypto/chacha20, with the same errors and panics, so that changing
// the import path is the whole migration.
//
// A stream cipher does not authenticate: an attacker who flips a bit of the
// ciphertext flips the same bit of the plaintext. It is a part to build with. To
// encrypt messages, take package chacha20poly1305 or aead of this module.
//
// # What the caller must never do
//
//   - Never use a key and a nonce for two different streams. Anyone who sees both
//     ciphertexts learns the XOR of both plaintexts.
//   - Never choose nonces of 12 bytes at random for many messages. Count, or take
//     nonces of 24 bytes.
//   - Never trust what was decrypted before something else has authenticated it.
//
// # Constant time
//
// Nothing here branches on, or indexes memory by, the key, the nonce or the text.
// Lengths and counters are no secret.
package chacha20

import "errors"

const (
	// KeySize is the size in bytes of a key.
	KeySize = 32

	// NonceSize is the size in bytes of a nonce of ChaCha20 as in RFC 8439. It is
	// too short to be random if a key is for more than 2^32 messages.
	NonceSize = 12

	// NonceSizeX is the size in bytes of a nonce of XChaCha20, which may be random.
	NonceSizeX = 24
)

var (
	errKeySize    = errors.New("chacha20: wrong key size")
	errNonceSize  = errors.New("chacha20: wrong nonce size")
	errHKeySize   = errors.New("chacha20: wrong HChaCha20 key size")
	errHNonceSize = errors.New("chacha20: wrong HChaCha20 nonce size")
)
