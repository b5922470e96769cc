// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package multimac implements MultiMAC, Samuel Lucas's message authentication code for
// ordered lists of inputs (https://github.com/samuel-lucas6/MultiMAC), instantiated
// with BLAKE2b:
//
//	t = key1
//	t = BLAKE2b(key = t, input)    for each input in turn
//	tag = BLAKE2b(key = key2, t)
//
// The tag, the keys and the intermediate values t have the same length: 32, 48 or 64
// bytes. BLAKE2b is defined in RFC 7693. Since there is no nonce, equal lists have
// equal tags.
//
// # Purpose
//
// A tag of concatenated inputs does not authenticate where one input ends and the next
// begins: the lists "ab", "c" and "a", "bc" have the same tag. MultiMAC authenticates
// the boundaries, the order and the number of the inputs, so callers need no escaping,
// padding or length prefixes.
//
// The list and each input can be empty: no input, one empty input and two empty inputs
// are three lists with three different tags. The original implementation rejects empty
// inputs and accepts equal keys with a warning, whereas this package accepts empty
// inputs and rejects equal keys.
//
// If BLAKE2b is a good pseudorandom function, an attacker can do no better than guess
// an n-byte tag, which succeeds with a probability of 2^-8n, or wait for two lists with
// the same intermediate value, which equal tags reveal. Two lists that start
// differently and end with the same inputs can collide at each of the shared inputs.
// Among q lists of at most l inputs under one key, two lists collide with a probability
// of about l · q² / 2^(8n+1). For 32-byte tags and 2^64 lists of 2^20 inputs, this
// probability is 2^-109.
//
// # Why two keys
//
// Without the last step, each intermediate value would be the tag of a shorter list,
// from which anyone could compute the tag of a longer list. Since the last step uses a
// second key, no tag is an intermediate value, and intermediate values never leave this
// package. The two keys must therefore be random and independent.
//
// # Rules for the caller
//
//   - Never derive one of the two keys from the other.
//   - Never use a tag as a commitment. Anyone who may choose key1 can find two lists
//     with the same tag: if BLAKE2b(key1, "a") is used as key1, the list "b" has the
//     tag that the list "a", "b" has under the original key1.
//
// The zero values of [Key] and [MAC] are not usable: all their methods except BlockSize
// and Format panic.
//
// # Constant time
//
// The running time does not depend on a key, a tag or the content of an input. It does
// depend on the number of inputs and their lengths.
package multimac

import (
	"crypto/subtle"
	"errors"
	"strconv"

	"github.com/unimac/unimac/internal/blake2b"
)

// The tag sizes in bytes. Both keys must be as long as the tag.
const (
	Size256 = 32
	Size384 = 48
	Size512 = 64

	maxSize = Size512
)

// Key is a pair of keys in expanded form. It is immutable and safe for concurrent use.
// Create one with [NewKey].
type Key struct{ *keys }

// fmt does not call Format for unexported fields. Key therefore refers to its keys
// through a pointer, and fmt prints an address instead of the secrets.
type keys struct {
	size    int
	key1    [maxSize]byte // also the first intermediate value
	initial blake2b.State // keyed with key1, for the first input
	final   blake2b.State // keyed with key2, for the last step
}

// NewKey expands two keys, which must each be 32, 48 or 64 bytes long. Tags are as long
// as the keys. NewKey returns an error if a key has the wrong length, if the lengths
// differ, or if the keys are equal. Never derive one key from the other.
func NewKey(key1, key2 []byte) (*Key, error) {
	for i, key := range [][]byte{key1, key2} {
		switch len(key) {
		case Size256, Size384, Size512:
		default:
			return nil, errors.New("multimac: key" + strconv.Itoa(i+1) + " of " + strconv.Itoa(len(key)) + " bytes, want 32, 48 or 64")
		}
	}
	if len(key1) != len(key2) {
		return nil, errors.New("multimac: keys of " + strconv.Itoa(len(key1)) + " and " + strconv.Itoa(len(key2)) + " bytes, want equal lengths")
	}
	if subtle.ConstantTimeCompare(key1, key2) == 1 {
		return nil, errors.New("multimac: key1 and key2 are equal, want independent keys")
	}
	size := len(key1)
	k := &Key{&keys{size: size, initial: blake2b.New(size, key1), final: blake2b.New(size, key2)}}
	copy(k.key1[:], key1)
	return k, nil
}

// Size returns the tag size in bytes.
func (k *Key) Size() int {
	k.mustBeMade()
	return k.size
}

// Sum returns the tag of the list of inputs in a new slice. The list may be empty, and
// so may any input.
func (k *Key) Sum(inputs ...[]byte) []byte {
	return k.Append(nil, inputs...)
}

// Append is like [Key.Sum], but appends the tag to dst and returns the resulting slice.
// It does not allocate if dst has room for the tag. The appended tag may overlap the
// inputs.
func (k *Key) Append(dst []byte, inputs ...[]byte) []byte {
	k.mustBeMade()
	t := k.key1
	for i, input := range inputs {
		if i == 0 {
			k.initial.SumWith(t[:0], input)
		} else {
			state := blake2b.New(k.size, t[:k.size])
			state.SumWith(t[:0], input)
		}
	}
	return k.final.SumWith(dst, t[:k.size])
}

// Verify reports whether tag is the tag of the list of inputs. It returns false if tag
// has the wrong length, and it compares tags in constant time.
func (k *Key) Verify(tag []byte, inputs ...[]byte) bool {
	var want [maxSize]byte
	return subtle.ConstantTimeCompare(k.Append(want[:0], inputs...), tag) == 1
}

func (k *Key) mustBeMade() {
	if k.keys == nil {
		panic("multimac: Key without keys, use NewKey")
	}
}

// A cascade is the state of a partially processed list.
type cascade struct {
	t     [maxSize]byte // intermediate value after the finished inputs
	rekey bool          // whether an input is finished, so that t is no longer key1
	input blake2b.State // state of the current input
}

func (c *cascade) begin(k *Key) {
	if c.rekey {
		c.input = blake2b.New(k.size, c.t[:k.size])
	} else {
		c.input = k.initial
	}
}

func (c *cascade) end() {
	c.input.Sum(c.t[:0])
	c.rekey = true
}

func (c *cascade) appendTag(dst []byte, k *Key) []byte {
	return k.final.SumWith(dst, c.t[:k.size])
}
