// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"crypto/subtle"
	"strconv"

	"github.com/unimac/unimac/internal/umac"
)

// SumBatch appends the tags of msgs to dst in order and returns the resulting slice.
// For each i, it appends the tag that [Key.Sum] computes for msgs[i] under nonces[i].
// SumBatch panics if len(nonces) != len(msgs) or if a nonce is not 1 to 16 bytes long.
// The appended tags must not overlap a message or a nonce.
//
// Never use a nonce for two messages under the same key, whether in the same batch or
// in different batches.
func (k *Key) SumBatch(dst []byte, nonces, msgs [][]byte) []byte {
	k.mustBeMade()
	if len(nonces) != len(msgs) {
		panic("umac: " + strconv.Itoa(len(nonces)) + " nonces for " + strconv.Itoa(len(msgs)) + " messages")
	}
	if len(msgs) == 1 { // duplicates Sum's body to save a call
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

// VerifyBatch reports whether tags[i] is the tag of msgs[i] under nonces[i] for every
// i. It returns true for an empty batch. It returns false if any tag has the wrong
// length or any nonce is empty or longer than 16 bytes. It compares tags in constant
// time.
//
// VerifyBatch panics unless tags, nonces and msgs have the same number of elements.
func (k *Key) VerifyBatch(tags, nonces, msgs [][]byte) bool {
	k.mustBeMade()
	if len(tags) != len(msgs) || len(nonces) != len(msgs) {
		panic("umac: " + strconv.Itoa(len(tags)) + " tags and " + strconv.Itoa(len(nonces)) + " nonces for " + strconv.Itoa(len(msgs)) + " messages")
	}
	for i, nonce := range nonces {
		if umac.CheckNonce(nonce) != nil || len(tags[i]) != k.key.Size() {
			return false // no panic: a peer may have chosen the nonce and the tag
		}
	}
	var want [verifySize * Size128]byte
	right := 1
	for len(msgs) > 0 {
		n := min(len(msgs), verifySize)
		size := k.key.Size()
		k.key.SumBatch(want[:n*size], nonces[:n], msgs[:n])
		for i, tag := range tags[:n] {
			right &= subtle.ConstantTimeCompare(want[i*size:][:size], tag)
		}
		tags, nonces, msgs = tags[n:], nonces[n:], msgs[n:]
	}
	return right == 1
}

// verifySize is the number of tags that VerifyBatch computes at a time.
const verifySize = 16
