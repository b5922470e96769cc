// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import "unsafe"

// retryAfter is the number of messages between two searches for four short ones.
const retryAfter = 16

// maxShort is the largest result of maxOfFour.
const maxShort = 128

// AnyFour reports whether msgs might contain four consecutive short messages. SumBatch
// is worthwhile only for such messages. AnyFour is kept small enough to inline, because
// a call would make four short messages about 10% slower.
func AnyFour(msgs [][]byte) bool {
	return len(msgs) > retryAfter || len(msgs) >= 4 && fourAtMost(msgs, maxShort)
}

func fourAtMost(msgs [][]byte, n int) bool {
	return len(msgs[0]) <= n && len(msgs[1]) <= n && len(msgs[2]) <= n && len(msgs[3]) <= n
}

// SumBatch computes the tag of each message, using nonces[i] for msgs[i], and stores
// the tags consecutively in tags.
func (k *Key) SumBatch(tags []byte, nonces, msgs [][]byte) {
	// Short messages go to the four-message kernel. Looking for them before every
	// message would cost more than it saves.
	for longest := maxOfFour(k.uhash.streams); ; {
		for len(msgs) >= 4 && fourAtMost(msgs, longest) {
			k.sumFour(tags, nonces, msgs)
			tags, nonces, msgs = tags[4*k.size:], nonces[4:], msgs[4:]
		}
		if len(msgs) <= retryAfter {
			break
		}
		k.SumEach(tags, nonces[:retryAfter], msgs[:retryAfter])
		tags, nonces, msgs = tags[retryAfter*k.size:], nonces[retryAfter:], msgs[retryAfter:]
	}
	if len(msgs) > 0 {
		k.SumEach(tags, nonces, msgs)
	}
}

// A message holds the kernel arguments for one message of a batch. The assembly depends
// on the field offsets.
type message struct {
	pad Pad
	msg *byte
	n   int
}

// sumFour stores the tags of the first four messages, each of which must be at most one
// chunk long.
func (k *Key) sumFour(tags []byte, nonces, msgs [][]byte) {
	var messages [4]message
	for i := range messages {
		nonce, msg := nonces[i], msgs[i]
		m := &messages[i]
		if len(nonce) == 8 {
			m.pad = PadOf8(nonce, k.size)
		} else {
			m.pad = PadOf(nonce, k.size)
		}
		m.msg, m.n = unsafe.SliceData(msg), len(msg)
	}
	sumFour(tags[:len(messages)*k.size], k.keys, &messages)
}
