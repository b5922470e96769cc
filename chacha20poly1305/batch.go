// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"unsafe"

	"github.com/unimac/unimac/internal/alias"
	kernel "github.com/unimac/unimac/internal/chacha20poly1305"
)

// A Packet is one message of a batch.
type Packet struct {
	// Dst is where the result is appended, and then the result with what Dst had before.
	// Its spare capacity is used if it is enough: then nothing is allocated. Of a packet that
	// OpenBatch refuses, Dst stays as it was. To use the memory of a result again, set Dst to
	// Dst[:0]. What Dst has already may be in another packet's output, as where results lie one
	// after the other in one buffer, if there is room: without, it is copied, before or after
	// the other packet is done.
	Dst []byte

	// Nonce has the AEAD's nonce size. Each packet that is sealed needs a different one.
	Nonce []byte

	// Text is the plaintext to seal, or the ciphertext with its tag to open.
	Text []byte

	// AdditionalData is authenticated and not encrypted.
	AdditionalData []byte

	// OK reports whether OpenBatch found the packet authentic. SealBatch leaves it alone.
	OK bool
}

// errRefused is the error of OpenBatch.
var errRefused = errors.New("chacha20poly1305: message authentication failed for a packet of the batch")

// SealBatch seals each packet: p.Dst = a.Seal(p.Dst, p.Nonce, p.Text, p.AdditionalData). Packets
// for the AEADs of this package share a key, so if there is a kernel for it, the lanes of the
// processor's vectors work on several at once. Any other AEAD works, too.
//
// It panics where Seal would, and if an output overlaps another packet's output, text, nonce or
// additional data. Then no packet is sealed, except with an AEAD of another package.
func SealBatch(a cipher.AEAD, packets []Packet) {
	if len(packets) == 1 {
		sealEach(a, packets) // Seal checks what check does
		return
	}
	b := kernel.Batch{AEAD: a}
	check(&b, packets)
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

// sealEach seals one packet after the other.
func sealEach(a cipher.AEAD, packets []Packet) {
	for i := range packets {
		p := &packets[i]
		p.Dst = a.Seal(p.Dst, p.Nonce, p.Text, p.AdditionalData)
	}
}

// noncesPool spares allocations.
var noncesPool = sync.Pool{New: func() any { return new([]byte) }}

// OpenBatch opens each packet like a.Open, appends the plaintexts to each Dst, and returns how
// many packets were authentic. If any was refused, it returns an error, too; each packet's OK
// says whether it is authentic. Of those refused Dst is unchanged; where their plaintexts would
// be there may be zeros, as after Open.
//
// It panics where Open would, and otherwise like [SealBatch].
func OpenBatch(a cipher.AEAD, packets []Packet) (opened int, err error) {
	if len(packets) == 1 {
		opened = openEach(a, packets) // Open checks what check does
	} else {
		b := kernel.Batch{AEAD: a, Opening: true}
		if check(&b, packets); len(packets) < kernel.MinGroup {
			opened = openEach(a, packets)
		} else {
			b.Run(asKernels(packets))
			opened = b.Opened
		}
	}
	if opened < len(packets) {
		return opened, errRefused
	}
	return opened, nil
}

// openEach opens one packet after the other and returns the number of authentic packets.
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

// asKernels returns packets as the kernels name them, in the same memory. The conversion of the
// pointer compiles only while both are laid out in the same way.
func asKernels(packets []Packet) []kernel.Packet {
	return unsafe.Slice((*kernel.Packet)(unsafe.SliceData(packets)), len(packets))
}

// check panics where Seal or Open would, except for an AEAD of another package, and if an output overlaps
// something of another packet. It sets what the kernels are to know of the AEAD.
func check(b *kernel.Batch, packets []Packet) {
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
	for i := 0; i < len(packets) && b.Key != nil; i++ {
		if p := &packets[i]; b.Opening {
			checkOpen(len(p.Nonce), nonceSize, len(p.Text), overhead)
		} else {
			checkSeal(len(p.Nonce), nonceSize, len(p.Text))
		}
	}
	more, tail := overhead, 0
	if b.Opening {
		// A plaintext may overlap the tag that it came with, except with random nonces.
		if more = -overhead; b.Front == 0 {
			tail = overhead
		}
	}
	if what := alias.Overlapping(asKernels(packets), more, tail); what != "" {
		panic("chacha20poly1305: invalid buffer overlap of " + what)
	}
}
