// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"fmt"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/timing"
)

func TestTimingVerify(t *testing.T) {
	var tests []timing.Test
	for _, size := range []int{Size64, Size128} {
		k := mustKey(t, rfcKey, size)
		for _, n := range []int{64, 4096} {
			msg := mactest.Random(n, 31)
			tests = append(tests, timing.Tags(fmt.Sprintf("UMAC-%d Verify, %d bytes", 8*size, n),
				k.Sum(nil, rfcNonce, msg), func(tag []byte) bool { return k.Verify(tag, rfcNonce, msg) })...)
		}
	}
	timing.Run(t, tests, "umac")
}

func TestTimingSecrets(t *testing.T) {
	k := mustKey(t, rfcKey, Size64)
	tag := make([]byte, Size64)
	msg := mactest.Random(4096, 34)
	timing.Run(t, []timing.Test{
		timing.Fixed("UMAC-64 Sum, 64 bytes", 64, func(msg []byte) { k.Sum(tag[:0], rfcNonce, msg) }),
		timing.Fixed("UMAC-64 Sum, 4096 bytes", 4096, func(msg []byte) { k.Sum(tag[:0], rfcNonce, msg) }),
		timing.Fixed("UMAC-64 NewKey and Sum of 4096 bytes, key", KeySize, func(key []byte) {
			k, err := NewKey(key, Size64)
			if err != nil {
				t.Fatal(err)
			}
			k.Sum(tag[:0], rfcNonce, msg)
		}),
	}, "umac")
}

// TestZeroPanics checks that the methods of zero values panic as documented.
func TestZeroPanics(t *testing.T) {
	mactest.ZeroPanics(t, new(Key), "umac: Key without a key, use NewKey", "Format")
	mactest.ZeroPanics(t, new(MAC), "umac: MAC without a key, use Key.New", "Format", "BlockSize")
}

// TestFormat checks that package fmt prints no secret.
func TestFormat(t *testing.T) {
	var keys [2]*Key
	var macs [2]*MAC
	for i := range keys {
		keys[i] = mustKey(t, mactest.Random(KeySize, uint64(i)), Size64)
		macs[i] = keys[i].New(rfcNonce)
		macs[i].Write(mactest.Random(100, uint64(i)))
	}
	mactest.NothingPrinted(t, true, keys[0], keys[1])
	mactest.NothingPrinted(t, false, macs[0], macs[1])
}
