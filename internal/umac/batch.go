// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import "unsafe"

// again is the number of messages after which SumBatch looks for short messages again.
const again = 16

// mostShort is the largest result of mostOfFour.
const mostShort = 128

// AnyFour reports whether SumBatch may find four messages for one call of the
// four-message kernel. It is small enough to be inlined, because a call would cost a
// tenth of the time of four short messages.
func AnyFour(msgs [][]byte) bool {
	return len(msgs) > again || len(msgs) >= 4 && fourAtMost(msgs, mostShort)
}

// fourAtMost reports whether the first four messages are at most n bytes long each.
func fourAtMost(msgs [][]byte, most int) bool {
	return len(msgs[0]) <= most && len(msgs[1]) <= most && len(msgs[2]) <= most && len(msgs[3]) <= most
}

// SumBatch stores the tags of msgs under nonces in tags, one after the other. While the
// next four messages are short, it passes them to the four-message kernel together.
// Otherwise it passes the next 16 messages to SumEach before it checks again: checking
// each message, or collecting short messages from different places, costs more than it
// saves.
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

// A message is a kernel's description of one message in a batch. The assembly depends
// on the layout.
type message struct {
	pad Pad
	msg *byte
	n   int
}

// sumFour stores the tags of the first four messages. Each must fit in one chunk.
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
