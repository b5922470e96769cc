// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
)

// nhNames are the variants of kernels, by numbers of streams.
var (
	nhNames    = []string{"1 stream", "2 streams", "3 streams", "4 streams"}
	nhVariants = map[string]int{"1 stream": 1, "2 streams": 2, "3 streams": 3, "4 streams": 4}
)

// nh are the kernels of package umac that hash one chunk.
var nh = []engine.Kernel{
	hashNH("internal/umac/nh_amd64.s", "nhSSE41"), hashNH("internal/umac/nh_amd64.s", "nhAVX2"), hashNH("internal/umac/nh_amd64.s", "nhAVX512"), hashNH("internal/umac/nh_arm64.s", "nhNEON"),
}

// nhKey declares the key in the order of package umac: row j has, as words of the machine,
// every second piece of 16 bytes of the key, from piece j on; rows that the streams do not need
// have anything. So a piece stands in several rows, and a kernel may read it from any of them. The
// key that is returned has the pieces one after the other, and is no memory of the kernel's.
func nhKey(c *engine.Case, streams int) (stored, key *machine.Object) {
	stored = c.Buffer("key", spec.NHKeySize)
	return stored, nhKeyIn(c, stored, streams)
}

// nhKeyIn is nhKey for a key with which an object begins.
func nhKeyIn(c *engine.Case, stored *machine.Object, streams int) (key *machine.Object) {
	const row = spec.NHGroups * 16
	key = c.Buffer("pieces", int64(2*spec.NHGroups+streams)*16)
	for j := range int64(streams + 1) {
		for at := int64(0); at < row; at += 4 {
			piece := 2*(at/16) + j
			stored.Set(j*row+at, c.Load(key, 16*piece+at%16, 4))
		}
	}
	return key
}

// hashNH stores the value of each stream for a chunk of any length.
func hashNH(file, name string) engine.Kernel {
	var values, stored, key, chunk *machine.Object
	return engine.Kernel{
		File: file, Func: name,
		Claim:    "the NH values of a chunk, padded with zeros, plus its length in bits",
		Variants: nhNames,
		Unit:     1, Min: 0, Max: spec.NHChunk,
		Setup: func(c *engine.Case) {
			values, chunk = engine.Writable(c.Buffer("values", 8*spec.NHStreams)), c.Bytes("chunk", c.N)
			stored, key = nhKey(c, nhVariants[c.Variant])
			c.Pointers(values, stored, chunk)
			c.Arg(c.N)
			c.Arg(c.Const(64, uint64(nhVariants[c.Variant])))
		},
		Spec: func(c *engine.Case, n int64, _ bool) {
			for s := range nhVariants[c.Variant] {
				c.Expect(values, int64(8*s), spec.NHValue(c.Store, key, chunk, 0, n, s))
			}
		},
	}
}
