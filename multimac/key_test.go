// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimac

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

func TestKeyErrors(t *testing.T) {
	valid := func(n int) bool { return n == 32 || n == 48 || n == 64 }
	for n1 := range 130 {
		for n2 := range 130 {
			want := "<nil>"
			switch {
			case !valid(n1):
				want = fmt.Sprintf("multimac: key1 of %d bytes, want 32, 48 or 64", n1)
			case !valid(n2):
				want = fmt.Sprintf("multimac: key2 of %d bytes, want 32, 48 or 64", n2)
			case n1 != n2:
				want = fmt.Sprintf("multimac: keys of %d and %d bytes, want equal lengths", n1, n2)
			}
			k, err := NewKey(mactest.Random(n1, 1), mactest.Random(n2, 2))
			if fmt.Sprint(err) != want || (k == nil) != (err != nil) {
				t.Errorf("keys of %d and %d bytes: got error %v, want %s", n1, n2, err, want)
			}
			if k != nil && (k.Size() != n1 || k.New().Size() != n1 || k.New().BlockSize() != 128) {
				t.Errorf("keys of %d bytes: Key.Size = %d, MAC.Size = %d, BlockSize = %d, want %d, %d, 128", n1, k.Size(), k.New().Size(), k.New().BlockSize(), n1, n1)
			}
		}
	}
	for _, size := range sizes {
		key1 := mactest.Random(size, 1)
		if k, err := NewKey(key1, bytes.Clone(key1)); k != nil || fmt.Sprint(err) != "multimac: key1 and key2 are equal, want independent keys" {
			t.Errorf("equal keys: got error %v, want nil Key and an error", err)
		}
	}
}

// TestKeyKept checks that NewKey keeps no reference to its arguments.
func TestKeyKept(t *testing.T) {
	key1, key2 := testKeys(32)
	want := [][]byte{refMAC(t, key1, key2), refMAC(t, key1, key2, []byte("a"))}
	k := mustKey(t, key1, key2)
	clear(key1)
	clear(key2)
	if !k.Verify(want[0]) || !k.Verify(want[1], []byte("a")) {
		t.Error("clearing the caller's keys changed the Key")
	}
}

// TestZeroValues checks that no tag verifies under a zero Key.
func TestZeroValues(t *testing.T) {
	for _, n := range []int{0, 32, 48, 64} {
		mactest.NeverTrue(t, "Key.Verify", func() bool { return new(Key).Verify(make([]byte, n)) })
		mactest.NeverTrue(t, "Key.Verify", func() bool { return new(Key).Verify(make([]byte, n), []byte("a")) })
		mactest.NeverTrue(t, "MAC.Verify", func() bool { return new(MAC).Verify(make([]byte, n)) })
		mactest.NeverTrue(t, "new(Key).New().Verify", func() bool { return new(Key).New().Verify(make([]byte, n)) })
		mactest.NeverTrue(t, "SumBatch", func() bool { return len(new(Key).SumBatch(nil, nil, nil)) == 0 })
	}
}
