// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package batch defines an AEAD that processes several messages per call.
package batch

import "crypto/cipher"

// MaxLanes is the maximum number of messages per kernel call.
const MaxLanes = 8

// AEAD is a [cipher.AEAD] that can also seal or open several messages, without
// additional data, in a single call.
type AEAD interface {
	cipher.AEAD

	// SealAll seals each message like Seal.
	SealAll(msgs []Message)

	// OpenAll opens the messages in order, stops at the first one that fails
	// authentication, and returns the number of messages opened. The outputs of the
	// failed message and of all later messages are left unchanged or filled with zeros.
	OpenAll(msgs []Message) int
}

// A Message holds the nonce and the buffers of one Seal or Open operation. In and Out
// must start at the same address or not overlap. Out must not overlap the buffers of
// other messages.
type Message struct {
	Nonce []byte
	In    []byte // the plaintext, or the ciphertext and its tag
	Out   []byte // as long as the result
}
