// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import "unsafe"

// Together reports whether SumBatch gains anything over one message after the other, for
// four messages or more. Most must be short, because to pick a few costs more. It looks at
// two of them first: to look at all costs as much as a tenth of the tags of four.
func (k *Key) Together(msgs [][]byte) bool {
	most := k.shortBytes()
	if len(msgs[0]) > most && len(msgs[len(msgs)-1]) > most {
		return false
	}
	n := 0
	for _, msg := range msgs {
		if len(msg) <= most {
			n++
		}
	}
	return n >= len(four{}) && n > len(msgs)/2
}

// SumBatch stores the tags of messages under as many nonces, one after the other. Four that
// are short enough share a call of the kernel, wherever they are.
func (k *Key) SumBatch(tags []byte, nonces, msgs [][]byte) {
	var short four
	n, most := 0, k.shortBytes()
	for i, msg := range msgs {
		if len(msg) > most {
			k.sumAt(tags, i, nonces[i], msg)
			continue
		}
		short[n] = i
		if n++; n == len(short) {
			k.sumFour(tags, nonces, msgs, &short)
			n = 0
		}
	}
	for _, i := range short[:n] {
		k.sumAt(tags, i, nonces[i], msgs[i])
	}
}

// sumAt stores the tag of message i.
func (k *Key) sumAt(tags []byte, i int, nonce, msg []byte) {
	var pad Pad
	if len(nonce) == 8 {
		pad = PadOf8(nonce, k.size)
	} else {
		pad = PadOf(nonce, k.size)
	}
	k.Sum(tags[i*k.size:][:k.size], pad, nil, msg)
}

// shortBytes is how many bytes a message has at most that gains by the kernel for four, which
// hashes one after the other. It is -1 if none does, and where there is no such kernel. On a
// Zen 5, four messages of 64 bytes with two streams take 47 ns there and 49 alone, four of
// 256 bytes 67 and 63; with four streams four of 32 bytes take 60 and 54.
func (k *Key) shortBytes() int {
	switch {
	case !canSumFour():
		return -1
	case k.uhash.streams == 1:
		return 128
	case k.uhash.streams == 2:
		return 64
	}
	return -1
}

// four are the indices of messages.
type four [4]int

// A message is what a kernel needs to know of one in a batch. The assembly knows its
// layout.
type message struct {
	pad Pad
	msg *byte
	n   int
}

// sumFour stores the tags of four messages, of at most a chunk each.
func (k *Key) sumFour(tags []byte, nonces, msgs [][]byte, of *four) {
	var messages [len(of)]message
	for i, from := range of {
		nonce, msg := nonces[from], msgs[from]
		m := &messages[i]
		if len(nonce) == 8 {
			m.pad = PadOf8(nonce, k.size)
		} else {
			m.pad = PadOf(nonce, k.size)
		}
		m.msg, m.n = unsafe.SliceData(msg), len(msg)
	}
	if last := len(of) - 1; of[last]-of[0] == last {
		sumFour(tags[of[0]*k.size:][:len(of)*k.size], k.keys, &messages)
		return
	}
	var apart [len(of) * maxStreams * 4]byte
	sumFour(apart[:len(of)*k.size], k.keys, &messages)
	for i, to := range of {
		copy(tags[to*k.size:][:k.size], apart[i*k.size:])
	}
}
