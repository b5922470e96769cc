// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package selftest

import (
	"bytes"
	"encoding/hex"
	"fmt"

	"github.com/unimac/unimac/umac"
)

// A umacAnswer holds the tags of a message, repeated, under the key
// abcdefghijklmnop and the nonce bcdefghi. A tag of 96 bits is the beginning of
// that of 128.
type umacAnswer struct {
	msg               string
	count             int
	tag32, tag64, tag string
}

// umacAnswers are the test vectors of RFC 4418, the last as erratum 3507
// corrects it. They reach the three ways that messages are hashed: up to 1 KiB,
// up to 16 MiB and above.
var umacAnswers = []umacAnswer{
	{"", 0, "113145fb", "6e155fad26900be1", "32fedb100c79ad58f07ff7643cc60465"},
	{"a", 3, "3b91d102", "44b5cb542f220104", "185e4fe905cba7bd85e4c2dc3d117d8d"},
	{"a", 1 << 10, "599b350b", "26bf2f5d60118bd9", "7a54abe04af82d60fb298c3cbd195bcb"},
	{"a", 1 << 15, "58dcf532", "27f8ef643b0d118d", "7b136bd911e4b734286ef2be501f2c3c"},
	{"a", 1 << 20, "db6364d1", "a4477e87e9f55853", "f8acfa3ac31cfeea047f7b115b03bef5"},
	{"abc", 1, "abf3a3a0", "d4d7b9f6bd4fbfcf", "883c3d4b97a61976ffcf232308cba5a5"},
	{"abc", 500, "abeb3c8b", "d4cf26ddefd5c01a", "8824a260c53c66a36c9260a62cb83aa1"},
	{"a", 1 << 25, "85ee5cae", "faca46f856e9b45f", "a621c2457c0012e64f3fdae9e7e1870c"},
}

func testUMAC() error {
	for _, answer := range umacAnswers {
		for size, want := range map[int]string{
			umac.Size32:  answer.tag32,
			umac.Size64:  answer.tag64,
			umac.Size96:  answer.tag[:2*umac.Size96],
			umac.Size128: answer.tag,
		} {
			if err := testUMACAnswer(size, answer.msg, answer.count, want); err != nil {
				return fmt.Errorf("umac-%d of %d × %q: %w", 8*size, answer.count, answer.msg, err)
			}
		}
	}
	return nil
}

// testUMACAnswer checks a tag by Key and by MAC. Long messages go through MAC
// alone, in pieces that come to rest at every alignment.
func testUMACAnswer(size int, msg string, count int, want string) error {
	tag, err := hex.DecodeString(want)
	if err != nil {
		return err
	}
	key, err := umac.NewKey([]byte("abcdefghijklmnop"), size)
	if err != nil {
		return err
	}
	nonce := []byte("bcdefghi")
	const piece = 3*4099 + 1 // odd, and more than a few chunks
	if whole := bytes.Repeat([]byte(msg), min(count, 1<<15)); len(msg)*count == len(whole) {
		if !bytes.Equal(key.Sum(nil, nonce, whole), tag) || !key.Verify(tag, nonce, whole) {
			return errWrongAnswer
		}
	}
	m := key.New(nonce)
	pieces := bytes.Repeat([]byte(msg), piece)
	for left := len(msg) * count; left > 0; {
		n := min(left, piece*len(msg))
		m.Write(pieces[:n])
		left -= n
	}
	if !bytes.Equal(m.Sum(nil), tag) || !m.Verify(tag) {
		return errWrongAnswer
	}
	return nil
}
