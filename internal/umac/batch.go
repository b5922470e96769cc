// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import "unsafe"

// again is how many messages after four that are not short SumBatch looks for the next.
const again = 16

// mostShort is the most that mostOfFour returns.
const mostShort = 128

// AnyFour reports whether SumBatch may find four messages for one call of the kernel. It is
// small enough to be part of its callers: a call more takes a tenth of what four messages take.
func AnyFour(msgs [][]byte) bool {
	return len(msgs) > again || len(msgs) >= 4 && fourAtMost(msgs, mostShort)
}

// fourAtMost reports whether the first four messages have at most so many bytes each.
func fourAtMost(msgs [][]byte, most int) bool {
	return len(msgs[0]) <= most && len(msgs[1]) <= most && len(msgs[2]) <= most && len(msgs[3]) <= most
}

// SumBatch stores the tags of messages under as many nonces, one after the other. Four in a
// row that are all short enough share a call of the kernel; after four that are not, it looks
// again 16 messages later. To look at each one, or to bring four together from apart, takes
// longer than it gains, and so does a call of SumEach for no message.
func (k *Key) SumBatch(tags []byte, nonces, msgs [][]byte) {
	for most := mostOfFour(k.uhash.streams); ; {
		for len(msgs) >= 4 && fourAtMost(msgs, most) {
			k.sumFour(tags, nonces, msgs)
			tags, nonces, msgs = tags[4*k.size:], nonces[4:], msgs[4:]
		}
		if len(msgs) <= again {
			break
		}
		k.SumEach(tags, nonces[:again], msgs[:again])
		tags, nonces, msgs = tags[again*k.size:], nonces[again:], msgs[again:]
	}
	if len(msgs) > 0 {
		k.SumEach(tags, nonces, msgs)
	}
}

// A message is what a kernel needs to know of one in a batch. The assembly knows its
// layout.
type message struct {
	pad Pad
	msg *byte
	n   int
}

// sumFour stores the tags of the first four messages, which have at most a chunk each.
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
