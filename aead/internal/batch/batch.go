// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package batch defines the interface that aead/stream uses to process several messages
// per call, one per SIMD lane.
package batch

import "crypto/cipher"

// MaxLanes is the largest number of messages that a kernel processes at a time. Calls
// with fewer messages may leave lanes unused.
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

// A Message describes one seal or open operation: its input and a buffer for the
// output. In and Out must start at the same address or not overlap, and Out must not
// overlap another message's In or Out.
type Message struct {
	Nonce []byte
	In    []byte // the plaintext, or the ciphertext and its tag
	Out   []byte // as long as the result
}
