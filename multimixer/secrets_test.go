// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import (
	"fmt"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/timing"
)

var timed = []string{"multimixer", "blake2b", "chacha20"}

func TestTimingVerify(t *testing.T) {
	k := mustKey(t, testKey, 32)
	var tests []timing.Test
	for _, n := range []int{64, 4096} {
		msg := mactest.Random(n, 31)
		tests = append(tests, timing.Tags(fmt.Sprintf("Multimixer-128 MAC Verify, %d bytes", n),
			k.Sum(nil, msg), func(tag []byte) bool { return k.Verify(tag, msg) })...)
	}
	timing.Run(t, tests, timed...)
}

// TestTimingSecrets includes messages of zeros, because some multipliers are faster for
// zero operands.
func TestTimingSecrets(t *testing.T) {
	const n = 1024
	k := mustKey(t, testKey, 32)
	random, zeros := mactest.Random(n, 32), make([]byte, n)
	var digest [DigestSize]byte
	block := random[:BlockSize]
	tag := make([]byte, 32)
	timing.Run(t, []timing.Test{
		timing.Fixed("Multimixer-128 Digest, 32 bytes", BlockSize, func(msg []byte) { Digest(&digest, block, msg) }),
		timing.Fixed("Multimixer-128 Digest, 1024 bytes", n, func(msg []byte) { Digest(&digest, random, msg) }),
		timing.Fixed("Multimixer-128 Digest, 1024 bytes, key of a message of zeros", n, func(key []byte) { Digest(&digest, key, zeros) }),
		timing.Fixed("Multimixer-128 MAC Sum, 1000 bytes", 1000, func(msg []byte) { k.Sum(tag[:0], msg) }),
		timing.Fixed("Multimixer-128 NewKey and Sum of 1024 bytes, key", KeySize, func(key []byte) {
			k, err := NewKey(key, 32)
			if err != nil {
				t.Fatal(err)
			}
			k.Sum(tag[:0], random)
		}),
	}, timed...)
}

// TestZeroPanics checks that the methods of zero values panic as documented.
func TestZeroPanics(t *testing.T) {
	mactest.ZeroPanics(t, new(Key), "multimixer: Key without a key, use NewKey", "Format")
	mactest.ZeroPanics(t, new(MAC), "multimixer: MAC without a key, use Key.New", "Format", "BlockSize")
}

// TestFormat checks that package fmt prints no secret.
func TestFormat(t *testing.T) {
	var keys [2]*Key
	var macs [2]*MAC
	for i := range keys {
		keys[i] = mustKey(t, mactest.Random(KeySize, uint64(i)), Size256)
		macs[i] = keys[i].New()
		macs[i].Write(mactest.Random(100, uint64(i)))
	}
	mactest.NothingPrinted(t, true, keys[0], keys[1])
	mactest.NothingPrinted(t, false, macs[0], macs[1])
}
