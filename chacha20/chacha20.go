// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20 implements the stream ciphers ChaCha20 of RFC 8439 and XChaCha20 of
// draft-irtf-cfrg-xchacha. It is a drop-in replacement for
// golang.org/x/crypto/chacha20, with the same names, errors and panics: only the import
// path needs to change.
//
// A stream cipher does not authenticate: an attacker who flips a bit of the ciphertext
// flips the same bit of the plaintext. Therefore, use this package only to build other
// constructions. To encrypt messages, use this module's chacha20poly1305 or aead
// package.
//
// # What the caller must never do
//
//   - Never use the same key and nonce for two different streams. Anyone who sees both
//     ciphertexts learns the XOR of the two plaintexts.
//   - Never choose 12-byte nonces at random for many messages. Use a counter or 24-byte
//     nonces.
//   - Never trust decrypted data before it has been authenticated.
//
// # Constant time
//
// The running time does not depend on the key, the nonce or the text. It does depend on
// lengths and counters.
package chacha20

import "errors"

const (
	// KeySize is the key size in bytes.
	KeySize = 32

	// NonceSize is the nonce size of ChaCha20 (RFC 8439) in bytes. If nonces of this
	// size are chosen at random, do not use a key for more than 2^32 messages.
	NonceSize = 12

	// NonceSizeX is the nonce size of XChaCha20 in bytes. Nonces of this size can be
	// chosen at random.
	NonceSizeX = 24
)

var (
	errKeySize    = errors.New("chacha20: wrong key size")
	errNonceSize  = errors.New("chacha20: wrong nonce size")
	errHKeySize   = errors.New("chacha20: wrong HChaCha20 key size")
	errHNonceSize = errors.New("chacha20: wrong HChaCha20 nonce size")
)
