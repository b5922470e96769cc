// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package selftest

import (
	"bytes"
	"slices"

	"github.com/unimac/unimac/poly1305"
)

// poly1305Answers begin with the example of RFC 8439, section 2.5.2, and a message
// whose hash passes the prime. The others are from testdata and reach the vector
// kernels.
var poly1305Answers = []knownTag{
	{key: "85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b", text: "Cryptographic Forum Research Group", tag: "a8061dc1305136c6c22b8baf0c0127a9"},
	{key: "0200000000000000000000000000000000000000000000000000000000000000", text: "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", tag: "03000000000000000000000000000000"},
	{key: "dd6a075b4b58a904e90fc8b10b0d6a36d2920490ac2e240137e24a7da0e34397", n: 65536, tag: "277f99e5d73f230fea44f9fa9a28e1e1"},
	{key: "02acbb2eb79c5091f30b98182f3d3d6cc3dcfeaad5eedbd5cfb71d1a0e17e298", n: 1048589, tag: "d51e0b9ed496b140a20371f7b92f492b"},
}

func testPoly1305() error {
	return testTags(poly1305Answers, func(key, msg, tag []byte) bool {
		k, want := (*[poly1305.KeySize]byte)(key), (*[poly1305.TagSize]byte)(tag)
		var once [poly1305.TagSize]byte
		poly1305.Sum(&once, msg, k)
		m := poly1305.New(k)
		for piece := range slices.Chunk(msg, pieceSize) {
			m.Write(piece)
		}
		return once == *want && poly1305.Verify(want, msg, k) &&
			bytes.Equal(m.Sum(nil), tag) && m.Verify(tag)
	})
}
