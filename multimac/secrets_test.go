// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimac

import (
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/timing"
)

func TestTimingVerify(t *testing.T) {
	k := mustKey(t, mactest.Random(32, 1), mactest.Random(32, 2))
	first, second := mactest.Random(16, 3), mactest.Random(200, 4)
	timing.Run(t, timing.Tags("MultiMAC Verify, 16 and 200 bytes", k.Sum(first, second),
		func(tag []byte) bool { return k.Verify(tag, first, second) }), "blake2b")
}

func TestTimingSecrets(t *testing.T) {
	key1, key2 := mactest.Random(32, 1), mactest.Random(32, 2)
	k := mustKey(t, key1, key2)
	tag := make([]byte, 0, 8*32)
	first, second := mactest.Random(16, 3), mactest.Random(200, 4)
	lists := make([][][]byte, 8)
	timing.Run(t, []timing.Test{
		timing.Fixed("MultiMAC Sum, 16 and 200 bytes", 216, func(in []byte) { k.Append(tag, in[:16], in[16:]) }),
		timing.Fixed("MultiMAC SumBatch, 8 lists of 100 bytes", 800, func(in []byte) {
			for i := range lists {
				lists[i] = append(lists[i][:0], in[100*i:][:100])
			}
			k.SumBatch(tag, lists...)
		}),
		timing.Fixed("MultiMAC NewKey and Sum of 16 and 200 bytes, first key", 32, func(key []byte) {
			k, err := NewKey(key, key2)
			if err != nil {
				t.Fatal(err)
			}
			k.Append(tag, first, second)
		}),
	}, "blake2b")
}

// TestTagsWiped checks that VerifyBatch leaves no tag in pooled memory, because the
// correct tag of a rejected list would be a forgery.
func TestTagsWiped(t *testing.T) {
	k, err := NewKey(mactest.Random(32, 1), mactest.Random(32, 2))
	if err != nil {
		t.Fatal(err)
	}
	want := new([verifySize * maxSize]byte)
	mactest.Pooled(t, &wantPool, want)
	for _, n := range []int{1, 2, verifySize, verifySize + 1} {
		lists, tags := make([][][]byte, n), make([][]byte, n)
		for i := range tags {
			lists[i], tags[i] = [][]byte{{byte(i)}}, make([]byte, 32)
		}
		if k.VerifyBatch(tags, lists...) {
			t.Fatal("VerifyBatch accepts tags of zeros")
		}
		if *want != [verifySize * maxSize]byte{} {
			t.Errorf("%d lists: pooled memory contains tags, want zeros", n)
		}
	}
}

// TestZeroPanics checks that the methods of zero values panic as documented.
func TestZeroPanics(t *testing.T) {
	mactest.ZeroPanics(t, new(Key), "multimac: Key without keys, use NewKey", "Format")
	mactest.ZeroPanics(t, new(MAC), "multimac: MAC without a key, use Key.New", "Format", "BlockSize")
}

// TestFormat checks that package fmt prints no secret.
func TestFormat(t *testing.T) {
	var keys [2]*Key
	var macs [2]*MAC
	for i := range keys {
		keys[i] = mustKey(t, mactest.Random(Size256, uint64(i)), mactest.Random(Size256, uint64(i+2)))
		macs[i] = keys[i].New()
		macs[i].Write(mactest.Random(100, uint64(i)))
	}
	mactest.NothingPrinted(t, true, keys[0], keys[1])
	mactest.NothingPrinted(t, false, macs[0], macs[1])
}
