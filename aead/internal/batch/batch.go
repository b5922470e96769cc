// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package batch is what aead/stream asks of package aead beyond [cipher.AEAD]:
// sealing and opening several messages at once, in the lanes of the processor's
// vectors. The AEADs' type is not exported, and this package cannot be imported
// from outside, so nothing of it is public.
package batch

import "crypto/cipher"

// MaxLanes is the largest number of messages that a kernel processes at a time. Callers
// should pass at least as many messages per call if they have them.
const MaxLanes = 8

// AEAD is an AEAD that works on several messages at once. There is no additional
// data.
type AEAD interface {
	cipher.AEAD

	// SealAll seals each message like Seal.
	SealAll(msgs []Message)

	// OpenAll opens each message like Open, up to the first that is not authentic,
	// and returns how many that were. It writes nothing to the outputs of the
	// others, and writes no output before it has authenticated all messages that it
	// works on at the same time.
	OpenAll(msgs []Message) int
}

// A Message is one message and where its result goes. In and Out must be the same
// memory or apart, and Out apart from the In and the Out of all other messages.
type Message struct {
	Nonce []byte
	In    []byte // the plaintext, or the ciphertext and its tag
	Out   []byte // as long as the result
}
