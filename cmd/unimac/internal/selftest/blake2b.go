// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package selftest

import (
	"bytes"
	"slices"

	"github.com/unimac/unimac/internal/blake2b"
)

// blake2bAnswers begin with the example of RFC 7693, appendix A, which has no key.
// The others are from testdata.
var blake2bAnswers = []knownTag{
	{text: "abc", tag: "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"},
	{key: "2501a41130badbc359f8b706b40d2e80", n: 65536, tag: "01a749c97d1f304c4fd1cb405c993360"},
	{key: "80dded6ff498d2121813481db8e0bc15ab9c91d5dd489e714d6794aa5fc14870", n: 65536, tag: "458b33e9b6ac616108830bff75d520748234df4841670747add3137360b4fd5e"},
	{key: "356269f4e940237858216b34fac7de274cab68d8f20b79f55ca9ae729b2f5d0b2ce2ec62e4a82ec478e9baf497a8f6e4e427199104a85a2a8cbdc824660acbbe", n: 65536, tag: "1db44d53b13f179558efa471d5fbd60a6f49f11754dcb9c0a0f6cdfdf05380cb3e79b7e82c36a454defed5fcd69cf1eb"},
	{key: "", n: 65536, tag: "d6d3390ba29d4ea324b3f42d316d70106e4c6a7aa6fc131f8968daaf9fb09488430dac26ccdbe968b51c3d585735feab052cec27a5a035258c383566ac69fd38"},
}

func testBLAKE2b() error {
	return testTags(blake2bAnswers, func(key, msg, tag []byte) bool {
		once := blake2b.New(len(tag), key)
		once.Write(msg)
		pieces := blake2b.New(len(tag), key)
		for piece := range slices.Chunk(msg, pieceSize) {
			pieces.Write(piece)
		}
		return bytes.Equal(once.Sum(nil), tag) && bytes.Equal(pieces.Sum(nil), tag) && lanesAgree(key, msg, tag)
	})
}

// lanesAgree reports whether the tag comes out of every lane, for up to nine
// messages at once, which is one more than the widest kernel takes. The others
// are beginnings of the message.
func lanesAgree(key, msg, tag []byte) bool {
	for n := 1; n <= 9; n++ {
		states, keys, msgs := make([]blake2b.State, n), make([][]byte, n), make([][]byte, n)
		for whole := range n {
			var want []byte
			for i := range n {
				keys[i], msgs[i] = key, msg[:len(msg)*i/n]
				if i == whole {
					msgs[i] = msg
					want = append(want, tag...)
					continue
				}
				one := blake2b.New(len(tag), key)
				one.Write(msgs[i])
				want = one.Sum(want)
			}
			blake2b.NewAll(states, len(tag), keys)
			blake2b.WriteAll(states, msgs)
			if !bytes.Equal(blake2b.SumAll(nil, states), want) {
				return false
			}
		}
	}
	return true
}
