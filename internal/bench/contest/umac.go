// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"encoding/binary"
	"fmt"

	"github.com/unimac/unimac/internal/bench/peer/nettle"
	"github.com/unimac/unimac/umac"
)

// umacs has every message under a nonce of its own, one more than the last, as
// programs do. Two neighbours share a pad.
func umacs() (contests []Contest) {
	for _, size := range []int{umac.Size64, umac.Size128} {
		key, nonce := data(umac.KeySize, 1), make([]byte, 8)
		contests = append(contests, Contest{
			Name:  fmt.Sprintf("umac-%d", 8*size),
			Title: fmt.Sprintf("UMAC-%d", 8*size),
			Sizes: sizes(16, 1<<20),
			Entrants: append(ours([]string{"umac"}, func(n int) (*Work, error) {
				k, err := umac.NewKey(key, size)
				if err != nil {
					return nil, err
				}
				msg, tag, nonce, count := data(n, 2), make([]byte, size), make([]byte, 8), uint64(0)
				return work(tag, func(n int) {
					for range n {
						binary.BigEndian.PutUint64(nonce, count)
						k.Sum(tag[:0], nonce, msg)
						count++
					}
				}), nil
			}), Entrant{Name: "nettle", Label: "nettle", Start: func(n int) (*Work, error) {
				msg, tag := data(n, 2), make([]byte, size)
				return work(tag, nettle.UMAC(tag, key, nonce, msg)), nil
			}}),
		})
	}
	return contests
}
