// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"unsafe"

	"github.com/unimac/unimac/internal/constanttime"
)

// A Message is one of two that are sealed or opened at once.
type Message struct {
	Nonce    []byte // of the size of the variant's keys
	Tag      []byte // of the cipher's size
	Dst, Src []byte // of one length, the same memory or apart
}

// SealPair is Seal of two messages under one key, without additional data. Where there is a kernel for it and
// both have one length, a multiple of the rate, and tags of 16 bytes, they take little more time than one.
func SealPair(c *Cipher, two *[2]Message) {
	var tags [2][TagSize128]byte
	ok := cryptPair(c, false, two, &tags)
	for i, m := range two {
		if ok {
			copy(m.Tag, tags[i][:])
		} else {
			tag, dst := m.Tag[:c.TagSize], m.Dst[:len(m.Src)]
			crypt(c, false, &m.Nonce[0], &tag[0], unsafe.SliceData(dst), unsafe.SliceData(m.Src), len(dst), nil, 0)
		}
	}
}

// OpenPair is Open of two messages. It returns how many are authentic up to the first that is not: the dst of
// that one, and of one after it, is all zeros.
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
