// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimac

import (
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestTagsWiped checks that VerifyBatch leaves no tag in the memory that it gives back: whoever
// reads a tag that was refused has a forgery.
func TestTagsWiped(t *testing.T) {
	k, err := NewKey(mactest.Random(32, 1), mactest.Random(32, 2))
	if err != nil {
		t.Fatal(err)
	}
	want := new([verified * maxSize]byte)
	mactest.Pooled(t, &wants, want)
	for _, n := range []int{1, 2, verified, verified + 1} {
		lists, tags := make([][][]byte, n), make([][]byte, n)
		for i := range tags {
			lists[i], tags[i] = [][]byte{{byte(i)}}, make([]byte, 32)
		}
		if k.VerifyBatch(tags, lists...) {
			t.Fatal("zeros are right")
		}
		if *want != [verified * maxSize]byte{} {
			t.Errorf("%d lists: tags are left", n)
		}
	}
}
