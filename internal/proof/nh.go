// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// The numbers of RFC 4418, section 5.2.
const (
	nhChunk   = 1024 // bytes under one NH value
	nhGroup   = 32   // bytes that are multiplied with each other
	nhGroups  = nhChunk / nhGroup
	nhStreams = 4
	nhKeySize = (nhStreams + 1) * nhGroups * 16 // as package umac keeps it
)

// nhNames are the variants of kernels, by numbers of streams.
var (
	nhNames    = []string{"1 stream", "2 streams", "3 streams", "4 streams"}
	nhVariants = map[string]int{"1 stream": 1, "2 streams": 2, "3 streams": 3, "4 streams": 4}
)

// nhBits is how many bits a byte has: NH's value gets the chunk's length in bits.
var nhBits uint64 = 8

// nh are the kernels of package umac that hash one chunk.
var nh = []Kernel{
	hashNH("internal/umac/nh_amd64.s", "nhAVX2"), hashNH("internal/umac/nh_amd64.s", "nhAVX512"), hashNH("internal/umac/nh_arm64.s", "nhNEON"),
}

// nhKey declares the key in the order of package umac: row j has, as words of the machine,
// every second piece of 16 bytes of the key, from piece j on; rows that the streams do not need
// have anything. So a piece stands in several rows, and a kernel may read it from any of them. The
// key that is returned has the pieces one after the other, and is no memory of the kernel's.
func (c *Case) nhKey(streams int) (stored, key *machine.Object) {
	stored = c.Buffer("key", nhKeySize)
	return stored, c.nhKeyIn(stored, streams)
}

// nhKeyIn is nhKey for a key with which an object begins.
func (c *Case) nhKeyIn(stored *machine.Object, streams int) (key *machine.Object) {
	const row = nhGroups * 16
	key = c.Buffer("pieces", int64(2*nhGroups+streams)*16)
	for j := range int64(streams + 1) {
		for at := int64(0); at < row; at += 4 {
			piece := 2*(at/16) + j
			stored.Set(j*row+at, c.Load(key, 16*piece+at%16, 4))
		}
	}
	return key
}

// nhWord returns a word of a chunk of n bytes, which zeros follow.
func (c *Case) nhWord(chunk *machine.Object, at, n int64) term.Term {
	var b [4]term.Byte
	for i := range b {
		if at+int64(i) < n {
			b[i] = chunk.Initial(at + int64(i))
		} else {
			b[i] = term.ConstByte(0)
		}
	}
	return c.Gather(b[:])
}

// nhValue returns the value of a stream for a chunk of n bytes (RFC 4418, section 5.2.2):
// the key of stream s is that from byte 16·s on.
func (c *Case) nhValue(key, chunk *machine.Object, at, n int64, stream int) term.Term {
	var products []term.Term
	var ones []uint64
	first := int64(0)
	type groups struct {
		key, chunk *machine.Object
		at         int64
		stream     int
	}
	of := groups{key, chunk, at, stream}
	sums, ok := c.Memo[of].([]term.Term) // of so many whole groups
	if !ok {
		sums = []term.Term{c.Const(64, 0)}
	}
	if first = n / nhGroup; first > 0 {
		for int64(len(sums)) <= first {
			sums = append(sums, c.Add(sums[len(sums)-1], c.nhGroupSum(key, chunk, at, int64(len(sums))-1, stream)))
		}
		c.Memo[of] = sums
		products, ones = append(products, sums[first]), append(ones, 1)
	}
	for group := first; group*nhGroup < max(n, 1); group++ {
		for i := range int64(4) {
			m, k := group*nhGroup+4*i, group*nhGroup+16*int64(stream)+4*i
			a := c.Add(c.nhWord(chunk, at+m, at+n), c.Load(key, k, 4))
			b := c.Add(c.nhWord(chunk, at+m+16, at+n), c.Load(key, k+16, 4))
			products, ones = append(products, c.Mul(c.Extend(a, 64), c.Extend(b, 64))), append(ones, 1)
		}
	}
	return c.Linear(64, nhBits*uint64(n), products, ones)
}

// nhGroupSum returns the products of a group that is whole.
func (c *Case) nhGroupSum(key, chunk *machine.Object, at, group int64, stream int) term.Term {
	sum := c.Const(64, 0)
	for i := range int64(4) {
		m, k := group*nhGroup+4*i, group*nhGroup+16*int64(stream)+4*i
		a := c.Add(c.nhWord(chunk, at+m, at+m+32), c.Load(key, k, 4))
		b := c.Add(c.nhWord(chunk, at+m+16, at+m+32), c.Load(key, k+16, 4))
		sum = c.Add(sum, c.Mul(c.Extend(a, 64), c.Extend(b, 64)))
	}
	return sum
}

// hashNH stores the value of each stream for a chunk of any length.
func hashNH(file, name string) Kernel {
	var values, stored, key, chunk *machine.Object
	return Kernel{
		File: file, Func: name,
		Claim:    "the NH values of a chunk, padded with zeros, plus its length in bits",
		Variants: nhNames,
		Unit:     1, Min: 0, Max: nhChunk,
		Setup: func(c *Case) {
			values, chunk = Writable(c.Buffer("values", 8*nhStreams)), c.Bytes("chunk", c.N)
			stored, key = c.nhKey(nhVariants[c.Variant])
			c.Pointers(values, stored, chunk)
			c.Arg(c.N)
			c.Arg(c.Const(64, uint64(nhVariants[c.Variant])))
		},
		Spec: func(c *Case, n int64, _ bool) {
			for s := range nhVariants[c.Variant] {
				c.Expect(values, int64(8*s), c.nhValue(key, chunk, 0, n, s))
			}
		},
	}
}
