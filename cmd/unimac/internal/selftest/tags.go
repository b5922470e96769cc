// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package selftest

import (
	"encoding/hex"
	"fmt"
)

// A knownTag is the tag, without a nonce, of a message under a key. Key and tag
// are in hexadecimal digits. The message is text, or where that is empty, the
// pattern of n bytes.
type knownTag struct {
	key  string
	text string
	n    int
	tag  string
}

// testTags calls right with each answer; it reports whether tag is what all ways
// to compute it give.
func testTags(answers []knownTag, right func(key, msg, tag []byte) bool) error {
	for _, a := range answers {
		key, err := hex.DecodeString(a.key)
		if err != nil {
			return err
		}
		tag, err := hex.DecodeString(a.tag)
		if err != nil {
			return err
		}
		msg := []byte(a.text)
		if a.text == "" {
			msg = pattern(a.n)
		}
		if !right(key, msg, tag) {
			return fmt.Errorf("tag of %d bytes of a message of %d: %w", len(tag), len(msg), errWrongAnswer)
		}
	}
	return nil
}

// pieceSize is the size in bytes of the pieces that messages are written in. It
// is odd, so that they come to rest at every alignment, and enough for every
// kernel.
const pieceSize = 4099

// pattern returns n bytes, of which byte i is i mod 251, as in testdata.
func pattern(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(i % 251)
	}
	return p
}
