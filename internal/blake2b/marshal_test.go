// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"bytes"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestMarshalStale checks that a state as bytes has nothing of the blocks before the one that
// has begun: what is saved between two parts of a message may go elsewhere than the message.
func TestMarshalStale(t *testing.T) {
	msg := mactest.Random(600, 1)
	for _, piece := range []int{1, 50, 100, 127, 130} {
		s := New(32, nil)
		for at := 0; at+piece <= len(msg); at += piece {
			s.Write(msg[at : at+piece])
			block := s.AppendBinary(nil)[MarshaledSize-1-BlockSize:][:BlockSize]
			if n := s.n; !bytes.Equal(block[:n], s.buf[:n]) || !bytes.Equal(block[n:], make([]byte, BlockSize-n)) {
				t.Fatalf("in pieces of %d bytes, after %d: %x after the first %d bytes of the block", piece, at+piece, block[n:], n)
			}
		}
	}
}
