// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimac

import (
	"crypto/subtle"
	"slices"
	"strconv"
	"sync"

	"github.com/unimac/unimac/internal/blake2b"
)

// batchSize is the number of lists hashed at once, one per lane of the widest BLAKE2b
// kernel.
const batchSize = 8

// SumBatch appends the tags of the lists to dst in order and returns the resulting
// slice. Each tag equals the tag that [Key.Sum] returns for the list. A list can be
// empty, and inputs can be any length. The appended tags must not overlap an input.
func (k *Key) SumBatch(dst []byte, lists ...[][]byte) []byte {
	k.mustBeMade()
	if !worthwhile(len(lists)) {
		for _, inputs := range lists {
			dst = k.Append(dst, inputs...)
		}
		return dst
	}
	n := len(dst)
	dst = slices.Grow(dst, len(lists)*k.size)[:n+len(lists)*k.size]
	b := batches.Get().(*batch)
	b.key, b.lists, b.tags = k, lists, dst[n:]
	for b.fill(); b.live > 0; b.fill() {
		b.step()
	}
	*b = batch{} // wipe the intermediate values
	batches.Put(b)
	return dst
}

// worthwhile reports whether hashing the lists in parallel is faster than hashing them
// one at a time. A kernel takes the same time however many of its lanes are used, so
// two lists are worthwhile only for a two-lane kernel.
func worthwhile(lists int) bool {
	return lists > 2 && blake2b.Lanes() > 1 || lists == 2 && blake2b.Lanes() == 2
}

// batches recycles batch values, which escape because kernels receive pointers.
var batches = sync.Pool{New: func() any { return new(batch) }}

// A batch is the state of one SumBatch call. For every list in progress, each step
// hashes the next input or, after the last input, computes the tag. When a list is
// finished, the next list takes over its lane.
type batch struct {
	key   *Key
	lists [][][]byte
	tags  []byte
	next  int // index of the first list not yet started

	live  int              // number of chains in use
	work  [batchSize]chain // chains that need a new key come first
	keyed int              // number of chains that need a new key

	states  [batchSize]blake2b.State
	keys    [batchSize][]byte
	inputs  [batchSize][]byte
	digests [batchSize * maxSize]byte
}

type chain struct {
	list  int
	taken int           // number of inputs processed
	t     [maxSize]byte // intermediate value after the processed inputs
}

func (b *batch) fill() {
	for b.live < batchSize && b.next < len(b.lists) {
		c := &b.work[b.live]
		c.list, c.taken, c.t = b.next, 0, b.key.chain
		b.live++
		b.next++
	}
}

func (b *batch) step() {
	size := b.key.size
	b.order()
	for i := range b.live {
		c := &b.work[i]
		inputs := b.lists[c.list]
		b.keys[i] = c.t[:size]
		switch {
		case i < b.keyed:
			b.inputs[i] = inputs[c.taken]
		case c.taken == len(inputs):
			b.states[i], b.inputs[i] = b.key.last, c.t[:size]
		default:
			b.states[i], b.inputs[i] = b.key.first, inputs[0]
		}
	}
	blake2b.NewAll(b.states[:b.keyed], size, b.keys[:b.keyed])
	blake2b.WriteAll(b.states[:b.live], b.inputs[:b.live])
	blake2b.SumAll(b.digests[:0], b.states[:b.live])

	live := b.live
	b.live = 0
	for i := range live {
		c, digest := b.work[i], b.digests[i*size:(i+1)*size]
		if c.taken == len(b.lists[c.list]) {
			copy(b.tags[c.list*size:], digest)
			continue
		}
		c.taken++
		copy(c.t[:], digest)
		b.work[b.live] = c
		b.live++
	}
}

// order moves the lists whose next hash is keyed with an intermediate value to the
// front of work. The hashes of the other lists start from a state stored in the Key.
func (b *batch) order() {
	b.keyed = 0
	for i := range b.live {
		c := &b.work[i]
		if c.taken > 0 && c.taken < len(b.lists[c.list]) {
			b.work[i], b.work[b.keyed] = b.work[b.keyed], b.work[i]
			b.keyed++
		}
	}
}

// VerifyBatch reports whether tags[i] is the tag of lists[i] for every i. It returns
// true for an empty batch. It returns false if any tag has the wrong length. It
// compares tags in constant time.
//
// VerifyBatch panics unless tags and lists have the same number of elements.
func (k *Key) VerifyBatch(tags [][]byte, lists ...[][]byte) bool {
	k.mustBeMade()
	if len(tags) != len(lists) {
		panic("multimac: " + strconv.Itoa(len(tags)) + " tags for " + strconv.Itoa(len(lists)) + " lists")
	}
	for _, tag := range tags {
		if len(tag) != k.size {
			return false
		}
	}
	want := wants.Get().(*[verified * maxSize]byte)
	right := 1
	for len(lists) > 0 {
		n := min(len(lists), verified)
		k.SumBatch(want[:0], lists[:n]...)
		for i, tag := range tags[:n] {
			right &= subtle.ConstantTimeCompare(want[i*k.size:][:k.size], tag)
		}
		tags, lists = tags[n:], lists[n:]
	}
	clear(want[:])
	wants.Put(want)
	return right == 1
}

// verified is the number of tags that VerifyBatch computes at a time.
const verified = 4 * batchSize

// wants recycles the buffers of VerifyBatch. Wipe a buffer before returning it to the
// pool: anyone who reads the correct tag of a rejected list can forge that list.
var wants = sync.Pool{New: func() any { return new([verified * maxSize]byte) }}
