// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package selftest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/unimac/unimac/multimixer"
)

// multimixerAnswers are from testdata: messages of several chunks, which are long
// enough for every kernel.
var multimixerAnswers = []knownTag{
	{key: "7eda6f4e10a43cfcce5d7c49a34540f487ead36f6be4513a291b6654d1c7c5b0", n: 8193, tag: "ba1e0b997b8421273845b2785e854d0a"},
	{key: "b1c6895d6c93663797b5863a5f053fbc96405c8d12c2efe7b571306e035c649f", n: 100001, tag: "7552d018a743c6fd21b6099d9beda783"},
	{key: "c45cca1cce93cf24f229b4e7adf6ef45aef5b8945a40b41b29ef0f22cd4be2e1", n: 8193, tag: "8db27c407131e71651e34317cbe0b0bc284a6c94e203b88dcde07b0d7cfc30fa"},
	{key: "611466c59d28ee9000d6c06bdb698c085d65b3ab1fbbaa591e3e8415e22b6799", n: 100001, tag: "9c5f6a497d3b9df47c30f74edf93451493a16523c74dcaad121d94f350fc2d2a"},
	{key: "657b10145571b38e0c9dbaa14c193048892c5b67bcc24333aa1d8b9466467526", n: 8193, tag: "c7e8c54940c0c7b9f26b07d00546f37c0d44bc243d595f34878544152d2eb32db490cf8a3ec1be29d2dfafcb8eeacfde749d120fe9b031ad709c0d64de583c07"},
	{key: "36ff73181ea1ecc224454264620c3e3dd1de295fb8dc456c55b456507f093c4b", n: 100001, tag: "f342e1527da37a75f49d0f8ddb6d9c682d1806a7469755e620fdeeef662b2f4131dc04c5d180ab33a09d397f380b72e432231cdbfacace255d9a31505878a440"},
}

func testMultimixer() error {
	for _, blocks := range []int{1, 2, 3, 255, 4096} {
		if err := testMultimixerDigest(blocks); err != nil {
			return err
		}
	}
	return testTags(multimixerAnswers, func(key, msg, tag []byte) bool {
		k, err := multimixer.NewKey(key, len(tag))
		if err != nil {
			return false
		}
		m := k.New()
		for piece := range slices.Chunk(msg, pieceSize) {
			m.Write(piece)
		}
		return bytes.Equal(k.Sum(nil, msg), tag) && k.Verify(tag, msg) &&
			bytes.Equal(m.Sum(nil), tag) && m.Verify(tag)
	})
}

// The words of the digest of a block with all bytes f0 under a key of all bytes
// 0f: x_i and y_i are 2^32 - 1, and u_i and v_i are 2^32 - 3.
var multimixerDigest = [2]uint64{0xfffffffe00000001, 0xfffffffa00000009}

// testMultimixerDigest repeats that block: the digest is a sum over blocks.
func testMultimixerDigest(blocks int) error {
	key := bytes.Repeat([]byte{0x0f}, blocks*multimixer.BlockSize)
	msg := bytes.Repeat([]byte{0xf0}, blocks*multimixer.BlockSize)
	var digest [multimixer.DigestSize]byte
	if err := multimixer.Digest(&digest, key, msg); err != nil {
		return err
	}
	for i := range 8 {
		if binary.LittleEndian.Uint64(digest[8*i:]) != uint64(blocks)*multimixerDigest[i/4] {
			return fmt.Errorf("digest of %d blocks: %w", blocks, errWrongAnswer)
		}
	}
	return nil
}
