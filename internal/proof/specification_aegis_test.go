// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/unimac/unimac/internal/aegis"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// TestSpecifiedAEGIS encrypts a message of twice the rate with each variant by the
// specifications of Init, Update, keystream, Finish and tags, and compares the results
// with package aegis, which is tested against published vectors.
func TestSpecifiedAEGIS(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for v := aegis.AEGIS128L; v <= aegis.AEGIS256X4; v++ {
		c := engine.NewCase()
		blocks := func(b []byte) (list []spec.Block) {
			for ; len(b) > 0; b = b[16:] {
				var block spec.Block
				for i := range block {
					block[i] = term.ConstByte(b[i])
				}
				list = append(list, block)
			}
			return list
		}
		numbers := func(block spec.Block) (b []byte) {
			for _, x := range block {
				v, ok := c.ByteValue(x)
				if !ok {
					t.Fatal("a byte is not constant")
				}
				b = append(b, v)
			}
			return b
		}
		key, nonce, msg := random(r, v.KeySize()), random(r, v.KeySize()), random(r, 2*v.Rate())
		long, short := make([]byte, len(msg)+32), make([]byte, len(msg)+16)
		for size, out := range map[int][]byte{32: long, 16: short} {
			c := aegis.Cipher{Variant: v, TagSize: size}
			copy(c.Key[:], key)
			aegis.Seal(&c, nonce, out, msg, nil)
		}
		tag, want := append(long[len(msg):], short[len(msg):]...), short[:len(msg)]

		lanes, pieces := v.Lanes(), blocks(msg)
		var u [16]byte
		binary.LittleEndian.PutUint64(u[8:], 8*uint64(len(msg)))
		var sums [3]spec.Block
		got := make([]byte, len(msg))
		for lane := range lanes {
			s := spec.AEGISLane(c.Store, blocks(key), blocks(nonce), blocks(append([]byte{byte(lane), byte(lanes - 1)}, make([]byte, 14)...))[0])
			for at := lane; at < len(pieces); {
				var input []spec.Block
				for _, z := range s.KeyStream(c.Store) {
					copy(got[16*at:], numbers(spec.XorBlocks(c.Store, pieces[at], z)))
					input = append(input, pieces[at])
					at += lanes
				}
				s = s.Update(c.Store, input...)
			}
			for i, part := range s.Finish(c.Store, blocks(u[:])[0]).Tags(c.Store) {
				sums[i] = spec.XorBlocks(c.Store, sums[i], part)
			}
		}
		if !bytes.Equal(got, want) {
			t.Errorf("variant %d: got ciphertext %x, want %x", v, got, want)
		}
		for i, sum := range sums {
			if got := numbers(sum); !bytes.Equal(got, tag[16*i:16*i+16]) {
				t.Errorf("variant %d: got part %d of the tags %x, want %x", v, i, got, tag[16*i:16*i+16])
			}
		}
	}
}
