// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// The reference implements the RFC byte by byte. Its table lookups depend on secrets,
// so no other code in this package may use it.

type word [blockSize]byte

// sbox is the S-box of FIPS 197, and inverse its inverse.
var sbox, inverse = func() (sbox, inverse [256]byte) {
	for x := range 256 {
		var inv byte // x^254 = 1/x
		for y := range 256 {
			if multiply(byte(x), byte(y)) == 1 {
				inv = byte(y)
			}
		}
		s := byte(0x63)
		for i := range 5 {
			s ^= inv<<i | inv>>(8-i)
		}
		sbox[x], inverse[s] = s, byte(x)
	}
	return sbox, inverse
}()

// multiply multiplies in GF(2^8).
func multiply(x, y byte) (z byte) {
	for ; y > 0; y >>= 1 {
		z ^= x * (y & 1)
		x = x<<1 ^ x>>7*0x1b
	}
	return z
}

func (x word) xor(y word) word { return xor(x, y) }

// round returns the result of an AES round without the key addition.
func (x word) round() (z word) {
	for i := range z {
		row, column := i%4, i/4
		for j, factor := range [4]byte{2, 3, 1, 1} {
			from := (row + j) % 4
			z[i] ^= multiply(factor, sbox[x[from+4*((column+from)%4)]])
		}
	}
	return z
}

// unround inverts round.
func (x word) unround() (z word) {
	for i := range z {
		row, column := i%4, i/4
		var sum byte
		for j, factor := range [4]byte{14, 11, 13, 9} {
			sum ^= multiply(factor, x[(row+j)%4+4*column])
		}
		z[row+4*((column+row)%4)] = inverse[sum]
	}
	return z
}

// reference is the state of one lane.
type reference []word

// newReference returns the state of a lane after Init.
func newReference(v Variant, lane int, key, nonce []byte) reference {
	ctx := word{byte(lane), byte(v.Lanes() - 1)}
	k0, n0 := word(key), word(nonce)
	var s reference
	var inputs [][]word
	if v.Family() == Family128 {
		s = reference{k0.xor(n0), c1, c0, c1, k0.xor(n0), k0.xor(c0), k0.xor(c1), k0.xor(c0)}
		for range 10 {
			inputs = append(inputs, []word{n0, k0})
		}
	} else {
		k1, n1 := word(key[16:]), word(nonce[16:])
		s = reference{k0.xor(n0), k1.xor(n1), c1, c0, k0.xor(c0), k1.xor(c1)}
		for range 4 {
			inputs = append(inputs, []word{k0}, []word{k1}, []word{k0.xor(n0)}, []word{k1.xor(n1)})
		}
	}
	for _, m := range inputs {
		last := len(s) - 1
		s[3], s[last] = s[3].xor(ctx), s[last].xor(ctx)
		s.update(m)
	}
	return s
}

func (s reference) update(m []word) {
	last := s[len(s)-1]
	for i := len(s) - 1; i > 0; i-- {
		s[i] = s[i].xor(s[i-1].round())
	}
	s[0] = s[0].xor(last.round()).xor(m[0])
	if len(m) > 1 {
		s[4] = s[4].xor(m[1])
	}
}

func (s reference) keyStream() []word {
	and := func(x, y word) (z word) {
		for i := range z {
			z[i] = x[i] & y[i]
		}
		return z
	}
	if len(s) == 6 {
		return []word{s[1].xor(s[4]).xor(s[5]).xor(and(s[2], s[3]))}
	}
	return []word{s[1].xor(s[6]).xor(and(s[2], s[3])), s[2].xor(s[5]).xor(and(s[6], s[7]))}
}

