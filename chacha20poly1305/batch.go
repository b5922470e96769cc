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
	switch kind, key := check(a, packets, false); {
	case key == nil:
		for i := range packets {
			p := &packets[i]
			p.Dst = a.Seal(p.Dst, p.Nonce, p.Text, p.AdditionalData)
		}
	case kind == kernel.RandomNonces:
		memory := noncesPool.Get().(*[]byte)
		nonces := slices.Grow((*memory)[:0], NonceSizeX*len(packets))[:NonceSizeX*len(packets)]
		rand.Read(nonces)
		kernel.SealAll(kind, key, asKernels(packets), nonces)
		*memory = nonces
		noncesPool.Put(memory)
	default:
		kernel.SealAll(kind, key, asKernels(packets), nil)
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
	if kind, key := check(a, packets, true); key != nil {
		opened = kernel.OpenAll(kind, key, asKernels(packets))
	} else {
		for i := range packets {
			p := &packets[i]
			dst, err := a.Open(p.Dst, p.Nonce, p.Text, p.AdditionalData)
			if p.OK = err == nil; p.OK {
				p.Dst = dst
				opened++
			}
		}
	}
	if opened < len(packets) {
		return opened, errRefused
	}
	return opened, nil
}

// asKernels returns packets as the kernels name them, in the same memory. The conversion of the
// pointer compiles only while both are laid out in the same way.
func asKernels(packets []Packet) []kernel.Packet {
	return unsafe.Slice((*kernel.Packet)(unsafe.SliceData(packets)), len(packets))
}

// check panics where Seal or Open would, and if an output overlaps something of another packet. It
// returns what the kernels are to work with. The key is nil if the AEAD is another package's.
func check(a cipher.AEAD, packets []Packet, opening bool) (kind kernel.Kind, key *[KeySize]byte) {
	nonceSize, overhead := 0, Overhead
	switch a := a.(type) {
	case *chachaAEAD:
		kind, key, nonceSize = kernel.ChaCha20, &a.key, NonceSize
	case *xchachaAEAD:
		kind, key, nonceSize = kernel.XChaCha20, &a.key, NonceSizeX
	case *sivAEAD:
		kind, key, nonceSize, overhead = kernel.SIV, &a.key, NonceSizeSIV, OverheadSIV
	case *randomNonceAEAD:
		kind, key, overhead = kernel.RandomNonces, &a.key, NonceSizeX+Overhead
	default:
		overhead = a.Overhead()
	}
	for i := 0; i < len(packets) && key != nil; i++ {
		if p := &packets[i]; opening {
			checkOpen(len(p.Nonce), nonceSize, len(p.Text), overhead)
		} else {
			checkSeal(len(p.Nonce), nonceSize, len(p.Text))
		}
	}
	more, tail := overhead, 0
	if opening {
		// A plaintext may overlap the tag that it came with, except with random nonces.
		if more = -overhead; kind != kernel.RandomNonces {
			tail = overhead
		}
	}
	if what := alias.Overlapping(asKernels(packets), more, tail); what != "" {
		panic("chacha20poly1305: invalid buffer overlap of " + what)
	}
	return kind, key
}
