// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/chacha20"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/vectors"
)

func TestDigestVectors(t *testing.T) {
	type test struct {
		Key, Digest vectors.Hex
		Msg         vectors.Message
	}
	tests := vectors.Load[test](t, "multimixer128.json")
	mactest.Implementations(t, "multimixer", func(t *testing.T) {
		for _, v := range tests {
			var digest [DigestSize]byte
			if err := Digest(&digest, v.Key, v.Msg.Bytes()); err != nil || !bytes.Equal(digest[:], v.Digest) {
				t.Errorf("%d bytes: Digest = %x, %v, want %x", len(v.Key), digest, err, v.Digest)
			}
		}
	})
}

func TestDigestErrors(t *testing.T) {
	filled, zeros := [DigestSize]byte(bytes.Repeat([]byte{0xee}, DigestSize)), make([]byte, 300)
	mactest.Implementations(t, "multimixer", func(t *testing.T) {
		for k := range 300 {
			for m := range 300 {
				digest := filled
				err := Digest(&digest, zeros[:k], zeros[:m])
				if ok := k == m && k > 0 && k%BlockSize == 0; ok {
					if err != nil || digest != [DigestSize]byte{} {
						t.Errorf("key of %d bytes, message of %d bytes: got error %v, digest %x, want nil and zeros", k, m, err, digest)
					}
				} else if !errors.Is(err, ErrLength) || digest != filled {
					t.Errorf("key of %d bytes, message of %d bytes: got error %v, digest %x, want %v and an unchanged digest", k, m, err, digest, ErrLength)
				}
			}
		}
	})
}

func TestDigestAllocations(t *testing.T) {
	mactest.Implementations(t, "multimixer", func(t *testing.T) {
		for _, n := range []int{BlockSize, 8192} {
			key, msg := mactest.Random(n, 11), mactest.Random(n, 12)
			mactest.NoAllocations(t, "Digest", func() {
				var digest [DigestSize]byte
				if Digest(&digest, key, msg) != nil || Digest(&digest, key, msg[1:]) == nil {
					t.Error("got an error for equal lengths, or none for different lengths")
				}
			})
		}
		mactest.NoAllocations(t, "F128", func() {
			x := [8]uint32{1, 2, 3, 4, 5, 6, 7, 8}
			F128(&x)
		})
	})
}

// refDigest computes the sum of F128 over all blocks. The tests of internal/multimixer
// compare F128 with the paper's definition.
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

// refMAC computes the MAC with golang.org/x/crypto's packages.
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
