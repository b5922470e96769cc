// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import (
	"bytes"
	"fmt"
	"testing"
)

// Empty checks that it makes no difference where what is empty lies, which kernels are told: at no address, as nil
// has none, or at the address of memory that others use. Call gets an empty slice, which it gives for all that may
// be empty, and returns all that it computes. It may store to memory, and not append to it.
func Empty(t *testing.T, name string, call func(empty []byte) []byte, memory ...[]byte) {
	t.Helper()
	want := call([]byte{})
	check := func(where string, empty []byte) {
		t.Helper()
		if got := call(empty); !bytes.Equal(got, want) {
			at := 0
			for at < min(len(got), len(want)) && got[at] == want[at] {
				at++
			}
			t.Errorf("%s of what is empty and %s differ from byte %d of %d on", name, where, at, len(want))
		}
	}
	check("nil", nil)
	for i, m := range append(memory, Random(64, 70)) {
		check(fmt.Sprintf("at the beginning of memory %d", i), m[:0:0])
		check(fmt.Sprintf("in memory %d", i), m[len(m)/2:len(m)/2])
	}
}
