// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"hash"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/timing"
)

// TestFormat checks that package fmt prints no secret.
func TestFormat(t *testing.T) {
	var hashes [2]hash.Hash
	var xofs [2]XOF
	for i := range hashes {
		hashes[i] = must(New512(mactest.Random(32, uint64(i))))
		xofs[i] = must(NewXOF(100, mactest.Random(32, uint64(i))))
		hashes[i].Write(mactest.Random(100, uint64(i)))
		xofs[i].Read(make([]byte, 1))
	}
	mactest.NothingPrinted(t, false, hashes[0], hashes[1])
	mactest.NothingPrinted(t, false, xofs[0], xofs[1])
}

func TestTimingSecrets(t *testing.T) {
	const n = 1000
	msg, key := mactest.Random(n, 31), mactest.Random(Size, 32)
	sums, out := make([]byte, 0, 5*Size), make([]byte, 8*Size)
	mac := func(key, msg []byte) {
		h := must(New512(key))
		h.Write(msg)
		sums = h.Sum(sums[:0])
	}
	batch := func(key, msg []byte) {
		sums, _ = SumBatch(sums[:0], Size, key, msg, msg[:300], msg[:300], msg[300:], msg)
	}
	xof := func(key, msg []byte) {
		x := must(NewXOF(OutputLengthUnknown, key))
		x.Write(msg)
		x.Read(out)
	}
	var tests []timing.Test
	for name, f := range map[string]func(key, msg []byte){"hash": mac, "SumBatch": batch, "XOF": xof} {
		tests = append(tests,
			timing.Fixed("blake2b "+name+", 1000 bytes, key", Size, func(key []byte) { f(key, msg) }),
			timing.Fixed("blake2b "+name+", 1000 bytes, message", n, func(msg []byte) { f(key, msg) }))
	}
	timing.Run(t, tests, "blake2b")
}
