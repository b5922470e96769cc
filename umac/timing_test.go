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
