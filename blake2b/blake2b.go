// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package blake2b implements the hash function BLAKE2b (RFC 7693), with or without a
// key, and BLAKE2Xb, whose output may have any length. Its names mean what they mean in
// golang.org/x/crypto/blake2b, with the same errors and panics, so that changing the
// import path is the whole migration. Beyond that, hashes are [hash.Cloner]s, and
// [SumBatch] hashes many messages at once, several times as fast.
//
// Digests have 1 to 64 bytes and keys up to 64. Without a key, take 32 bytes or more for
// a digest; two messages with the same digest are found after about 2^(4·size) trials.
// With a secret key, a digest is a MAC, for any number of messages: take a key and a
// digest of 16 bytes or more, and compare digests with [crypto/hmac.Equal].
//
// # What the caller must never do
//
//   - Never compare a MAC by == or bytes.Equal, which tell how much of it was right.
//   - Never take a digest of less than 16 bytes for a MAC.
//   - Never join several inputs to one without their lengths: "ab", "c" and "a", "bc" are
//     the same message. Package multimac of this module is for that.
//
// # Constant time
//
// Nothing here branches on, or indexes memory by, a key or a message. Lengths are no
// secret.
package blake2b

import (
	"crypto"
	"encoding"
	"errors"
	"hash"

	"github.com/unimac/unimac/internal/blake2b"
)

const (
	// BlockSize is the size in bytes of the blocks in which messages are hashed. A
	// Write may have any length.
	BlockSize = 128

	// Size is the size in bytes of a digest of BLAKE2b-512, and of the longest key.
	Size = 64

	// Size384 is the size in bytes of a digest of BLAKE2b-384.
	Size384 = 48

	// Size256 is the size in bytes of a digest of BLAKE2b-256.
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

// Sum512 returns the digest of data of 64 bytes.
func Sum512(data []byte) (digest [Size]byte) {
	blake2b.Digest(&digest, Size, data)
	return digest
}

// Sum384 returns the digest of data of 48 bytes.
func Sum384(data []byte) [Size384]byte {
	var digest [Size]byte
	blake2b.Digest(&digest, Size384, data)
	return [Size384]byte(digest[:])
}

// Sum256 returns the digest of data of 32 bytes.
func Sum256(data []byte) [Size256]byte {
	var digest [Size]byte
	blake2b.Digest(&digest, Size256, data)
	return [Size256]byte(digest[:])
}

// New512 is [New] for digests of 64 bytes.
func New512(key []byte) (hash.Hash, error) { return newDigest(Size, key) }

// New384 is [New] for digests of 48 bytes.
func New384(key []byte) (hash.Hash, error) { return newDigest(Size384, key) }

// New256 is [New] for digests of 32 bytes.
func New256(key []byte) (hash.Hash, error) { return newDigest(Size256, key) }

// New returns a hash with digests of size bytes, 1 to 64, under a key of at most 64 bytes,
// which may be empty. Other lengths are errors.
//
// The hash is a [hash.Cloner]. Without a key it is an [encoding.BinaryMarshaler],
// [encoding.BinaryAppender] and [encoding.BinaryUnmarshaler] as well, for states that
// golang.org/x/crypto/blake2b understands, and the reverse; with a key, the first two
// return errors, because the state would tell the key.
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

// A digest is a hash in the making.
type digest struct {
	state blake2b.State
	start blake2b.Start // what Reset returns to
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

// Clone implements [hash.Cloner]. The error is always nil.
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

// UnmarshalBinary goes on from a state that MarshalBinary gave, whose digest may have
// another size than d's. The key that d has returns with Reset.
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

// A program that links golang.org/x/crypto/blake2b too has one of the two: the last that
// registers.
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
