// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package multimac implements MultiMAC with BLAKE2b, a message authentication
// code for an ordered list of inputs by Samuel Lucas
// (https://github.com/samuel-lucas6/MultiMAC):
//
//	t = key1
//	t = BLAKE2b(key = t, input)    for each input in turn
//	tag = BLAKE2b(key = key2, t)
//
// The first argument of [Key.Sum] is where the tag goes, as everywhere in Go's crypto
// packages, and no input:
//
//	k.Sum(nil, header, body)    is a tag of header and body
//	k.Sum(header, body)         is wrong: the tag, after header's bytes, is of body alone
//
// A receiver who makes the same mistake accepts any header.
//
// Tag, keys and the intermediate values t have one length, 32, 48 or 64 bytes.
// BLAKE2b is defined in RFC 7693. There is no nonce: equal lists have equal tags.
//
// # What it is for
//
// A tag over inputs that are merely joined does not tell where one ends and the
// next begins: "ab", "c" and "a", "bc" have the same. Here the boundaries are
// part of what is authenticated, as are the inputs' order and their number.
// Nobody has to escape, pad or prefix them with lengths.
//
// Any list will do. The original refuses empty inputs; this package takes them,
// because they cannot be confused with anything else: no input, one empty input
// and two empty inputs are three lists with three tags. In turn it refuses equal
// keys, against which the original warns.
//
// As long as BLAKE2b is a good pseudorandom function, a forger has two ways. One is to
// guess a tag of n bytes, with a chance of 2^-8n. The other is to wait for two lists
// with one intermediate value, which show by equal tags. Two lists that differ early and
// end with the same inputs can meet at each of these. So among q lists of at most l inputs
// under one key there are two with a chance of about l · q² / 2^(8n+1). With tags of 32
// bytes, 2^64 lists of 2^20 inputs make that 2^-109.
//
// # Why two keys
//
// The intermediate values are tags of shorter lists in all but the last step:
// anyone who learned one could go on from there and authenticate any longer list. They
// never leave this package, and the last step, under a key of its own, makes
// sure that no tag is one of them. So the two keys must be independent, each
// random by itself.
//
// # Rules for the caller
//
//   - Never derive one of the two keys from the other.
//   - Never take a tag for a commitment. Anyone who may choose key1 can find two
//     lists with one tag: BLAKE2b(key1, "a") as key1 and the list "b" have the tag
//     of the list "a", "b" under key1 itself.
//
// The zero values of [Key] and [MAC] have no key: all their methods panic, except
// BlockSize and Format.
//
// # Constant time
//
// Nothing here branches on, or indexes memory by, a key, an input or a tag. The
// number of inputs and their lengths are no secret.
package multimac

import (
	"crypto/subtle"
	"fmt"

	"github.com/unimac/unimac/internal/blake2b"
)

// The sizes in bytes of either key, and of the tag.
const (
	Size256 = 32
	Size384 = 48
	Size512 = 64

	maxSize = Size512
)

// Key is a pair of keys whose blocks BLAKE2b has hashed already. It is safe for
// concurrent use. [NewKey] makes it.
type Key struct{ *keys }

// keys is reached by a pointer, so that no copy of a Key shows it: fmt prints values in
// fields that are not exported without calling their methods.
type keys struct {
	size  int
	chain [maxSize]byte // key1, for the list without an input
	first blake2b.State // under key1, of a list's first input
	last  blake2b.State // under key2
}

// NewKey returns a Key from two keys of 32, 48 or 64 bytes, which is the length
// of the tags too. It returns an error for keys of another length, for
// keys of different lengths, and for equal keys.
func NewKey(key1, key2 []byte) (*Key, error) {
	for i, key := range [][]byte{key1, key2} {
		switch len(key) {
		case Size256, Size384, Size512:
		default:
			return nil, fmt.Errorf("multimac: key%d of %d bytes, want 32, 48 or 64", i+1, len(key))
		}
	}
	if len(key1) != len(key2) {
		return nil, fmt.Errorf("multimac: keys of %d and %d bytes, want equal lengths", len(key1), len(key2))
	}
	if subtle.ConstantTimeCompare(key1, key2) == 1 {
		return nil, fmt.Errorf("multimac: key1 and key2 are equal, want independent keys")
	}
	size := len(key1)
	k := &Key{&keys{size: size, first: blake2b.New(size, key1), last: blake2b.New(size, key2)}}
	copy(k.chain[:], key1)
	return k, nil
}

// Size returns the length of the tags in bytes, which is also the length of each
// key.
func (k *Key) Size() int {
	k.mustBeMade()
	return k.size
}

// Sum appends the tag of the list of inputs to dst and returns the resulting
// slice. The list and any input may be empty.
//
// The first argument is not an input: k.Sum(header, body) is a tag of body alone. Pass
// nil, or the end of a buffer, before the inputs.
func (k *Key) Sum(dst []byte, inputs ...[]byte) []byte {
	k.mustBeMade()
	t := k.chain
	for i, input := range inputs {
		if i == 0 {
			k.first.SumWith(t[:0], input)
		} else {
			state := blake2b.New(k.size, t[:k.size])
			state.SumWith(t[:0], input)
		}
	}
	return k.last.SumWith(dst, t[:k.size])
}

// Verify reports whether tag is the tag of the list of inputs. It is false for a
// tag of another length than the key's. Its time does not depend on where tags
// differ.
func (k *Key) Verify(tag []byte, inputs ...[]byte) bool {
	var want [maxSize]byte
	return subtle.ConstantTimeCompare(k.Sum(want[:0], inputs...), tag) == 1
}

// mustBeMade panics for the zero Key.
func (k *Key) mustBeMade() {
	if k.keys == nil {
		panic("multimac: Key without keys, use NewKey")
	}
}

// A cascade is the state of a list between or within its inputs.
type cascade struct {
	t     [maxSize]byte // the intermediate value after the inputs that ended
	later bool          // some input has ended
	input blake2b.State // of the input that begin began
}

// begin starts an input: its key is the value before it.
func (c *cascade) begin(k *Key) {
	if c.later {
		c.input = blake2b.New(k.size, c.t[:k.size])
	} else {
		c.input = k.first
	}
}

// end ends the input.
func (c *cascade) end() {
	c.input.Sum(c.t[:0])
	c.later = true
}

// appendTag appends the tag of the inputs that ended.
func (c *cascade) appendTag(dst []byte, k *Key) []byte {
	return k.last.SumWith(dst, c.t[:k.size])
}
