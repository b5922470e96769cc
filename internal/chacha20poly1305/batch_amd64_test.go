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

// checkWiped checks that g contains no secrets after end. The plaintext must not remain
// anywhere. All fields must be zero, except for those of lanes that contain only public
// data: rows, lengths, positions and the kind.
func checkWiped(t *testing.T, g group, what string, plaintext []byte) {
	t.Helper()
	switch l := g.(type) {
	case *lanes:
		if len(plaintext) >= 8 && bytes.Contains(bytesOf(l), plaintext) {
			t.Errorf("%s: plaintext remains", what)
		}
		left := *l
		left.length, left.rowAt, left.start, left.ad, left.blocks = [maxLanes]int{}, [maxLanes]uintptr{}, [maxLanes]uint64{}, [maxLanes]int{}, [maxLanes]int{}
		left.rows, left.kind = [maxLanes][rowBytes]byte{}, 0
		if left != (lanes{}) {
			t.Errorf("%s: keys, keystream, tags or pointers remain", what)
		}
	case *lanesAVX2:
		if !reflect.DeepEqual(l, new(lanesAVX2)) {
			t.Errorf("%s: the group is not all zero", what)
		}
	default:
		t.Fatalf("unknown group type %T", g)
	}
}

// bytesOf returns the memory of x as a slice.
func bytesOf[T any](x *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(x)), unsafe.Sizeof(*x)) }
