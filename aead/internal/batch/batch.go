// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package batch defines an AEAD that processes several messages per call.
package batch

import "crypto/cipher"

// MaxLanes is the maximum number of messages per kernel call.
const MaxLanes = 8

// AEAD is a [cipher.AEAD] that can also seal or open several messages in a single call,
// without additional data.
type AEAD interface {
	cipher.AEAD

	// SealAll seals each message like Seal.
	SealAll(msgs []Message)

	// OpenAll opens the messages in order until one fails authentication, and returns
	// the number of messages opened. The outputs of the failed message and all later
	// messages are left unchanged or filled with zeros.
	OpenAll(msgs []Message) int
}

// A Message is the input and output buffer of one operation. In and Out must start at
// the same address or not overlap, and Out must not overlap other messages' buffers.
type Message struct {
	Nonce []byte
	In    []byte // the plaintext, or the ciphertext and its tag
	Out   []byte // as long as the result
}
