// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package blake2b implements the hash function BLAKE2b (RFC 7693), with or without a
// key, and BLAKE2Xb, whose output can be any length. It is a drop-in replacement for
// golang.org/x/crypto/blake2b, with the same names, errors and panics: only the import
// path needs to change. In addition, hashes implement [hash.Cloner], and [SumBatch]
// hashes many messages at once, which is several times as fast.
//
// Digests are 1 to 64 bytes long, and keys up to 64 bytes. Without a key, use digests
// of at least 32 bytes: finding two messages with the same digest takes about
// 2^(4·size) steps. With a secret key, a digest is a MAC for any number of messages:
// use a key and digests of at least 16 bytes each, and compare digests with
// [crypto/hmac.Equal].
//
// # What the caller must never do
//
//   - Never compare a MAC with == or bytes.Equal, whose running time reveals how many
//     bytes are correct.
//   - Never use a digest of fewer than 16 bytes as a MAC.
//   - Never concatenate several inputs without their lengths: "ab", "c" and "a", "bc"
//     yield the same message. Use package multimac of this module instead.
//
// # Constant time
//
// The running time does not depend on a key or a message. It does depend on lengths.
package blake2b

import (
	"crypto"
	"encoding"
	"errors"
	"hash"

	"github.com/unimac/unimac/internal/blake2b"
)

const (
	// BlockSize is the block size in bytes. Writes can be any length.
	BlockSize = 128

	// Size is the size of a BLAKE2b-512 digest in bytes, and the maximum key size.
	Size = 64

	// Size384 is the size of a BLAKE2b-384 digest in bytes.
	Size384 = 48

	// Size256 is the size of a BLAKE2b-256 digest in bytes.
	Size256 = 32
)

var (
	errKeySize  = errors.New("blake2b: invalid key size")
	errHashSize = errors.New("blake2b: invalid hash size")

	errMarshalMAC = errors.New("crypto/blake2b: cannot marshal MACs")
	errIdentifier = errors.New("crypto/blake2b: invalid hash state identifier")
	errStateSize  = errors.New("crypto/blake2b: invalid hash state size")
	errState      = errors.New("crypto/blake2b: invalid hash state")
)

// Sum512 returns the 64-byte digest of data.
func Sum512(data []byte) (digest [Size]byte) {
	blake2b.Digest(&digest, Size, data)
	return digest
}

// Sum384 returns the 48-byte digest of data.
func Sum384(data []byte) [Size384]byte {
	var digest [Size]byte
	blake2b.Digest(&digest, Size384, data)
	return [Size384]byte(digest[:])
}

// Sum256 returns the 32-byte digest of data.
func Sum256(data []byte) [Size256]byte {
	var digest [Size]byte
	blake2b.Digest(&digest, Size256, data)
	return [Size256]byte(digest[:])
}

// New512 is like [New] with 64-byte digests.
func New512(key []byte) (hash.Hash, error) { return newDigest(Size, key) }

// New384 is like [New] with 48-byte digests.
func New384(key []byte) (hash.Hash, error) { return newDigest(Size384, key) }

// New256 is like [New] with 32-byte digests.
func New256(key []byte) (hash.Hash, error) { return newDigest(Size256, key) }

// New returns a [hash.Hash] that computes digests of size bytes. It returns an error
// unless size is between 1 and 64 and the key is at most 64 bytes long. The key can be
// empty.
//
// The hash implements [hash.Cloner]. Without a key, it also implements
// [encoding.BinaryMarshaler], [encoding.BinaryAppender] and
// [encoding.BinaryUnmarshaler], and its states are interchangeable with those of
// golang.org/x/crypto/blake2b. With a key, marshaling returns an error, because the
// state would reveal the key.
func New(size int, key []byte) (hash.Hash, error) { return newDigest(size, key) }

func newDigest(size int, key []byte) (*digest, error) {
	if size < 1 || size > Size {
		return nil, errHashSize
	}
	if len(key) > Size {
		return nil, errKeySize
	}
	d := new(digest)
	d.start.Set(key)
	d.start.Resize(size)
	d.Reset()
	return d, nil
}

type digest struct {
	state blake2b.State
	start blake2b.Start // the state after Reset
}

var (
	_ hash.Hash                  = (*digest)(nil)
	_ hash.Cloner                = (*digest)(nil)
	_ encoding.BinaryMarshaler   = (*digest)(nil)
	_ encoding.BinaryAppender    = (*digest)(nil)
	_ encoding.BinaryUnmarshaler = (*digest)(nil)
)

func (d *digest) Size() int { return d.state.Size() }

func (d *digest) BlockSize() int { return BlockSize }

func (d *digest) Reset() { d.start.Begin(&d.state) }

func (d *digest) Write(p []byte) (int, error) {
	if !d.state.Buffer(p) {
		d.start.Write(&d.state, p)
	}
	return len(p), nil
}

func (d *digest) Sum(b []byte) []byte { return d.state.Sum(b) }

func (d *digest) Clone() (hash.Cloner, error) {
	c := *d
	return &c, nil
}

func (d *digest) MarshalBinary() ([]byte, error) {
	return d.AppendBinary(make([]byte, 0, blake2b.MarshaledSize))
}

func (d *digest) AppendBinary(b []byte) ([]byte, error) {
	if d.start.Keyed() {
		return nil, errMarshalMAC
	}
	return d.state.AppendBinary(b), nil
}

// UnmarshalBinary restores a state returned by MarshalBinary, including the digest
// size. Marshaled states have no key. If d has a key, it is ignored until the next call
// to Reset.
func (d *digest) UnmarshalBinary(b []byte) error {
	if len(b) < len(blake2b.Magic) || string(b[:len(blake2b.Magic)]) != blake2b.Magic {
		return errIdentifier
	}
	if len(b) != blake2b.MarshaledSize {
		return errStateSize
	}
	if !d.state.Restore((*[blake2b.MarshaledSize]byte)(b)) {
		return errState
	}
	d.start.Resize(d.state.Size())
	return nil
}

// If a program also links golang.org/x/crypto/blake2b, [crypto.Hash.New] uses the
// implementation that was registered last.
func init() {
	crypto.RegisterHash(crypto.BLAKE2b_256, func() hash.Hash { return unkeyed(Size256) })
	crypto.RegisterHash(crypto.BLAKE2b_384, func() hash.Hash { return unkeyed(Size384) })
	crypto.RegisterHash(crypto.BLAKE2b_512, func() hash.Hash { return unkeyed(Size) })
}

func unkeyed(size int) hash.Hash {
	d, err := newDigest(size, nil)
	if err != nil {
		panic(err)
	}
	return d
}
