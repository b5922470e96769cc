// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"slices"
	"strconv"
	"sync"
	"unsafe"

	"github.com/unimac/unimac/internal/alias"
	kernel "github.com/unimac/unimac/internal/chacha20poly1305"
)

// A Packet is a message to seal or open in a batch.
type Packet struct {
	// The result is appended to Dst, and Dst is then set to the resulting slice. If its
	// spare capacity suffices, nothing is allocated. If OpenBatch rejects the packet,
	// Dst does not change.
	//
	// To work in place, set Dst to Text[:0]. To reuse the memory of an earlier result,
	// set Dst to Dst[:0]. The existing content of Dst may overlap another packet's
	// output, for example if results are adjacent in one buffer with enough capacity.
	// If the capacity does not suffice, the existing content is copied, before or after
	// the other packet is processed.
	Dst []byte

	// Nonce must be NonceSize() bytes long and must never be reused with the same key.
	// It may overlap this packet's own output.
	Nonce []byte

	// Text is the plaintext to seal, or the ciphertext and tag to open.
	Text []byte

	// AdditionalData is authenticated but not encrypted.
	AdditionalData []byte

	// OK reports whether OpenBatch found the packet authentic. SealBatch does not
	// change it.
	OK bool
}

// errBatch is returned by OpenBatch.
var errBatch = errors.New("chacha20poly1305: message authentication failed for a packet of the batch")

// SealBatch seals each packet: p.Dst = a.Seal(p.Dst, p.Nonce, p.Text,
// p.AdditionalData). If a is an AEAD from this package, kernels process several packets
// at once in the lanes of vectors, which is faster for short packets. SealBatch also
// accepts any other AEAD.
//
// SealBatch panics if Seal would panic, or if an output overlaps the output, text,
// nonce or additional data of another packet. If a is an AEAD from this package, no
// packet has been sealed when SealBatch panics.
func SealBatch(a cipher.AEAD, packets []Packet) {
	if len(packets) == 1 {
		sealEach(a, packets) // Seal performs the same checks as prepare
		return
	}
	b := kernel.Batch{AEAD: a}
	prepare(&b, packets)
	random, ok := a.(*randomNonceAEAD)
	switch {
	case !ok && len(packets) < kernel.MinGroup:
		sealEach(a, packets)
		return
	case !ok:
		b.Run(asKernels(packets))
		return
	}
	memory := noncesPool.Get().(*[]byte)
	*memory = slices.Grow((*memory)[:0], NonceSizeX*len(packets))[:NonceSizeX*len(packets)]
	rand.Read(*memory)
	b.AEAD, b.Random = (*givenNonceAEAD)(random), *memory
	b.Run(asKernels(packets))
	noncesPool.Put(memory)
}

func sealEach(a cipher.AEAD, packets []Packet) {
	for i := range packets {
		p := &packets[i]
		p.Dst = a.Seal(p.Dst, p.Nonce, p.Text, p.AdditionalData)
	}
}

var noncesPool = sync.Pool{New: func() any { return new([]byte) }}

// OpenBatch opens each packet like a.Open, appends each plaintext to the packet's Dst,
// and returns how many packets are authentic. If a packet fails authentication,
// OpenBatch sets the packet's OK to false and returns an error after it has processed
// all packets. It does not change the packet's Dst, but may fill the memory for the
// packet's plaintext with zeros, as Open does.
//
// OpenBatch panics if Open would panic, or if buffers overlap as described for
// [SealBatch].
func OpenBatch(a cipher.AEAD, packets []Packet) (opened int, err error) {
	if len(packets) == 1 {
		opened = openEach(a, packets) // Open performs the same checks as prepare
	} else {
		b := kernel.Batch{AEAD: a, Opening: true}
		if prepare(&b, packets); len(packets) < kernel.MinGroup {
			opened = openEach(a, packets)
		} else {
			b.Run(asKernels(packets))
			opened = b.Opened
		}
	}
	if opened < len(packets) {
		return opened, errBatch
	}
	return opened, nil
}

// openEach opens the packets one at a time and returns how many are authentic.
func openEach(a cipher.AEAD, packets []Packet) (opened int) {
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

// asKernels converts packets without copying them. It compiles only if the two Packet
// types have the same fields.
func asKernels(packets []Packet) []kernel.Packet {
	return unsafe.Slice((*kernel.Packet)(unsafe.SliceData(packets)), len(packets))
}

// prepare validates packets and sets the fields of b that depend on b.AEAD.
func prepare(b *kernel.Batch, packets []Packet) {
	nonceSize := 0
	b.Tag = Overhead
	switch a := b.AEAD.(type) {
	case *chachaAEAD:
		b.Kind, b.Key, nonceSize = kernel.ChaCha20, &a.key, NonceSize
	case *xchachaAEAD:
		b.Kind, b.Key, nonceSize = kernel.XChaCha20, &a.key, NonceSizeX
	case *randomNonceAEAD:
		b.Kind, b.Key, b.Front = kernel.XChaCha20, &a.key, NonceSizeX
	case *sivAEAD:
		b.Kind, b.Key, b.Tag, nonceSize = kernel.SIV, &a.key, OverheadSIV, NonceSizeSIV
	default:
		b.Tag = a.Overhead()
	}
	overhead := b.Front + b.Tag
	// Panic if Seal or Open would panic for one of the packets.
	for i := 0; i < len(packets) && b.Key != nil; i++ {
		if p := &packets[i]; b.Opening {
			checkOpen(len(p.Nonce), nonceSize, len(p.Text), overhead)
		} else {
			checkSeal(len(p.Nonce), nonceSize, len(p.Text))
		}
	}
	more, tail := overhead, 0
	if b.Opening {
		// A plaintext may overlap its own tag, except with random nonces.
		if more = -overhead; b.Front == 0 {
			tail = overhead
		}
	}
	// Also panic if a packet's output overlaps a buffer of another packet.
	if what := alias.Overlapping(asKernels(packets), more, tail); what != "" {
		for i := range packets {
			if p := &packets[i]; len(p.Text) > 0 && alias.Overlap(p.Dst, p.Text) {
				panic("chacha20poly1305: Dst of packet " + strconv.Itoa(i) + " contains its Text, want Text[:0] to work in place")
			}
		}
		panic("chacha20poly1305: invalid buffer overlap of " + what)
	}
}
