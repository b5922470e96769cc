// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"fmt"

	xblake2b "golang.org/x/crypto/blake2b"

	"github.com/unimac/unimac/internal/bench/peer/clib"
	"github.com/unimac/unimac/multimac"
)

// firstInput is the size of a list's first input. The second input varies.
const firstInput = 16

// multimacs compares MultiMAC tags for one list or for a batch of lists. Other
// libraries have no MultiMAC, so their entrants compose it from BLAKE2b.
func multimacs(lists int) Contest {
	key1, key2 := data(32, 1), data(32, 2)
	newLists := func(size int) (all [][][]byte, tags []byte) {
		for i := range byte(lists) {
			all = append(all, [][]byte{data(firstInput, 10+i), data(size, 20+i)})
		}
		return all, make([]byte, lists*32)
	}
	c := Contest{
		Name: "multimac", Title: "MultiMAC of 16 bytes and a message",
		Sizes: sizes(16, 1<<20),
		Bytes: func(size int) int { return lists * (firstInput + size) },
		Entrants: append(ours([]string{"blake2b"}, func(size int) (*Work, error) {
			k, err := multimac.NewKey(key1, key2)
			if err != nil {
				return nil, err
			}
			all, tags := newLists(size)
			return work(tags, func(n int) {
				for range n {
					if lists == 1 {
						k.Append(tags[:0], all[0]...)
					} else {
						k.SumBatch(tags[:0], all...)
					}
				}
			}), nil
		}), Entrant{Name: "x-crypto", Label: "x/crypto, composed", Start: func(size int) (*Work, error) {
			all, tags := newLists(size)
			return work(tags, func(n int) {
				for range n {
					for i, list := range all {
						xMultiMAC(tags[:32*i], key1, key2, list...)
					}
				}
			}), nil
		}}),
	}
	if lists > 1 {
		c.Name = fmt.Sprintf("%s-%d", c.Name, lists)
		c.Title = fmt.Sprintf("%s, %d lists at once", c.Title, lists)
		return c
	}
	c.Entrants = append(c.Entrants, Entrant{Name: "libsodium", Label: "libsodium, composed", Start: func(size int) (*Work, error) {
		all, tag := newLists(size)
		return work(tag, clib.Loop(clib.SodiumMultiMAC, clib.Work{Out: tag, Key: key1, More: key2, Nonce: all[0][0], Msg: all[0][1]})), nil
	}})
	return c
}

// xMultiMAC creates a state for each step, because x/crypto cannot change a state's
// key.
func xMultiMAC(dst, key1, key2 []byte, inputs ...[]byte) []byte {
	var t [32]byte
	key := key1
	for _, input := range inputs {
		xSum(t[:0], key, input)
		key = t[:]
	}
	return xSum(dst, key2, key)
}

func xSum(dst, key, msg []byte) []byte {
	h, err := xblake2b.New256(key)
	if err != nil {
		panic(err)
	}
	h.Write(msg)
	return h.Sum(dst)
}
