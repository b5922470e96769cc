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
// slice. Each tag is the one that [Key.Sum] would return for the list. A list can be
// empty, and inputs can be any length. The appended tags must not overlap the inputs.
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
	b := batchPool.Get().(*batch)
	b.key, b.lists, b.tags = k, lists, dst[n:]
	for b.fill(); b.live > 0; b.fill() {
		b.step()
	}
	*b = batch{} // wipe the intermediate values
	batchPool.Put(b)
	return dst
}

// worthwhile reports whether hashing the lists in parallel is faster than hashing them
// one at a time. A kernel takes the same time no matter how many of its lanes are used,
// so hashing only two lists in parallel is faster only with a two-lane kernel.
func worthwhile(lists int) bool {
	return lists > 2 && blake2b.Lanes() > 1 || lists == 2 && blake2b.Lanes() == 2
}

// batchPool recycles batch values, which escape because kernels receive pointers.
var batchPool = sync.Pool{New: func() any { return new(batch) }}

// A batch is the state of one SumBatch call, which hashes the lists in steps. In each
// step, every active list hashes its next input or, after its last input, computes its
// tag. When a list is finished, the next list takes over its lane.
type batch struct {
	key   *Key
	lists [][][]byte
	tags  []byte
	next  int // index of the first list not yet started

	live    int              // number of chains in use
	chains  [batchSize]chain // chains that need a new key come first
	rekeyed int              // number of chains that need a new key

	states  [batchSize]blake2b.State
	keys    [batchSize][]byte
	inputs  [batchSize][]byte
	digests [batchSize * maxSize]byte
}

type chain struct {
	list      int
	processed int           // number of inputs processed
	t         [maxSize]byte // intermediate value after the processed inputs
}

func (b *batch) fill() {
	for b.live < batchSize && b.next < len(b.lists) {
		c := &b.chains[b.live]
		c.list, c.processed, c.t = b.next, 0, b.key.key1
		b.live++
		b.next++
	}
}

func (b *batch) step() {
	size := b.key.size
	b.partition()
	for i := range b.live {
		c := &b.chains[i]
		inputs := b.lists[c.list]
		b.keys[i] = c.t[:size]
		switch {
		case i < b.rekeyed:
			b.inputs[i] = inputs[c.processed]
		case c.processed == len(inputs):
			b.states[i], b.inputs[i] = b.key.final, c.t[:size]
		default:
			b.states[i], b.inputs[i] = b.key.initial, inputs[0]
		}
	}
	blake2b.NewAll(b.states[:b.rekeyed], size, b.keys[:b.rekeyed])
	blake2b.WriteAll(b.states[:b.live], b.inputs[:b.live])
	blake2b.SumAll(b.digests[:0], b.states[:b.live])

	live := b.live
	b.live = 0
	for i := range live {
		c, digest := b.chains[i], b.digests[i*size:(i+1)*size]
		if c.processed == len(b.lists[c.list]) {
			copy(b.tags[c.list*size:], digest)
			continue
		}
		c.processed++
		copy(c.t[:], digest)
		b.chains[b.live] = c
		b.live++
	}
}

// partition reorders chains so that the lists whose next hash is keyed with an
// intermediate value come first. One NewAll call can then initialize all of these
// hashes. The other hashes start from a state stored in the Key.
func (b *batch) partition() {
	b.rekeyed = 0
	for i := range b.live {
		c := &b.chains[i]
		if c.processed > 0 && c.processed < len(b.lists[c.list]) {
			b.chains[i], b.chains[b.rekeyed] = b.chains[b.rekeyed], b.chains[i]
			b.rekeyed++
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
	want := wantPool.Get().(*[verifySize * maxSize]byte)
	right := 1
	for len(lists) > 0 {
		n := min(len(lists), verifySize)
		k.SumBatch(want[:0], lists[:n]...)
		for i, tag := range tags[:n] {
			right &= subtle.ConstantTimeCompare(want[i*k.size:][:k.size], tag)
		}
		tags, lists = tags[n:], lists[n:]
	}
	clear(want[:])
	wantPool.Put(want)
	return right == 1
}

// verifySize is the number of tags that VerifyBatch computes at a time.
const verifySize = 4 * batchSize

// wantPool holds the buffers in which VerifyBatch computes the expected tags. Wipe a
// buffer before returning it to the pool. For a rejected list, the buffer contains the
// correct tag, and anyone who can read this tag can forge that list.
var wantPool = sync.Pool{New: func() any { return new([verifySize * maxSize]byte) }}
