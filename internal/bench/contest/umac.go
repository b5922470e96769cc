// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"encoding/binary"
	"fmt"

	"github.com/unimac/unimac/internal/bench/peer/clib"
	"github.com/unimac/unimac/umac"
)

// umacs compares UMAC-64 and UMAC-128. Nonces count up, as in programs, so that two
// consecutive nonces of UMAC-64 share a pad.
func umacs() (contests []Contest) {
	for _, size := range []int{umac.Size64, umac.Size128} {
		contests = append(contests, Contest{
			Name:  fmt.Sprintf("umac-%d", 8*size),
			Title: fmt.Sprintf("UMAC-%d", 8*size),
			Sizes: sizes(16, 1<<20),
			Entrants: append(ours([]string{"umac"}, startUMAC(size)), Entrant{Name: "nettle", Label: "nettle", Start: func(n int) (*Work, error) {
				msg, tag := data(n, 2), make([]byte, size)
				return work(tag, clib.Loop(clib.NettleUMAC, clib.Work{Out: tag, Key: data(umac.KeySize, 1), Nonce: make([]byte, 8), Msg: msg})), nil
			}}, gmac(), highwayHash(data(32, 1))),
		})
	}
	return append(contests, umacBatch())
}

func startUMAC(size int) starter {
	return func(n int) (*Work, error) {
		k, err := umac.NewKey(data(umac.KeySize, 1), size)
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
	}
}

func umacBatch() Contest {
	const messages = 64
	key := data(umac.KeySize, 1)
	return Contest{
		Name:  "umac-64-batch",
		Title: fmt.Sprintf("UMAC-64, %d messages", messages),
		Sizes: []int{32, 256, 1024},
		Bytes: func(n int) int { return messages * n },
		Entrants: append(ours([]string{"umac"}, func(n int) (*Work, error) {
			k, err := umac.NewKey(key, umac.Size64)
			if err != nil {
				return nil, err
			}
			var nonces, msgs [][]byte
			for range messages {
				nonces, msgs = append(nonces, make([]byte, 8)), append(msgs, data(n, 2))
			}
			tags, count := make([]byte, 0, messages*umac.Size64), uint64(0)
			last := tags[(messages-1)*umac.Size64 : messages*umac.Size64]
			return work(last, func(n int) {
				for range n {
					for _, nonce := range nonces {
						binary.BigEndian.PutUint64(nonce, count)
						count++
					}
					k.SumBatch(tags, nonces, msgs)
				}
			}), nil
		}), Entrant{Name: "nettle", Label: "nettle", Start: func(n int) (*Work, error) {
			msg, tag := data(n, 2), make([]byte, umac.Size64)
			loop := clib.Loop(clib.NettleUMAC, clib.Work{Out: tag, Key: key, Nonce: make([]byte, 8), Msg: msg})
			return work(tag, func(n int) { loop(messages * n) }), nil
		}}),
	}
}
