// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"bytes"
	"crypto/aes"
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/unimac/unimac/chacha20poly1305"
	blake2bgo "github.com/unimac/unimac/internal/blake2b"
	chacha20go "github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20"
	"github.com/unimac/unimac/internal/proof/kernels/poly1305"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
	salsa20go "github.com/unimac/unimac/internal/salsa20"
	multimixergo "github.com/unimac/unimac/multimixer"
	"github.com/unimac/unimac/umac"
)

// These tests compare the specifications with the packages on random inputs. Otherwise,
// a mistake that a specification shares with a kernel would be proven.

// memory declares an object with the given contents.
func memory(c *engine.Case, name string, data []byte) *machine.Object {
	o := c.Buffer(name, int64(len(data)))
	for i, b := range data {
		o.Set(int64(i), c.Const(8, uint64(b)))
	}
	return o
}

func random(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// specified returns the contents of an object that a kernel's Spec describes after n
// bytes. memory and words contain the values of the inputs, by name.
func specified(t *testing.T, name, object string, n int64, memory map[string][]byte, words map[string]uint64) []byte {
	t.Helper()
	k, c := kernel(t, name), engine.NewCase()
	c.Kernel, c.Variant, c.N = k, k.First().Variant, c.Const(64, uint64(n))
	k.Setup(c)
	k.Spec(c, n, true)
	var want engine.Wanted
	for _, o := range c.Objects() {
		if o.Name == object {
			want = c.Wanted(o)
		}
	}
	if want == nil {
		t.Fatalf("%s: Spec does not describe %s", name, object)
	}
	e := c.Evaluate(func(leaf term.Term) uint64 {
		of := c.Info(leaf).Name
		if v, ok := words[of]; ok {
			return v
		}
		var at int
		from, rest, _ := strings.Cut(of, "[")
		if _, err := fmt.Sscanf(rest, "%d]", &at); err != nil || at >= len(memory[from]) {
			t.Fatalf("%s: %s has no value", name, of)
		}
		return uint64(memory[from][at])
	})
	out := bytes.Clone(memory[object])
	out = append(out, make([]byte, max(0, len(want)-len(out)))...)
	for at, b := range want.All() {
		out[at] = e.Byte(b)
	}
	return out
}

func TestSpecifiedChaCha20(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 3 {
		key, nonce, src := [32]byte(random(r, 32)), [16]byte(random(r, 16)), random(r, 200)
		counter := r.Uint64()
		if counter&1 == 0 {
			counter = 1<<32 - 2
		}
		var sub [32]byte
		chacha20go.HChaCha20(&sub, &key, &nonce)
		memory := map[string][]byte{"key": key[:], "nonce": nonce[:], "src": src}
		if got := specified(t, "hChaCha20AVX2", "out", 0, memory, nil); !bytes.Equal(got, sub[:]) {
			t.Errorf("HChaCha20: got %x, want %x", got, sub)
		}
		want := make([]byte, len(src))
		chacha20go.XORKeyStream(want, src, &key, (*[8]byte)(nonce[:8]), counter)
		memory["nonce"] = nonce[:8]
		if got := specified(t, "xorAVX512", "dst", 200, memory, map[string]uint64{"counter": counter}); !bytes.Equal(got, want) {
			t.Errorf("ChaCha20: got %x, want %x", got, want)
		}
	}
}

func TestSpecifiedSalsa20(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 20 {
		key, nonce, src, counter := [32]byte(random(r, 32)), [8]byte(random(r, 8)), random(r, 200), r.Uint64()
		want := make([]byte, len(src))
		salsa20go.XORKeyStream(want, src, &key, &nonce, counter)
		memory := map[string][]byte{"key": key[:], "nonce": nonce[:], "src": src}
		if got := specified(t, "salsa20 xorAVX2", "dst", 200, memory, map[string]uint64{"counter": counter}); !bytes.Equal(got, want) {
			t.Errorf("Salsa20: got %x, want %x", got, want)
		}
	}
}

func TestSpecifiedBLAKE2b(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const lanes, size = 8, 384
	var want [lanes][64]byte
	table := make([]byte, 640)
	memory := map[string][]byte{}
	last := map[string][]byte{}
	for i := range lanes {
		msg := random(r, size)
		blake2bgo.Digest(&want[i], 64, msg)
		for j, iv := range spec.BLAKE2bIV {
			if j == 0 {
				iv ^= 1<<24 | 1<<16 | 64
			}
			binary.LittleEndian.PutUint64(table[64*j+8*i:], iv)
		}
		name := fmt.Sprintf("blocks%d", i)
		memory[name], last[name] = msg[:256], msg[256:]
	}
	memory["l"] = table
	table = specified(t, "lanes8AVX512", "l", 256, memory, map[string]uint64{"f": 0})
	last["l"] = table
	out := specified(t, "lanes8AVX512", "l", 128, last, map[string]uint64{"f": ^uint64(0)})
	for i := range lanes {
		var h, got []byte
		for j := range 8 {
			h, got = append(h, table[64*j+8*i:][:8]...), append(got, out[64*j+8*i:][:8]...)
		}
		if !bytes.Equal(got, want[i][:]) {
			t.Errorf("lane %d: got %x, want %x", i, got, want[i])
		}
		one := map[string][]byte{"h": h, "blocks": last[fmt.Sprintf("blocks%d", i)]}
		if got := specified(t, "compressAVX2", "h", 128, one, map[string]uint64{"t": 256, "f": ^uint64(0)}); !bytes.Equal(got, want[i][:]) {
			t.Errorf("one message: got %x, want %x", got, want[i])
		}
	}
}

func TestSpecifiedMultimixer(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	key, msg := random(r, 96), random(r, 96)
	var want [8]uint64
	for at := 0; at < len(msg); at += spec.F128Block {
		var x [8]uint32
		for i := range x {
			x[i] = binary.LittleEndian.Uint32(key[at+4*i:]) + binary.LittleEndian.Uint32(msg[at+4*i:])
		}
		for i, z := range multimixergo.F128(&x) {
			want[i] += z
		}
	}
	got := specified(t, "sumAVX2", "dst", 96, map[string][]byte{"key": key, "msg": msg}, nil)
	for i, w := range want {
		if g := binary.LittleEndian.Uint64(got[8*i:]); g != w {
			t.Errorf("sum %d: got %#x, want %#x", i, g, w)
		}
	}
}

// integer returns the value of a polynomial without unknowns.
func integer(t *testing.T, p algebra.Poly) *big.Int {
	t.Helper()
	v, ok := p.Known()
	if !ok {
		t.Fatal("polynomial contains unknowns")
	}
	return v
}

// TestSpecifiedAEAD encrypts and authenticates as in RFC 8439, section 2.8, with the
// specifications of keystream, key, polynomial and tag.
func TestSpecifiedAEAD(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{0, 1, 64, 203} {
		key, nonce, ad, plain := random(r, 32), random(r, 12), random(r, n%20), random(r, n)
		a, err := chacha20poly1305.New(key)
		if err != nil {
			t.Fatal(err)
		}
		want := a.Seal(nil, nonce, plain, ad)

		c := engine.NewCase()
		keyIn, nonceIn := memory(c, "key", key), memory(c, "nonce", nonce)
		x := chacha20.Cipher{Key: keyIn, Nonce: nonceIn, NonceAt: 4}
		block := func(number uint64) [64]term.Byte {
			return chacha20.ChaCha20(c, &x, c.Const(64, uint64(binary.LittleEndian.Uint32(nonce))<<32|number))
		}
		var got []byte
		for i := range plain {
			b, _ := c.ByteValue(block(uint64(1 + i/64))[i%64])
			got = append(got, plain[i]^b)
		}
		text := append(append([]byte{}, ad...), make([]byte, -len(ad)&15)...)
		text = append(append(text, got...), make([]byte, -n&15)...)
		text = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(text, uint64(len(ad))), uint64(n))
		first := block(0)
		word := func(i int) term.Term { return c.Gather(first[8*i : 8*i+8]) }
		g := poly1305.NewRing(c)
		g.R = g.Number(64, c.And(word(0), c.Const(64, spec.Poly1305Clamp[0])), c.And(word(1), c.Const(64, spec.Poly1305Clamp[1])))
		h := integer(t, g.Hash(c, algebra.Poly{}, memory(c, "text", text), 0, int64(len(text)/spec.Poly1305Block)))
		h.Mod(h, spec.Poly1305Prime)
		var words [3]term.Term
		for i := range words {
			v := new(big.Int).Rsh(h, uint(64*i))
			words[i] = c.Const(64, v.And(v, new(big.Int).SetUint64(^uint64(0))).Uint64())
		}
		for _, t := range spec.Poly1305Tag(c.Store, words, [2]term.Term{word(2), word(3)}, true) {
			got = binary.LittleEndian.AppendUint64(got, c.Imm(t))
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d bytes: got %x, want %x", n, got, want)
		}
	}
}