// finish returns the 16-byte and the 32-byte tag of a lane.
func (s reference) finish(x, y uint64) (short, long []byte) {
	u := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, x), y)
	m := []word{s[3].xor(word(u))}
	if len(s) == 8 {
		t := s[2].xor(word(u))
		m = []word{t, t}
	}
	for range 7 {
		s.update(m)
	}
	var sums [2]word
	for i := range s {
		sums[2*i/len(s)] = sums[2*i/len(s)].xor(s[i])
	}
	all := sums[0].xor(sums[1])
	if len(s) == 8 {
		all = all.xor(s[7])
	}
	return all[:], append(sums[0][:], sums[1][:]...)
}

// referenceMessage is the state of all lanes.
type referenceMessage struct {
	v     Variant
	lanes []reference
}

func newReferenceMessage(v Variant, key, nonce []byte) *referenceMessage {
	r := &referenceMessage{v: v}
	for lane := range v.Lanes() {
		r.lanes = append(r.lanes, newReference(v, lane, key, nonce))
	}
	return r
}

// pieces pads data with zeros and splits it into pieces of as many blocks as the rate.
func (r *referenceMessage) pieces(data []byte) (pieces [][]word) {
	for len(data) > 0 {
		piece := make([]word, r.v.Rate()/blockSize)
		for i := range piece {
			data = data[copy(piece[i][:], data):]
		}
		pieces = append(pieces, piece)
	}
	return pieces
}

// update performs an Update of each lane with the lane's blocks of a piece.
func (r *referenceMessage) update(piece []word) {
	d := len(r.lanes)
	for i, lane := range r.lanes {
		m := []word{piece[i]}
		if len(piece) > d {
			m = append(m, piece[d+i])
		}
		lane.update(m)
	}
}

// seal returns the ciphertext and both tags.
func (r *referenceMessage) seal(text, ad []byte) (ciphertext, short, long []byte) {
	for _, piece := range r.pieces(ad) {
		r.update(piece)
	}
	for _, piece := range r.pieces(text) {
		d := len(r.lanes)
		for b := range piece {
			c := piece[b].xor(r.lanes[b%d].keyStream()[b/d])
			ciphertext = append(ciphertext, c[:]...)
		}
		r.update(piece)
	}
	short, long = make([]byte, 16), make([]byte, 32)
	for _, lane := range r.lanes {
		s, l := lane.finish(8*uint64(len(ad)), 8*uint64(len(text)))
		for i := range s {
			short[i] ^= s[i]
		}
		for i := range l {
			long[i] ^= l[i]
		}
	}
	return ciphertext[:len(text)], short, long
}

// TestReference compares Seal and Open of random messages with the reference, and
// checks that Open rejects changed tags.
func TestReference(t *testing.T) {
	lengths := []int{0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 300, 511, 512, 513, 700}
	each(t, func(t *testing.T, v Variant) {
		for i, n := range lengths {
			key, nonce := mactest.Random(v.KeySize(), uint64(n)), mactest.Random(v.KeySize(), uint64(n)+1000)
			text, ad := mactest.Random(n, 1), mactest.Random(lengths[len(lengths)-1-i]/2, 2)
			want, short, long := newReferenceMessage(v, key, nonce).seal(text, ad)
			for _, wantTag := range [][]byte{short, long} {
				got, tag := make([]byte, n), make([]byte, len(wantTag))
				c := cipherOf(v, key, len(tag))
				if seal(c, nonce, tag, got, text, ad); !bytes.Equal(got, want) || !bytes.Equal(tag, wantTag) {
					t.Errorf("%d bytes, %d of additional data: Seal = %x, tag %x, want %x, tag %x", n, len(ad), got, tag, want, wantTag)
				}
				if !Open(c, nonce, wantTag, got, want, ad) || !bytes.Equal(got, text) {
					t.Errorf("%d bytes, %d of additional data: Open rejected a correct tag", n, len(ad))
				}
				tag[i%len(tag)] ^= 0x10
				if Open(c, nonce, tag, got, want, ad) || !bytes.Equal(got, make([]byte, n)) {
					t.Errorf("%d bytes: Open accepted a forgery or left %x, want zeros", n, got)
				}
			}
		}
	})
}
