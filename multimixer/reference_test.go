// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import (
	"encoding/binary"

	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/chacha20"
)

// refDigest is the sum of F128, which the tests of internal/multimixer compare with the
// paper's definition.
func refDigest(key, msg []byte) []byte {
	var sum [8]uint64
	for i := 0; i < len(msg); i += BlockSize {
		var x [8]uint32
		for j := range x {
			x[j] = binary.LittleEndian.Uint32(key[i+4*j:]) + binary.LittleEndian.Uint32(msg[i+4*j:])
		}
		for j, z := range F128(&x) {
			sum[j] += z
		}
	}
	digest, _ := binary.Append(nil, binary.LittleEndian, sum)
	return digest
}

// refMAC is the construction of the MAC on byte strings and x/crypto's packages.
func refMAC(key, msg []byte, size int) []byte {
	c, err := chacha20.NewUnauthenticatedCipher(key, []byte("unimac-mm128"))
	if err != nil {
		panic(err)
	}
	stream := make([]byte, 8192+64)
	c.XORKeyStream(stream, stream)
	h, err := blake2b.New(size, stream[8192:])
	if err != nil {
		panic(err)
	}
	for rest := msg; len(rest) > 0; {
		n := min(len(rest), 8192)
		chunk := append([]byte{}, rest[:n]...)
		for len(chunk)%32 != 0 {
			chunk = append(chunk, 0)
		}
		h.Write(refDigest(stream[:len(chunk)], chunk))
		rest = rest[n:]
	}
	binary.Write(h, binary.LittleEndian, uint64(len(msg)))
	return h.Sum(nil)
}
