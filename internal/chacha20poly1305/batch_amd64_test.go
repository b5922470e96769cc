// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"bytes"
	"reflect"
	"testing"
	"unsafe"
)

// checkWiped looks for what a group left after end: plaintext anywhere, and anything at all except
// in the rows, which are sent, and in lengths and places.
func checkWiped(t *testing.T, g group, what string, plaintext []byte) {
	t.Helper()
	switch l := g.(type) {
	case *lanes:
		if len(plaintext) >= 8 && bytes.Contains(bytesOf(l), plaintext) {
			t.Errorf("%s: plaintext is left", what)
		}
		left := *l
		left.length, left.rowAt, left.start, left.ad, left.blocks = [maxLanes]int{}, [maxLanes]uintptr{}, [maxLanes]uint64{}, [maxLanes]int{}, [maxLanes]int{}
		left.rows, left.kind, left.last = [maxLanes][rowBytes]byte{}, 0, [2][maxLanes]uint32{}
		if left != (lanes{}) {
			t.Errorf("%s: keys, key stream, tags or pointers are left", what)
		}
	case *lanesAVX2:
		if !reflect.DeepEqual(l, new(lanesAVX2)) {
			t.Errorf("%s: something is left", what)
		}
	default:
		t.Fatalf("%T is unknown", g)
	}
}

// bytesOf is the memory of x.
func bytesOf[T any](x *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(x)), unsafe.Sizeof(*x)) }
