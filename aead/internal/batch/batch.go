// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package batch defines an AEAD that processes several messages per call.
package batch

import "crypto/cipher"

// MaxLanes is the maximum number of messages per kernel call.
const MaxLanes = 8

// AEAD is a [cipher.AEAD] that can also process several messages per call. The messages
// have no additional data.
type AEAD interface {
	cipher.AEAD

	// SealAll seals each message like Seal.
	SealAll(msgs []Message)

	// OpenAll opens the messages in order and returns how many it opened. It stops at
	// the first message that fails authentication. It leaves the outputs of that
	// message and all later messages unchanged, or fills them with zeros.
	OpenAll(msgs []Message) int
}

// A Message is the input and the output buffer of one operation. In and Out must start
// at the same address or not overlap. Out must not overlap another message's In or Out.
type Message struct {
	Nonce []byte
	In    []byte // the plaintext, or the ciphertext and its tag
	Out   []byte // as long as the result
}
