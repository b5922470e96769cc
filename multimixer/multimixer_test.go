// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import (
	"bytes"
	"errors"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/vectors"
)

func TestDigestVectors(t *testing.T) {
	type test struct {
		Key, Digest vectors.Hex
		Msg         vectors.Message
	}
	tests := vectors.Load[test](t, "multimixer128.json")
	mactest.Implementations(t, "multimixer", func(t *testing.T) {
		for _, v := range tests {
			var digest [DigestSize]byte
			if err := Digest(&digest, v.Key, v.Msg.Bytes()); err != nil || !bytes.Equal(digest[:], v.Digest) {
				t.Errorf("%d bytes: %x, %v, want %x", len(v.Key), digest, err, v.Digest)
			}
		}
	})
}

func TestDigestErrors(t *testing.T) {
	filled, zeros := [DigestSize]byte(bytes.Repeat([]byte{0xee}, DigestSize)), make([]byte, 300)
	mactest.Implementations(t, "multimixer", func(t *testing.T) {
		for k := range 300 {
			for m := range 300 {
				digest := filled
				err := Digest(&digest, zeros[:k], zeros[:m])
				if ok := k == m && k > 0 && k%BlockSize == 0; ok {
					if err != nil || digest != [DigestSize]byte{} {
						t.Errorf("key of %d bytes, message of %d: %v, digest %x", k, m, err, digest)
					}
				} else if !errors.Is(err, ErrLength) || digest != filled {
					t.Errorf("key of %d bytes, message of %d: error %v, digest %x", k, m, err, digest)
				}
			}
		}
	})
}

func TestDigestAllocations(t *testing.T) {
	mactest.Implementations(t, "multimixer", func(t *testing.T) {
		for _, n := range []int{BlockSize, 8192} {
			key, msg := mactest.Random(n, 11), mactest.Random(n, 12)
			mactest.NoAllocations(t, "Digest", func() {
				var digest [DigestSize]byte
				if Digest(&digest, key, msg) != nil || Digest(&digest, key, msg[1:]) == nil {
					t.Error("wrong error")
				}
			})
		}
		mactest.NoAllocations(t, "F128", func() {
			x := [8]uint32{1, 2, 3, 4, 5, 6, 7, 8}
			F128(&x)
		})
	})
}
