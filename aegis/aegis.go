// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package aegis implements AEGIS (RFC 10032), a family of authenticated encryption
// algorithms built from the AES round function, and AEGISMAC, a message authentication
// code built from AEGIS.
//
// On amd64 processors with AES instructions, AEGIS is the fastest AEAD in this module.
// There are also kernels for arm64 processors with AES instructions, but they have not
// been measured on hardware yet. On other processors, AEGIS is implemented in
// constant-time plain Go and is slow, so use package chacha20poly1305 there.
//
// # Variants
//
//	              key, nonce   random nonces
//	AEGIS128L     16 bytes     for 2^48 messages under a key
//	AEGIS128X2    16 bytes     for 2^48 messages under a key
//	AEGIS128X4    16 bytes     for 2^48 messages under a key
//	AEGIS256      32 bytes     without a practical limit
//	AEGIS256X2    32 bytes     without a practical limit
//	AEGIS256X4    32 bytes     without a practical limit
//
// Use AEGIS256X2 with [NewWithRandomNonce] if you control both ends. Use AEGIS128L or
// AEGIS256 if a protocol requires them; the RFC recommends these two as the default.
// The X2 and X4 variants process two or four blocks side by side, for processors with
// wide vectors. All variants are different ciphers: a message sealed with one variant
// can be opened only with the same variant.
//
// [New] produces 32-byte tags. IANA's registry and TLS use 16-byte tags, which
// [NewWithTagSize] provides. The tag size belongs to the key: both ends must agree on
// it in advance, and Open never infers it from the length of a message. The ciphertext
// does not depend on the tag size, and in the AEGIS256 variants a 16-byte tag can be
// computed from the 32-byte tag. A nonce must therefore be used for only one message,
// whatever the tag size.
//
// # What the caller must never do
//
//   - Never use a nonce for two messages under one key, not even with different
//     additional data or a different tag size. Doing so reveals the difference of the
//     messages' first bytes. A few such messages reveal the whole state, and anyone can
//     then read and forge messages under this nonce.
//   - Never use a key for two variants, or for both encryption and [MAC].
//   - Never use a key that is not random, such as a password.
//   - Never use the output of Open if it returns an error.
//   - Never use a MAC as a hash function or its tag as a key. Anyone who has the key
//     can find messages with equal tags at no cost, and tags are not claimed to look
//     random.
//
// # Commitment
//
// If the additional data is empty or fixed, a tag commits to the key and the nonce:
// finding two pairs of key and nonce that open the same ciphertext is expected to take
// 2^128 steps for 32-byte tags and 2^64 steps for 16-byte tags. The RFC claims this
// without a proof.
//
// Where an attacker chooses the additional data, a tag commits to nothing. For any two
// keys, an attacker can immediately compute additional data with which the same
// ciphertext opens under both keys; an example in this package shows how. If keys are
// derived from passwords, if several keys are tried, or if a message is reported by
// disclosing its key, do one of the following: leave the additional data empty, replace
// it with its SHA-256 hash, or use package aead, whose tags commit to all inputs.
//
// # Security
//
// AEGIS has been analyzed for ten years but has no reduction to the security of AES.
// The RFC claims for all variants that a forgery attempt succeeds with a probability of
// at most 2^-128, and that recovering the plaintext or the state takes 2^128 steps in
// the AEGIS128 variants and 2^256 steps in the AEGIS256 variants. Only the nonces limit
// the number of messages. The RFC is an informational document of the IRTF, and AEGIS
// is not a NIST standard: in FIPS 140-only mode, every constructor returns an error.
//
// There is no [crypto/cipher.Stream] because it would share its nonces with the AEAD.
//
// The zero value of [MAC] is not usable: all its methods except Format panic.
//
// # Constant time
//
// The running time does not depend on a key, a plaintext, additional data or a tag. It
// does depend on lengths, and may depend on nonces.
package aegis

import (
	"crypto/cipher"
	"crypto/fips140"
	"errors"
	"strconv"

	kernel "github.com/unimac/unimac/internal/aegis"
	"github.com/unimac/unimac/internal/alias"
)

// Variant identifies one of the RFC 10032 ciphers. See the package documentation for a
// comparison.
type Variant int

// The variants, under their names in the RFC.
const (
	AEGIS128L  Variant = iota // AEGIS-128L, number 32 in IANA's AEAD registry
	AEGIS128X2                // AEGIS-128X2, number 34
	AEGIS128X4                // AEGIS-128X4, number 35
	AEGIS256                  // AEGIS-256, number 33
	AEGIS256X2                // AEGIS-256X2, number 36
	AEGIS256X4                // AEGIS-256X4, number 37
)

// The key and nonce sizes in bytes.
const (
	KeySize128   = 16 // AEGIS128L, AEGIS128X2 and AEGIS128X4
	NonceSize128 = 16
	KeySize256   = 32 // AEGIS256, AEGIS256X2 and AEGIS256X4
	NonceSize256 = 32
)

// The tag sizes of AEADs and MACs in bytes.
const (
	Size128 = 16
	Size256 = 32
)

// Overhead is the difference in length between a ciphertext and its plaintext, for
// AEADs returned by [New].
const Overhead = Size256

var variantNames = [...]string{"AEGIS-128L", "AEGIS-128X2", "AEGIS-128X4", "AEGIS-256", "AEGIS-256X2", "AEGIS-256X4"}

