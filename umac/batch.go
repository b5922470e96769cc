// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"crypto/subtle"
	"fmt"

	"github.com/unimac/unimac/internal/umac"
)

// SumBatch appends the tags of several messages to dst, in order, and returns the
// resulting slice. The tag of msgs[i] under nonces[i] is what [Key.Sum] computes. It
// panics unless there are as many nonces as messages, and if a nonce has no byte or
// more than 16. The memory after dst that the tags go to must not overlap a message or
// a nonce.
//
// Never use a nonce for two messages under one key, in a batch as elsewhere.
func (k *Key) SumBatch(dst []byte, nonces, msgs [][]byte) []byte {
	k.mustBeMade()
	if len(nonces) != len(msgs) {
		panic(fmt.Sprintf("umac: %d nonces for %d messages", len(nonces), len(msgs)))
	}
	if len(msgs) == 1 { // as in Sum, which would be a call more
		nonce := nonces[0]
		dst, tag := grow(dst, k.key.Size())
		var pad umac.Pad
		if len(nonce) == 8 {
			pad = umac.PadOf8(nonce, len(tag))
		} else {
			pad = umac.PadOf(nonce, len(tag))
		}
		k.key.Sum(tag, pad, nil, msgs[0])
		return dst
	}
	dst, tags := grow(dst, len(msgs)*k.key.Size())
	if umac.AnyFour(msgs) {
		k.key.SumBatch(tags, nonces, msgs)
	} else {
		k.key.SumEach(tags, nonces, msgs)
	}
	return dst
}

// VerifyBatch reports whether tags[i] is the tag of msgs[i] under nonces[i], for all of
// them. It is false where a tag has another length than the key's, or a nonce has no byte
// or more than 16, and panics unless there are as many tags and nonces as messages. Of no
// message, it is true. Its time does not depend on where tags differ, nor in which message.
func (k *Key) VerifyBatch(tags, nonces, msgs [][]byte) bool {
	k.mustBeMade()
	if len(tags) != len(msgs) || len(nonces) != len(msgs) {
		panic(fmt.Sprintf("umac: %d tags and %d nonces for %d messages", len(tags), len(nonces), len(msgs)))
	}
	for i, nonce := range nonces {
		if umac.CheckNonce(nonce) != nil || len(tags[i]) != k.key.Size() {
			return false // a peer may have chosen them
		}
	}
	var want [verified * Size128]byte
	right := 1
	for len(msgs) > 0 {
		n := min(len(msgs), verified)
		size := k.key.Size()
		k.key.SumBatch(want[:n*size], nonces[:n], msgs[:n])
		for i, tag := range tags[:n] {
			right &= subtle.ConstantTimeCompare(want[i*size:][:size], tag)
		}
		tags, nonces, msgs = tags[n:], nonces[n:], msgs[n:]
	}
	return right == 1
}

// verified is how many tags VerifyBatch computes at once.
const verified = 16
