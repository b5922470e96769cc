// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"fmt"
	"slices"

	xblake2b "golang.org/x/crypto/blake2b"

	"github.com/unimac/unimac/internal/bench/peer/openssl"
	"github.com/unimac/unimac/internal/bench/peer/sodium"
	"github.com/unimac/unimac/internal/blake2b"
)

// blake2bs compares BLAKE2b with digests of 32 bytes under a key of 32, for one
// message, or for several of one length that are there at the same time.
func blake2bs(messages int) Contest {
	const size = 32
	key := data(size, 1)
	// split cuts what holds all messages, or all digests, into these.
	split := func(p []byte) [][]byte { return slices.Collect(slices.Chunk(p, len(p)/messages)) }
	c := Contest{
		Name: "blake2b", Title: "Keyed BLAKE2b",
		Sizes: sizes(16, 1<<20),
		Bytes: func(size int) int { return messages * size },
	}
	own := func(n int) (*Work, error) {
		// The state after the key is kept, as the packages above do.
		keyed, msg, tag := blake2b.New(size, key), data(n, 2), make([]byte, size)
		return work(tag, func(n int) {
			for range n {
				keyed.SumWith(tag[:0], msg)
			}
		}), nil
	}
	if messages > 1 {
		c.Name = fmt.Sprintf("%s-%d", c.Name, messages)
		c.Title = fmt.Sprintf("%s, %d messages at once", c.Title, messages)
		own = func(n int) (*Work, error) {
			keyed, states := blake2b.New(size, key), make([]blake2b.State, messages)
			msgs, tags := split(data(messages*n, 2)), make([]byte, messages*size)
			return work(tags, func(n int) {
				for range n {
					for i := range states {
						states[i] = keyed
					}
					blake2b.WriteAll(states, msgs)
					blake2b.SumAll(tags[:0], states)
				}
			}), nil
		}
	}
	c.Entrants = append(ours([]string{"blake2b"}, own),
		Entrant{Name: "x-crypto", Label: "x/crypto", Start: func(n int) (*Work, error) {
			h, err := xblake2b.New256(key)
			if err != nil {
				return nil, err
			}
			msgs, tags := split(data(messages*n, 2)), make([]byte, messages*size)
			return work(tags, func(n int) {
				for range n {
					for i, msg := range msgs {
						h.Reset()
						h.Write(msg)
						h.Sum(tags[:i*size])
					}
				}
			}), nil
		}},
		Entrant{Name: "libsodium", Label: "libsodium", Start: func(n int) (*Work, error) {
			msgs, tags := data(messages*n, 2), make([]byte, messages*size)
			return work(tags, sodium.BLAKE2b(tags, key, msgs, messages)), nil
		}},
	)
	if messages == 1 {
		c.Entrants = append(c.Entrants, Entrant{Name: "openssl", Label: "OpenSSL", Start: func(n int) (*Work, error) {
			msg, tag := data(n, 2), make([]byte, size)
			return work(tag, openssl.BLAKE2b(tag, key, msg)), nil
		}}, blake3MAC(key))
	}
	return c
}
