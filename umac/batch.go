// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"fmt"
	"slices"
	"unsafe"
)

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
	dst = slices.Grow(dst, len(msgs)*k.size)
	for len(msgs) > 0 {
		n := 1
		if k.sumFour(dst[len(dst):cap(dst)], nonces, msgs) {
			n = 4
			dst = dst[:len(dst)+n*k.size]
		} else {
			dst = k.Sum(dst, nonces[0], msgs[0])
		}
		nonces, msgs = nonces[n:], msgs[n:]
	}
	return dst
}

// A message is what a kernel needs to know of one in a batch. The assembly knows its
// layout.
type message struct {
	pad padBlock // to be encrypted
	at  int      // where the pad begins in the encrypted block
	msg *byte
	n   int
}

// sumFour stores the tags of the first four messages. It reports false where there is no
// kernel, or fewer messages, or one of more than a chunk.
func (k *Key) sumFour(tags []byte, nonces, msgs [][]byte) bool {
	var four [4]message
	if !canSumFour() || len(msgs) < len(four) || len(nonces) < len(four) {
		return false
	}
	for _, msg := range msgs[:len(four)] {
		if len(msg) > chunkSize {
			return false
		}
	}
	for i := range four {
		m, nonce, msg := &four[i], nonces[i], msgs[i]
		if len(nonce) == 8 {
			m.pad, m.at = padOf8(nonce, k.size)
		} else {
			m.pad, m.at = padOf(nonce, k.size)
		}
		m.msg, m.n = unsafe.SliceData(msg), len(msg)
	}
	sumFour(tags[:len(four)*k.size], k.keys, &four)
	return true
}
