// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"bytes"
	"crypto/aes"
	"encoding/binary"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestDerive compares with single blocks, at all lengths that keys have, and more.
func TestDerive(t *testing.T) {
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for _, size := range []int{16, 24, 32} {
			key := mactest.Random(size, 51)
			block, err := aes.NewCipher(key)
			if err != nil {
				t.Fatal(err)
			}
			var want []byte
			for i := range uint64(70) {
				in := binary.BigEndian.AppendUint64([]byte{0, 0, 0, 0, 0, 0, 1, 2}, i+1)
				block.Encrypt(in, in)
				want = append(want, in...)
			}
			var k kdf
			if err := k.set(key); err != nil {
				t.Fatal(err)
			}
			for n := range want {
				if got := k.derive(make([]byte, n), 0x0102); !bytes.Equal(got, want[:n]) {
					t.Fatalf("key of %d bytes: the first %d are %x, want %x", size, n, got, want[:n])
				}
			}
		}
	})
}
