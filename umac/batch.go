// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import "fmt"

// SumBatch appends the tags of several messages to dst, in order, and returns the
// resulting slice: that of msgs[i] under nonces[i] is what [Key.Sum] computes. It
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
	for _, nonce := range nonces {
		mustNonce(nonce)
	}
	dst, tags := grow(dst, len(msgs)*k.key.Size())
	k.key.SumBatch(tags, nonces, msgs)
	return dst
}
