// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"slices"
	"sync"

	"github.com/unimac/unimac/internal/blake2b"
)

// SumBatch appends the digests of msgs to dst in order and returns the resulting slice.
// Each digest is size bytes long and equals the digest that a hash returned by [New]
// computes with the same size and key. If size is not from 1 to 64, or if the key is
// longer than 64 bytes, SumBatch returns an error and the unchanged dst. The key can be
// empty.
//
// There can be any number of messages, each of any length. SumBatch is fastest if
// adjacent messages have similar lengths. The appended digests must not overlap a
// message or the key.
func SumBatch(dst []byte, size int, key []byte, msgs ...[]byte) ([]byte, error) {
	if size < 1 || size > Size {
		return dst, errHashSize
	}
	if len(key) > Size {
		return dst, errKeySize
	}
	if !worthwhile(msgs) {
		return sumEach(dst, size, key, msgs), nil
	}
	dst = slices.Grow(dst, len(msgs)*size)
	b := batchPool.Get().(*batch)
	b.initial = initialState(size, key, msgs)
	for chunk := range slices.Chunk(msgs, batchSize) {
		states := b.states[:len(chunk)]
		for i := range states {
			states[i] = b.initial
		}
		blake2b.WriteAll(states, chunk)
		dst = blake2b.SumAll(dst, states)
	}
	// Wipe the states derived from the key and the messages.
	b.initial = blake2b.State{}
	clear(b.states[:min(len(msgs), batchSize)])
	batchPool.Put(b)
	return dst, nil
}

// worthwhile reports whether hashing msgs in parallel is faster than hashing them one
// at a time. For example, with a kernel of more than two lanes, hashing two short
// messages in parallel is slower than hashing them one after the other.
func worthwhile(msgs [][]byte) bool {
	const long = 1000
	switch lanes := blake2b.Lanes(); {
	case lanes == 1 || len(msgs) < 2:
		return false
	case lanes == 2 || len(msgs) > 2:
		return true
	}
	return len(msgs[0]) >= long && len(msgs[1]) >= long
}

func sumEach(dst []byte, size int, key []byte, msgs [][]byte) []byte {
	if len(key) == 0 {
		for _, msg := range msgs {
			var digest [Size]byte
			blake2b.Digest(&digest, size, msg)
			dst = append(dst, digest[:size]...)
		}
		return dst
	}
	initial := initialState(size, key, msgs)
	for _, msg := range msgs {
		dst = initial.SumWith(dst, msg)
	}
	return dst
}

// initialState returns the initial state for all messages. If there are several
// messages, the key block is compressed once for all of them. The exception is when all
// messages are empty. The key block is then the last block of each message, so
// compressing it in advance would save nothing.
func initialState(size int, key []byte, msgs [][]byte) blake2b.State {
	for _, msg := range msgs {
		if len(msgs) > 1 && len(msg) > 0 {
			return blake2b.New(size, key)
		}
	}
	return blake2b.Begin(size, key)
}

// batchSize is the number of messages hashed at once. It exceeds the number of lanes so
// that the lanes stay busy even if message lengths differ.
const batchSize = 32

type batch struct {
	initial blake2b.State
	states  [batchSize]blake2b.State
}

// batchPool recycles batch values, which escape because kernels receive pointers.
var batchPool = sync.Pool{New: func() any { return new(batch) }}