// TestSpecifiedUMAC computes tags with the specifications of NH, POLY-64, L3-HASH and
// AES. It derives the keys as in RFC 4418: byte 7 of each block contains the index of
// the key, and byte 15 counts blocks from 1.
func TestSpecifiedUMAC(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	key := random(r, 16)
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	derive := func(of byte, n int) (out []byte) {
		for i := byte(1); len(out) < n; i++ {
			var b [16]byte
			b[7], b[15] = of, i
			block.Encrypt(b[:], b[:])
			out = append(out, b[:]...)
		}
		return out[:n]
	}
	const streams = 2
	words := derive(1, spec.NHChunk+16*(streams-1))
	for at := 0; at < len(words); at += 4 {
		binary.LittleEndian.PutUint32(words[at:], binary.BigEndian.Uint32(words[at:]))
	}
	polyKeys, l3Keys, masks := derive(2, 24*streams), derive(3, 64*streams), derive(4, 4*streams)
	k, err := umac.NewKey(key, 4*streams)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 31, 500, 1024, 1025, 3100} {
		msg, nonce := random(r, n), random(r, 16)
		want := k.Sum(nil, nonce, msg)
		c := engine.NewCase()
		nhKey, chunk := memory(c, "key", words), memory(c, "msg", msg)
		a := algebra.New(c.Store)
		pad := specifiedPad(c, block, nonce, 8)
		var got []byte
		for s := range streams {
			value := spec.NHValue(c.Store, nhKey, chunk, 0, int64(min(n, spec.NHChunk)), s)
			y := algebra.Integer(new(big.Int).SetUint64(spec.Poly64Start))
			factor := algebra.Integer(new(big.Int).SetUint64(binary.BigEndian.Uint64(polyKeys[24*s:]) & spec.Poly64Mask))
			for at := 0; n > spec.NHChunk && at < n; at += spec.NHChunk {
				v := spec.NHValue(c.Store, nhKey, chunk, int64(at), int64(min(n-at, spec.NHChunk)), s)
				y = spec.Poly64Step(factor, y, a.Value(v), c.Imm(v) >= spec.Poly64Limit)
			}
			if n > spec.NHChunk {
				v := integer(t, y)
				value = c.Const(64, v.Mod(v, spec.Poly64Prime).Uint64())
			}
			var k1 [4]term.Term
			for i := range k1 {
				k1[i] = c.Const(64, binary.BigEndian.Uint64(l3Keys[64*s+32+8*i:])%spec.L3Prime.Uint64())
			}
			hash := integer(t, spec.L3Product(c.Store, a, value, k1))
			sum := uint32(hash.Mod(hash, spec.L3Prime).Uint64()) ^ binary.BigEndian.Uint32(masks[4*s:])
			got = binary.BigEndian.AppendUint32(got, sum^binary.BigEndian.Uint32(pad[4*s:]))
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d bytes: got %x, want %x", n, got, want)
		}
	}
}

