// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

// A Message is one of two that are sealed or opened side by side.
type Message struct {
	Nonce    []byte
	Tag      []byte // of 16 bytes
	Dst, Src []byte // as those of Seal, and apart from those of the other message
}

// SealPair is Seal of two messages under one key, without additional data. Where there is a kernel for it and
// both have one length, a multiple of the rate, and tags of 16 bytes, they take little more time than one.
func SealPair(v Variant, key []byte, two *[2]Message) {
	tags, ok := sealPair(v, key, two)
	for i, m := range two {
		if ok {
			copy(m.Tag, tags[i][:])
		} else {
			Seal(v, m.Tag, m.Dst, m.Src, nil, key, m.Nonce)
		}
	}
}

// OpenPair is Open of two messages. It returns how many are authentic up to the first that is not: the dst of
// that one, and of one after it, is all zeros.
func OpenPair(v Variant, key []byte, two *[2]Message) (opened int) {
	tags, ok := openPair(v, key, two)
	for _, m := range two {
		if ok && !Equal(tags[opened][:], m.Tag) || !ok && !Open(v, m.Tag, m.Dst, m.Src, nil, key, m.Nonce) {
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
