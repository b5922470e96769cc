// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"fmt"
	"slices"

	xblake2b "golang.org/x/crypto/blake2b"

	"github.com/unimac/unimac/internal/bench/peer/clib"
	"github.com/unimac/unimac/internal/blake2b"
)

// blake2bs compares implementations of keyed BLAKE2b with 32-byte digests, for one
// message or for a batch of messages of the same length.
func blake2bs(messages int) Contest {
	const size = 32
	key := data(size, 1)
	start := func(loop func(tags []byte, msgs [][]byte) func(n int)) starter {
		return func(n int) (*Work, error) {
			msgs, tags := slices.Collect(slices.Chunk(data(messages*n, 2), n)), make([]byte, messages*size)
			return work(tags, loop(tags, msgs)), nil
		}
	}
	c := Contest{
		Name: "blake2b", Title: "Keyed BLAKE2b",
		Sizes: sizes(16, 1<<20),
		Bytes: func(size int) int { return messages * size },
	}
	// Like this module's packages, keep the state after absorbing the key.
	keyed, own := blake2b.New(size, key), ownBLAKE2b
	if messages > 1 {
		c.Name = fmt.Sprintf("%s-%d", c.Name, messages)
		c.Title = fmt.Sprintf("%s, %d messages at once", c.Title, messages)
		own = ownBLAKE2bs
	}
	c.Entrants = append(ours([]string{"blake2b"}, start(func(tags []byte, msgs [][]byte) func(n int) { return own(keyed, tags, msgs) })),
		Entrant{Name: "x-crypto", Label: "x/crypto", Start: start(func(tags []byte, msgs [][]byte) func(n int) {
			h, err := xblake2b.New256(key)
			if err != nil {
				panic(err)
			}
			return func(n int) {
				for range n {
					for i, msg := range msgs {
						h.Reset()
						h.Write(msg)
						h.Sum(tags[:i*size])
					}
				}
			}
		})},
		Entrant{Name: "libsodium", Label: "libsodium", Start: start(func(tags []byte, msgs [][]byte) func(n int) {
			return clib.Loop(clib.SodiumBLAKE2b, clib.Work{Out: tags, Key: key, Msg: slices.Concat(msgs...)})
		})},
	)
	if messages == 1 {
		c.Entrants = append(c.Entrants, blake3MAC(key))
	}
	return c
}

func ownBLAKE2b(keyed blake2b.State, tag []byte, msgs [][]byte) func(n int) {
	return func(n int) {
		for range n {
			keyed.SumWith(tag[:0], msgs[0])
		}
	}
}

func ownBLAKE2bs(keyed blake2b.State, tags []byte, msgs [][]byte) func(n int) {
	states := make([]blake2b.State, len(msgs))
	return func(n int) {
		for range n {
			for i := range states {
				states[i] = keyed
			}
			blake2b.WriteAll(states, msgs)
			blake2b.SumAll(tags[:0], states)
		}
	}
}
