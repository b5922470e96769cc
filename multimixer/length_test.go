// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import (
	"bytes"
	"encoding/binary"
	"math"
	"runtime"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestLength64 sets a MAC's length to 4 GiB less one chunk and continues from there.
func TestLength64(t *testing.T) {
	k := mustKey(t, testKey, Size256)
	m := k.New()
	m.length = 1<<32 - chunkSize
	msg := mactest.Random(chunkSize+5, 2)
	m.Write(msg)

	prf := k.prf
	prf.Write(refDigest(k.digestKey(chunkSize), msg[:chunkSize]))
	last := make([]byte, BlockSize)
	copy(last, msg[chunkSize:])
	prf.Write(refDigest(k.digestKey(BlockSize), last))
	prf.Write(binary.LittleEndian.AppendUint64(nil, 1<<32+5))
	if got, want := m.Sum(nil), prf.Sum(nil); !bytes.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
}

// TestBeyond4GiB checks that no length is truncated to 32 bits. The message consists of
// zeros, so all its whole chunks have the same digest.
func TestBeyond4GiB(t *testing.T) {
	if testing.Short() {
		t.Skip("hashing 4 GiB takes seconds, or minutes in an emulator")
	}
	const n = int64(4<<30 + 3*chunkSize + 5)
	k := mustKey(t, testKey, Size256)
	prf := k.prf
	digest := refDigest(k.digestKey(chunkSize), make([]byte, chunkSize))
	for range n / chunkSize {
		prf.Write(digest)
	}
	prf.Write(refDigest(k.digestKey(BlockSize), make([]byte, BlockSize)))
	prf.Write(binary.LittleEndian.AppendUint64(nil, uint64(n)))
	want := prf.Sum(nil)

	m, zeros := k.New(), make([]byte, 1<<20+1)
	for rest := n; rest > 0; {
		w, _ := m.Write(zeros[:min(rest, int64(len(zeros)))])
		rest -= int64(w)
	}
	if got := m.Sum(nil); !bytes.Equal(got, want) {
		t.Errorf("MAC = %x, want %x", got, want)
	}
	if math.MaxInt == math.MaxInt32 || runtime.GOARCH == "wasm" {
		return // a slice of this length is impossible
	}
	length := n // a variable, because the constant would not compile for 32-bit platforms
	if got := k.Sum(nil, mactest.Zeros(t, int(length))); !bytes.Equal(got, want) {
		t.Errorf("Sum = %x, want %x", got, want)
	}
}