// specifiedPad returns the pad of a tag of the given size.
func specifiedPad(c *engine.Case, kdf interface{ Encrypt(dst, src []byte) }, nonce []byte, size int) []byte {
	nonce = bytes.Clone(nonce)
	index := int(nonce[15]) % (16 / size)
	nonce[15] -= byte(index)
	var key [16]byte
	key[15] = 1
	kdf.Encrypt(key[:], key[:]) // the pad's key has index 0
	keys := memory(c, "aes", expand(c, key[:]))
	var b [16]term.Byte
	for i := range b {
		b[i] = term.ConstByte(nonce[i])
	}
	var pad []byte
	for _, x := range spec.AESEncrypt(c.Store, b, keys, 0, 10) {
		v, _ := c.ByteValue(x)
		pad = append(pad, v)
	}
	return pad[index*size : index*size+size]
}

// expand returns the round keys of AES-128 (FIPS 197, section 5.2).
func expand(c *engine.Case, key []byte) []byte {
	keys := bytes.Clone(key)
	for i, constant := 4, byte(1); i < 44; i++ {
		word := bytes.Clone(keys[4*i-4:])
		if i%4 == 0 {
			word = []byte{word[1], word[2], word[3], word[0]}
			for j, b := range word {
				word[j] = byte(c.Imm(c.Apply(term.SubByte, 8, 0, c.Const(8, uint64(b)))))
			}
			word[0] ^= constant
			constant = constant<<1 ^ constant>>7*0x1b
		}
		for j := range word {
			word[j] ^= keys[4*i-16+j]
		}
		keys = append(keys, word...)
	}
	return keys
}
