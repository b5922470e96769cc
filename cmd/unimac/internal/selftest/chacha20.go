// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package selftest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/unimac/unimac/internal/chacha20"
)

// hChaCha20Answer is the example of draft-irtf-cfrg-xchacha-03, section 2.2.1, for
// the same key.
var hChaCha20Answer = struct{ nonce, subkey string }{
	nonce:  "000000090000004a0000000031415927",
	subkey: "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc",
}

// chacha20Answers are about the key stream of RFC 8439, section 2.3.2, whose key
// is 00 01 … 1f, with block 1 as its first.
var chacha20Answers = struct {
	block string // the first block, as printed there
	n     int    // bytes of the stream, enough for every kernel
	sum   string // their SHA-256
}{
	block: "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4ed2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e",
	n:     64<<10 + 63,
	sum:   "3745c6571909ad6a40f278f4a9e32e0b1944e0181eeaee0bc4827638844fcd06",
}

func testChaCha20() error {
	key := [chacha20.KeySize]byte(pattern(chacha20.KeySize))
	nonce := [chacha20.NonceSizeRFC]byte{3: 9, 7: 0x4a}
	stream := make([]byte, chacha20Answers.n)
	chacha20.KeyStream(stream, &key, &nonce, 1)
	if hex.EncodeToString(stream[:chacha20.BlockSize]) != chacha20Answers.block {
		return fmt.Errorf("first block: %w", errWrongAnswer)
	}
	if sum := sha256.Sum256(stream); hex.EncodeToString(sum[:]) != chacha20Answers.sum {
		return fmt.Errorf("%d bytes: %w", len(stream), errWrongAnswer)
	}
	// Pieces of every number of blocks up to 40.
	at := 0
	for blocks := 1; blocks <= 40; blocks++ {
		piece := make([]byte, blocks*chacha20.BlockSize)
		chacha20.KeyStream(piece, &key, &nonce, uint32(1+at/chacha20.BlockSize))
		if !bytes.Equal(piece, stream[at:at+len(piece)]) {
			return fmt.Errorf("%d blocks: %w", blocks, errWrongAnswer)
		}
		at += len(piece)
	}
	return testHChaCha20(&key)
}

func testHChaCha20(key *[chacha20.KeySize]byte) error {
	nonce, err := hex.DecodeString(hChaCha20Answer.nonce)
	if err != nil {
		return err
	}
	var subkey [chacha20.KeySize]byte
	chacha20.HChaCha20(&subkey, key, (*[16]byte)(nonce))
	if hex.EncodeToString(subkey[:]) != hChaCha20Answer.subkey {
		return fmt.Errorf("HChaCha20: %w", errWrongAnswer)
	}
	return nil
}
