// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"testing"

	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
)

func TestKeyAllocations(t *testing.T) {
	for _, size := range sizes {
		k := mustKey(t, rfcKey, size)
		m := k.New(rfcNonce)
		for _, n := range []int{0, 32, 1024, 5000} {
			msg := mactest.Random(n, 4)
			good := k.Sum(nil, rfcNonce, msg)
			mactest.NoAllocations(t, "Key.Sum into an array", func() {
				var tag [Size128]byte
				if !bytes.Equal(k.Sum(tag[:0], rfcNonce, msg), good) {
					t.Error("Key.Sum: got wrong tag")
				}
			})
			mactest.NoAllocations(t, "Key.Verify", func() {
				if !k.Verify(good, rfcNonce, msg) {
					t.Error("Key.Verify of the correct tag = false, want true")
				}
			})
			mactest.NoAllocations(t, "New, where the MAC does not escape", func() {
				m := k.New(rfcNonce)
				m.Write(msg)
				var tag [Size128]byte
				if !bytes.Equal(m.Sum(tag[:0]), good) {
					t.Error("MAC.Sum: got wrong tag")
				}
			})
			var counter uint64
			mactest.NoAllocations(t, "MAC.ResetNonce", func() {
				counter++
				var nonce [8]byte
				binary.BigEndian.PutUint64(nonce[:], counter)
				m.ResetNonce(nonce[:])
				m.Write(msg)
				var tag [Size128]byte
				m.Verify(m.Sum(tag[:0]))
			})
		}
	}
}

// TestNewKeyAllocations limits NewKey to four allocations, or three if a kernel expands
// the key.
func TestNewKeyAllocations(t *testing.T) {
	mactest.Implementations(t, "umac", func(t *testing.T) {
		limit := 4.0
		if name := dispatch.InUse("umac"); name == "avx512aes" || name == "avx2aes" {
			limit = 3
		}
		if runtime.GOARCH == "s390x" {
			limit += 2 // crypto/aes has its own cipher type for s390x
		}
		if got := testing.AllocsPerRun(100, func() { mustKey(t, rfcKey, Size64) }); got > limit {
			t.Errorf("NewKey: %v allocations, want at most %v", got, limit)
		}
	})
}
