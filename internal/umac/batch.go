// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import "unsafe"

// SumBatch stores the tags of messages under as many nonces, one after the other.
func (k *Key) SumBatch(tags []byte, nonces, msgs [][]byte) {
	for len(msgs) > 0 {
		n := 4
		if !k.sumFour(tags, nonces, msgs) {
			n = 1
			k.Sum(tags[:k.size], PadOf(nonces[0], k.size), nil, msgs[0])
		}
		tags, nonces, msgs = tags[n*k.size:], nonces[n:], msgs[n:]
	}
}

// A message is what a kernel needs to know of one in a batch. The assembly knows its
// layout.
type message struct {
	pad Pad
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
		if len(msg) > ChunkSize {
			return false
		}
	}
	for i := range four {
		m, nonce, msg := &four[i], nonces[i], msgs[i]
		if len(nonce) == 8 {
			m.pad = PadOf8(nonce, k.size)
		} else {
			m.pad = PadOf(nonce, k.size)
		}
		m.msg, m.n = unsafe.SliceData(msg), len(msg)
	}
	sumFour(tags[:len(four)*k.size], k.keys, &four)
	return true
}
