// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"slices"

	xblake2b "golang.org/x/crypto/blake2b"
	xchacha20 "golang.org/x/crypto/chacha20"

	"github.com/unimac/unimac/aead"
	"github.com/unimac/unimac/chacha20poly1305"
	"github.com/unimac/unimac/internal/bench/peer/sodium"
	"github.com/unimac/unimac/internal/blake2b"
)

// An aeadTask is what the AEADs get to seal. The keys are those that a program
// keeps; the key of the MAC is another for each nonce and so part of the work.
type aeadTask struct {
	key, encKey, nonce, context, ad, msg []byte
}

func newAEADTask(size int) *aeadTask {
	const encContext, macContext = "ChaCha20-BLAKE2b 07/12/2021 20:40 ChaCha20.Encrypt()", "ChaCha20-BLAKE2b 07/12/2021 20:41 BLAKE2b.KeyedHash()"
	t := &aeadTask{
		key: data(aead.KeySize, 1), nonce: data(aead.NonceSize, 2),
		context: withLengths(macContext, aead.NonceSize),
		ad:      data(16, 3), msg: data(size, 4),
	}
	t.encKey = xSum(nil, t.key, withLengths(encContext, 0))
	return t
}

// withLengths appends to a context what ends the message of the key derivation.
func withLengths(context string, salt int) []byte {
	p := binary.LittleEndian.AppendUint32([]byte(context), uint32(salt))
	return binary.LittleEndian.AppendUint32(p, uint32(len(context)))
}

func seals() Contest {
	return chachaBLAKE2b("chacha20-blake2b-seal", "ChaCha20-BLAKE2b, Seal", false)
}

func opens() Contest {
	return chachaBLAKE2b("chacha20-blake2b-open", "ChaCha20-BLAKE2b, Open", true)
}

func chachaBLAKE2b(name, title string, open bool) Contest {
	return Contest{
		Name: name, Title: title,
		Sizes: sizes(16, 1<<20),
		Entrants: append(ours([]string{"chacha20", "blake2b", "chacha20blake2b"}, startTask(open, func(t *aeadTask) (cipher.AEAD, error) { return aead.New(t.key) })),
			Entrant{Name: "libsodium", Label: "libsodium, composed", Start: func(size int) (*Work, error) {
				t := newAEADTask(size)
				if open {
					dst, sealed := make([]byte, size), newXAEAD(t).Seal(nil, t.nonce, t.msg, t.ad)
					return work(dst, sodium.Open(dst, t.key, t.encKey, t.nonce, t.context, sealed, t.ad)), nil
				}
				dst := make([]byte, size+aead.TagSize)
				return work(dst, sodium.Seal(dst, t.key, t.encKey, t.nonce, t.context, t.msg, t.ad)), nil
			}},
			Entrant{Name: "x-crypto", Label: "x/crypto, composed", Start: startTask(open, func(t *aeadTask) (cipher.AEAD, error) { return newXAEAD(t), nil })},
			aesGCM(open), opensslGCM(open), committingGCM(open), uncommitted(open),
			Entrant{Name: "unimac-blake2b-alone", Label: "unimac, BLAKE2b alone", Ours: true, Other: true, Start: blake2bAlone},
		),
	}
}

// startTask begins the task of an AEAD.
func startTask(open bool, newAEAD func(t *aeadTask) (cipher.AEAD, error)) starter {
	return func(size int) (*Work, error) {
		t := newAEADTask(size)
		a, err := newAEAD(t)
		if err != nil {
			return nil, err
		}
		return aeadWorkOn(a, open, t.nonce, t.msg, t.ad), nil
	}
}

// uncommitted is ChaCha20-Poly1305, whose tags do not commit.
func uncommitted(open bool) Entrant {
	return Entrant{Name: "unimac-chacha20poly1305", Label: "unimac, ChaCha20-Poly1305", Ours: true, Other: true, Start: startAEAD(chacha20poly1305.New, open)}
}

// blake2bAlone computes a tag over the message under a key that stays: the speed
// at which ChaCha20 would cost nothing.
func blake2bAlone(size int) (*Work, error) {
	keyed, msg, tag := blake2b.New(aead.TagSize, data(64, 1)), data(size, 2), make([]byte, aead.TagSize)
	return work(tag, func(n int) {
		for range n {
			keyed.SumWith(tag[:0], msg)
		}
	}), nil
}

// An xAEAD is ChaCha20-BLAKE2b as one writes it on top of x/crypto.
type xAEAD struct{ key, encKey, context []byte }

func newXAEAD(t *aeadTask) *xAEAD { return &xAEAD{t.key, t.encKey, t.context} }

func (*xAEAD) NonceSize() int { return aead.NonceSize }
func (*xAEAD) Overhead() int  { return aead.TagSize }

func (a *xAEAD) Seal(dst, nonce, msg, ad []byte) []byte {
	n := len(dst)
	dst = slices.Grow(dst, len(msg)+aead.TagSize)[:n+len(msg)]
	a.xor(dst[n:], nonce, msg)
	return a.tag(dst, nonce, ad, dst[n:])
}

// Open has dst without a prefix, and room in it.
func (a *xAEAD) Open(dst, nonce, sealed, ad []byte) ([]byte, error) {
	split := len(sealed) - aead.TagSize
	var tag [aead.TagSize]byte
	if a.tag(tag[:0], nonce, ad, sealed[:split]); subtle.ConstantTimeCompare(tag[:], sealed[split:]) == 0 {
		return nil, aead.ErrAuth
	}
	a.xor(dst[:split], nonce, sealed[:split])
	return dst[:split], nil
}

func (a *xAEAD) xor(dst, nonce, src []byte) {
	var long [xchacha20.NonceSize]byte
	copy(long[4:], nonce)
	c, err := xchacha20.NewUnauthenticatedCipher(a.encKey, long[:])
	if err != nil {
		panic(err)
	}
	c.XORKeyStream(dst, src)
}

func (a *xAEAD) tag(dst, nonce, ad, ciphertext []byte) []byte {
	kdf, err := xblake2b.New512(a.key)
	if err != nil {
		panic(err)
	}
	kdf.Write(nonce)
	kdf.Write(a.context)
	var macKey [64]byte
	mac, err := xblake2b.New256(kdf.Sum(macKey[:0]))
	if err != nil {
		panic(err)
	}
	mac.Write(ad)
	mac.Write(ciphertext)
	var lengths [8]byte
	binary.LittleEndian.PutUint32(lengths[:4], uint32(len(ad)))
	binary.LittleEndian.PutUint32(lengths[4:], uint32(len(ciphertext)))
	mac.Write(lengths[:])
	return mac.Sum(dst)
}
