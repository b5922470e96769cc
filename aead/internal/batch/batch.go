// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package batch declares the interface through which aead/stream seals and opens
// several messages per call, in the lanes of vector registers.
package batch

import "crypto/cipher"

// MaxLanes is the largest number of messages that a kernel processes at a time. If
// possible, pass at least MaxLanes messages per call.
const MaxLanes = 8

// AEAD is a [cipher.AEAD] that can also seal or open several messages per call, without
// additional data.
type AEAD interface {
	cipher.AEAD

	// SealAll seals each message like Seal.
	SealAll(msgs []Message)

	// OpenAll opens the messages in order, as Open does, until one fails
	// authentication, and returns how many it opened. It leaves the outputs of the
	// remaining messages unchanged or fills them with zeros.
	OpenAll(msgs []Message) int
}

// A Message is a message to seal or open, with a buffer for the result. In and Out must
// either start at the same address or not overlap. Out must not overlap In or Out of
// another message.
type Message struct {
	Nonce []byte
	In    []byte // the plaintext, or the ciphertext and its tag
	Out   []byte // as long as the result
}
