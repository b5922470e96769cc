// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import "crypto/cipher"

// A Packet is one message of a batch.
type Packet struct {
	// Dst is where the result is appended, and then the result with what Dst had before.
	// Its spare capacity is used if it is enough: then nothing is allocated.
	Dst []byte

	// Nonce has the length that the AEAD says, and is another for each packet that is
	// sealed.
	Nonce []byte

	// Text is the plaintext to seal, or the ciphertext with its tag to open.
	Text []byte

	// AdditionalData is authenticated and not encrypted.
	AdditionalData []byte

	// OK reports whether OpenBatch found the packet authentic. SealBatch leaves it alone.
	OK bool
}

// SealBatch seals each packet: p.Dst = a.Seal(p.Dst, p.Nonce, p.Text, p.AdditionalData). Those
// of one call share a key, so that with the AEADs of [New] and [NewX] many short packets go
// through the lanes of the processor's vectors together. It works with any other AEAD, too.
//
// It panics where Seal would.
func SealBatch(a cipher.AEAD, packets []Packet) {
	for i := range packets {
		p := &packets[i]
		p.Dst = a.Seal(p.Dst, p.Nonce, p.Text, p.AdditionalData)
	}
}

// OpenBatch opens each packet like a.Open, appends the plaintexts to each Dst, and returns how
// many packets were authentic; each one's OK says whether it is. Of the others Dst is
// unchanged, and where their plaintexts would be are zeros, as after Open.
//
// It panics where Open would.
func OpenBatch(a cipher.AEAD, packets []Packet) (opened int) {
	for i := range packets {
		p := &packets[i]
		dst, err := a.Open(p.Dst, p.Nonce, p.Text, p.AdditionalData)
		if p.OK = err == nil; p.OK {
			p.Dst = dst
			opened++
		}
	}
	return opened
}
