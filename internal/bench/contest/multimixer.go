// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"crypto/hmac"
	"crypto/sha256"

	"github.com/unimac/unimac/internal/bench/peer/rust"
	"github.com/unimac/unimac/multimixer"
)

// digests compares Multimixer-128's universal hash, whose keys are as long as the
// messages.
func digests() Contest {
	return Contest{
		Name: "multimixer-digest", Title: "Multimixer-128, the universal hash function",
		Sizes: sizes(32, 1<<20),
		Entrants: append(ours([]string{"multimixer"}, func(size int) (*Work, error) {
			var digest [multimixer.DigestSize]byte
			key, msg := data(size, 1), data(size, 2)
			if err := multimixer.Digest(&digest, key, msg); err != nil {
				return nil, err
			}
			return work(digest[:], func(n int) {
				for range n {
					multimixer.Digest(&digest, key, msg)
				}
			}), nil
		}), Entrant{Name: "crate", Label: "crate multimixer-128", Start: func(size int) (*Work, error) {
			digest := make([]byte, multimixer.DigestSize)
			return processWork(digest)(rust.Run(digest, "multimixer-128", "digest", size, data(size, 1), nil, data(size, 2)))
		}}),
	}
}

// multimixers compares the 32-byte Multimixer-128 MAC with other MACs without nonces.
func multimixers() Contest {
	key := data(multimixer.KeySize, 1)
	return Contest{
		Name: "multimixer-mac", Title: "MAC on Multimixer-128",
		Sizes: sizes(16, 1<<20),
		Entrants: append(ours([]string{"multimixer", "blake2b"}, func(size int) (*Work, error) {
			k, err := multimixer.NewKey(key, 32)
			if err != nil {
				return nil, err
			}
			msg, tag := data(size, 2), make([]byte, 32)
			return work(tag, func(n int) {
				for range n {
					k.Sum(tag[:0], msg)
				}
			}), nil
		}), Entrant{Name: "crypto-hmac", Label: "HMAC-SHA256, crypto/hmac", Other: true, Start: func(size int) (*Work, error) {
			return hashWork(hmac.New(sha256.New, key), size), nil
		}}, highwayHash(key)),
	}
}