func (v Variant) exists() bool { return 0 <= v && int(v) < len(variantNames) }

// String returns the variant's name in the RFC.
func (v Variant) String() string {
	if !v.exists() {
		return "Variant(" + strconv.Itoa(int(v)) + ")"
	}
	return variantNames[v]
}

// KeySize returns the key size in bytes, either [KeySize128] or [KeySize256]. It
// returns 0 if v is not a valid Variant.
func (v Variant) KeySize() int {
	if !v.exists() {
		return 0
	}
	return kernel.Variant(v).KeySize()
}

// NonceSize returns the nonce size in bytes, which equals the key size. It returns 0 if
// v is not a valid Variant.
func (v Variant) NonceSize() int { return v.KeySize() }

var (
	errOpen = errors.New("aegis: message authentication failed")
	errFIPS = errors.New("aegis: use of AEGIS is not allowed in FIPS 140-only mode")
)

// New returns an AEAD of variant v with 32-byte tags. It returns an error if v is not a
// valid Variant, if the key is not v.KeySize() bytes long, or if FIPS 140-only mode is
// enabled.
//
// The following applies to all AEADs in this package. Seal and Open panic if the nonce
// has the wrong length, if the text or the additional data is longer than 2^61 - 1
// bytes, if the output overlaps the additional data, or if it overlaps the input at a
// different address. To work in place, pass plaintext[:0] or ciphertext[:0] as dst. The
// output may overlap the nonce. If a message fails authentication, Open fills the
// memory for the plaintext with zeros and always returns the same error. When Open
// works in place, these zeros replace the ciphertext. Seal and Open are safe for
// concurrent use.
func New(v Variant, key []byte) (cipher.AEAD, error) {
	return NewWithTagSize(v, key, Size256)
}

// NewWithTagSize is like [New], but tags are size bytes long. It returns an error if
// size is not 16 or 32. The variants in the IANA registry have 16-byte tags. The
// protocol must fix the tag size; never infer it from a received message.
func NewWithTagSize(v Variant, key []byte, size int) (cipher.AEAD, error) {
	k, err := newKeys(v, key, size)
	if err != nil {
		return nil, err
	}
	return &nonceAEAD{k}, nil
}

// keys is referenced through a pointer so that package fmt prints an address rather
// than the secrets.
type keys struct {
	cipher kernel.Cipher
	nonce  int // nonce size
}

func newKeys(v Variant, key []byte, tagSize int) (*keys, error) {
	if err := check(v, key, tagSize); err != nil {
		return nil, err
	}
	k := &keys{kernel.Cipher{Variant: kernel.Variant(v), TagSize: tagSize}, v.NonceSize()}
	copy(k.cipher.Key[:], key)
	return k, nil
}

func check(v Variant, key []byte, tagSize int) error {
	switch {
	case fips140.Enforced():
		return errFIPS
	case !v.exists():
		return errors.New("aegis: unknown variant " + strconv.Itoa(int(v)))
	case len(key) != v.KeySize():
		return errors.New("aegis: key of " + strconv.Itoa(len(key)) + " bytes, want " + strconv.Itoa(v.KeySize()) + " for " + v.String())
	case tagSize != Size128 && tagSize != Size256:
		return errors.New("aegis: tag of " + strconv.Itoa(tagSize) + " bytes, want 16 or 32")
	}
	return nil
}

type nonceAEAD struct{ *keys }

func (a *nonceAEAD) NonceSize() int { return a.nonce }

func (a *nonceAEAD) Overhead() int { return a.cipher.TagSize }

func (a *nonceAEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	checkNonce(nonce, a.nonce)
	checkLengths(len(plaintext), len(additionalData))
	ret, out := alias.Extend(dst, len(plaintext)+a.cipher.TagSize)
	checkText(out, plaintext)
	checkData(out, additionalData)
	kernel.Seal(&a.cipher, nonce, out, plaintext, additionalData)
	return ret
}

func (a *nonceAEAD) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	checkNonce(nonce, a.nonce)
	n := len(ciphertext) - a.cipher.TagSize
	if n < 0 {
		return nil, errOpen
	}
	checkLengths(n, len(additionalData))
	ret, out := alias.Extend(dst, n)
	checkText(out, ciphertext[:n])
	checkData(out, additionalData)
	tag := ciphertext[n:]
	if alias.Overlap(out, tag) {
		tag = append([]byte(nil), tag...)
	}
	if !kernel.Open(&a.cipher, nonce, tag, out, ciphertext[:n], additionalData) {
		return nil, errOpen
	}
	return ret, nil
}

func checkNonce(nonce []byte, size int) {
	if len(nonce) != size {
		panic("aegis: bad nonce length")
	}
}

func checkLengths(text, additionalData int) {
	if uint64(text) > kernel.MaxLength {
		panic("aegis: text too long")
	}
	if uint64(additionalData) > kernel.MaxLength {
		panic("aegis: additional data too long")
	}
}

// checkText panics if the output partially overlaps the input. It is kept small enough
// to inline.
func checkText(out, input []byte) {
	if alias.InexactOverlap(out, input) {
		panic("aegis: invalid buffer overlap of output and input")
	}
}

// checkData panics if the output overlaps the additional data. It is kept small enough
// to inline.
func checkData(out, additionalData []byte) {
	if alias.Overlap(out, additionalData) {
		panic("aegis: invalid buffer overlap of output and additional data")
	}
}
