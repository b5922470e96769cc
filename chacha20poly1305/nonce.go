// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"crypto/cipher"
	"crypto/rand"
	"slices"
	"sync"

	"github.com/unimac/unimac/internal/alias"
	kernel "github.com/unimac/unimac/internal/chacha20poly1305"
)

// NewXWithRandomNonce is [NewX] with random nonces: Seal takes 24 random bytes as the
// nonce and puts them in front of the ciphertext, where Open finds them, as
// [cipher.NewGCMWithRandomNonce] does. NonceSize returns 0, and Seal and Open take an empty
// nonce; Overhead returns 40.
func NewXWithRandomNonce(key []byte) (cipher.AEAD, error) {
	a := new(randomNonceAEAD)
	if err := setKey(&a.key, key); err != nil {
		return nil, err
	}
	return a, nil
}

// randomNonceAEAD is XChaCha20-Poly1305 whose nonces are part of the message.
type randomNonceAEAD struct{ xchachaAEAD }

// NonceSize implements [cipher.AEAD].
func (*randomNonceAEAD) NonceSize() int { return 0 }

// Overhead implements [cipher.AEAD].
func (*randomNonceAEAD) Overhead() int { return NonceSizeX + Overhead }

// Seal implements [cipher.AEAD].
func (a *randomNonceAEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	checkSeal(len(nonce), 0, len(plaintext))
	all, out := alias.Extend(dst, NonceSizeX+len(plaintext)+Overhead)
	checkOverlap(out, plaintext, additionalData)
	text := out[NonceSizeX:][:len(plaintext)]
	if alias.Overlap(out, plaintext) {
		// In place, the plaintext first makes room for the nonce.
		copy(text, plaintext)
		plaintext = text
	}
	rand.Read(out[:NonceSizeX])
	a.xchachaAEAD.Seal(text[:0], out[:NonceSizeX], plaintext, additionalData)
	return all
}

// Open implements [cipher.AEAD].
func (a *randomNonceAEAD) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	checkOpen(len(nonce), 0, len(ciphertext), NonceSizeX+Overhead)
	if len(ciphertext) < NonceSizeX+Overhead {
		return nil, errOpen
	}
	text, tag := ciphertext[NonceSizeX:len(ciphertext)-Overhead], [Overhead]byte(ciphertext[len(ciphertext)-Overhead:])
	all, out := alias.Extend(dst, len(text))
	checkOverlap(out, ciphertext, additionalData)
	nonce = ciphertext[:NonceSizeX]
	if alias.Overlap(out, ciphertext) {
		// In place, the ciphertext first moves to where the plaintext will be.
		short := [NonceSizeX]byte(nonce)
		nonce = short[:]
		copy(out, text)
		text = out
	}
	if !kernel.OpenX(&tag, out, text, additionalData, &a.key, (*[NonceSizeX]byte)(nonce)) {
		return nil, errOpen
	}
	return all, nil
}

// atOnce is how many packets are made ready for the kernels at once.
const atOnce = 64

// A randomWork is what a batch with random nonces needs: the packets as [NewX] has them.
type randomWork struct {
	nonces  []byte
	packets [atOnce]kernel.Packet
	inPlace [atOnce]bool
}

// randomWorks spares allocations.
var randomWorks = sync.Pool{New: func() any { return new(randomWork) }}

// sealAll is SealBatch for packets that were checked. One read makes all nonces.
func (a *randomNonceAEAD) sealAll(packets []Packet) {
	w := randomWorks.Get().(*randomWork)
	nonces := slices.Grow(w.nonces[:0], NonceSizeX*len(packets))[:NonceSizeX*len(packets)]
	w.nonces = nonces
	rand.Read(nonces)
	for part := range slices.Chunk(packets, atOnce) {
		for i := range part {
			p, x := &part[i], &w.packets[i]
			all, out := alias.Extend(p.Dst, NonceSizeX+len(p.Text)+Overhead)
			text := out[NonceSizeX:][:len(p.Text)]
			if alias.Overlap(out, p.Text) {
				copy(text, p.Text) // makes room for the nonce
			} else {
				text = p.Text
			}
			x.Dst, x.Nonce, x.Text, x.AdditionalData = all[:len(p.Dst)+NonceSizeX], out[:NonceSizeX], text, p.AdditionalData
			copy(x.Nonce, nonces)
			nonces = nonces[NonceSizeX:]
		}
		kernel.SealAll(kernel.XChaCha20, &a.key, w.packets[:len(part)])
		for i := range part {
			part[i].Dst = w.packets[i].Dst
		}
		clear(w.packets[:len(part)])
	}
	randomWorks.Put(w)
}

// openAll is OpenBatch for packets that were checked. In place, a plaintext is made where the
// ciphertext is, and then moves to the front.
func (a *randomNonceAEAD) openAll(packets []Packet) (opened int) {
	w := randomWorks.Get().(*randomWork)
	for part := range slices.Chunk(packets, atOnce) {
		for i := range part {
			p, x := &part[i], &w.packets[i]
			n := len(p.Text) - NonceSizeX - Overhead
			if n < 0 {
				continue // without a text, it is too short for the kernels, too
			}
			all, out := alias.Extend(p.Dst, n)
			x.Dst, x.Nonce, x.Text, x.AdditionalData = all[:len(p.Dst)], p.Text[:NonceSizeX], p.Text[NonceSizeX:], p.AdditionalData
			if w.inPlace[i] = alias.Overlap(out, p.Text); w.inPlace[i] {
				x.Dst = x.Text[:0]
			}
		}
		opened += kernel.OpenAll(kernel.XChaCha20, &a.key, w.packets[:len(part)])
		for i := range part {
			p, x := &part[i], &w.packets[i]
			if p.OK = x.OK; w.inPlace[i] {
				p.moveFront(len(x.Text) - Overhead)
			} else if p.OK {
				p.Dst = x.Dst
			}
		}
		clear(w.packets[:len(part)])
		clear(w.inPlace[:])
	}
	randomWorks.Put(w)
	return opened
}

// moveFront moves a plaintext of n bytes, which was made where the ciphertext was, to where that
// and its nonce began.
func (p *Packet) moveFront(n int) {
	all, out := alias.Extend(p.Dst, n)
	if !p.OK {
		clear(out)
		return
	}
	copy(out, p.Text[NonceSizeX:])
	clear(p.Text[n:][:NonceSizeX])
	p.Dst = all
}
