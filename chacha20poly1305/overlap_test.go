// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"crypto/cipher"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestOpenBatchOverlap opens packets in place and puts the output of one at every distance
// from the ciphertext of another, whose tag follows its own output: a search that ends at
// the first output in a ciphertext finds its own.
func TestOpenBatchOverlap(t *testing.T) {
	eachBatch(t, func(t *testing.T, a cipher.AEAD) {
		const n, length, size = 6, 40, 100
		for to := range 2 * size {
			memory, other := make([]byte, n*size), make([]byte, 3*size)
			packets := make([]Packet, n)
			for i := range packets {
				p, m := &packets[i], memory[i*size:]
				if i == 2 {
					m = other[size:]
				}
				p.Text, p.Dst, p.Nonce = m[:length+a.Overhead()], m[:0:length], make([]byte, a.NonceSize())
			}
			packets[4].Dst = other[to : to : to+length]
			panicked := mactest.Panic(func() { OpenBatch(a, packets) }) != ""
			if want := to+length > size && to < size+length+a.Overhead(); panicked != want {
				t.Errorf("output at %d, another packet's ciphertext at %d: panicked is %v", to, size, panicked)
			}
		}
	})
}

// TestBatchKeepsNothing checks that the pool keeps no key, packet or output alive.
func TestBatchKeepsNothing(t *testing.T) {
	eachBatch(t, func(t *testing.T, a cipher.AEAD) {
		packets := make([]Packet, 40)
		for i := range packets {
			packets[i] = Packet{Nonce: make([]byte, a.NonceSize()), Text: make([]byte, 100)}
		}
		SealBatch(a, packets)
		b := batchPool.Get().(*batch)
		if b.aead != nil || b.packets != nil || b.key != nil || b.lanes != nil {
			t.Error("an AEAD or packets are left")
		}
		for i := range b.results {
			if b.results[i] != nil {
				t.Error("an output is left")
			}
		}
		batchPool.Put(b)
	})
}
