// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"unsafe"

	"github.com/unimac/unimac/internal/constanttime"
)

// A Message is one of two messages that are sealed or opened together.
type Message struct {
	Nonce    []byte // of the variant's nonce size
	Tag      []byte // of the cipher's tag size
	Dst, Src []byte // equally long; must overlap entirely or not at all
}

// SealPair seals two messages under one key, like two calls to Seal without additional
// data. A single kernel call seals both messages in little more time than one message,
// but only under these conditions:
//
//   - A kernel for two messages is enabled.
//   - Both tags are 16 bytes long.
//   - The texts have the same length, which is a nonzero multiple of the rate and at
//     most half of dispatch.MaxCall.
//
// SealPair panics if a Tag is too short.
func SealPair(c *Cipher, two *[2]Message) {
	var tags [2][TagSize128]byte
	ok := cryptPair(c, false, two, &tags)
	for i, m := range two {
		if ok {
			*(*[TagSize128]byte)(m.Tag) = tags[i]
		} else {
			tag, dst := m.Tag[:c.TagSize], m.Dst[:len(m.Src)]
			crypt(c, false, &m.Nonce[0], &tag[0], unsafe.SliceData(dst), unsafe.SliceData(m.Src), len(dst), nil, 0)
		}
	}
}

// OpenPair is like calling Open for each message, but it stops at the first forgery. It
// returns the number of messages opened and zeroes the Dst of every message that it did
// not open. OpenPair panics if a Tag is too short.
func OpenPair(c *Cipher, two *[2]Message) (opened int) {
	var tags [2][TagSize128]byte
	ok := cryptPair(c, true, two, &tags)
	for i, m := range two {
		if ok && constanttime.Equal(&tags[i], (*[TagSize128]byte)(m.Tag)) == 0 || !ok && !Open(c, m.Nonce, m.Tag, m.Dst, m.Src, nil) {
			break
		}
		opened++
	}
	for _, m := range two[opened:] {
		clear(m.Dst)
	}
	if opened < len(two) {
		clear(tags[0][:])
		clear(tags[1][:])
	}
	return opened
}
