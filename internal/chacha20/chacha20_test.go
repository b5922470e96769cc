// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
)

func unhex(tb testing.TB, s string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// countingKey returns 00 01 … 1f, the key of several published examples.
func countingKey() *[KeySize]byte {
	var key [KeySize]byte
	for i := range key {
		key[i] = byte(i)
	}
	return &key
}

const sunscreen = "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."

// TestRFC checks examples of RFC 8439. If an example gives only a keystream, its
// message is zeros.
func TestRFC(t *testing.T) {
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		for _, tt := range []struct {
			section string
			key     *[KeySize]byte
			nonce   string
			counter uint32
			msg     []byte
			want    string
		}{
			{"2.3.2", countingKey(), "000000090000004a00000000", 1, make([]byte, 64),
				"10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e" +
					"d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"},
			{"2.4.2", countingKey(), "000000000000004a00000000", 1, []byte(sunscreen),
				"6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0b" +
					"f91b65c5524733ab8f593dabcd62b3571639d624e65152ab8f530c359f0861d8" +
					"07ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736" +
					"5af90bbf74a35be6b40b8eedf2785e42874d"},
			{"A.1, 1 and 2", new([KeySize]byte), "000000000000000000000000", 0, make([]byte, 128),
				"76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7" +
					"da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586" +
					"9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed" +
					"29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"},
		} {
			want := unhex(t, tt.want)
			nonce := [NonceSizeRFC]byte(unhex(t, tt.nonce))
			stream := mactest.Random(len(tt.msg), 1) // the previous contents must not matter
			KeyStream(stream, tt.key, &nonce, tt.counter)
			for i, b := range tt.msg {
				stream[i] ^= b
			}
			if !bytes.Equal(stream, want) {
				t.Errorf("%s: KeyStream: got %x, want %x", tt.section, stream, want)
			}
			if [4]byte(nonce[:]) != [4]byte{} {
				continue
			}
			got := make([]byte, len(tt.msg))
			XORKeyStream(got, tt.msg, tt.key, (*[NonceSize]byte)(nonce[4:]), uint64(tt.counter))
			if !bytes.Equal(got, want) {
				t.Errorf("%s: XORKeyStream: got %x, want %x", tt.section, got, want)
			}
		}
	})
}

// TestBlock compares Block with plain Go, in guarded memory, and checks that the
// kernels leave neither the key nor the block on the stack.
func TestBlock(t *testing.T) {
	out, key, x := mactest.NewGuarded(t, BlockSize), mactest.NewGuarded(t, KeySize), mactest.NewGuarded(t, 16)
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		for seed := range uint64(40) {
			part := []func(*mactest.Guarded, int) []byte{(*mactest.Guarded).Front, (*mactest.Guarded).Back}[seed%2]
			out, key, x := (*[BlockSize]byte)(part(out, BlockSize)), (*[KeySize]byte)(part(key, KeySize)), (*[16]byte)(part(x, 16))
			copy(key[:], mactest.Random(KeySize, seed))
			copy(x[:], mactest.Random(16, seed+100))
			want := make([]byte, BlockSize)
			xorGeneric(want, want, key, (*[NonceSize]byte)(x[8:]), binary.LittleEndian.Uint64(x[:]))
			Block(out, key, x)
			if !bytes.Equal(out[:], want) {
				t.Fatalf("key %x, x %x: Block = %x, want %x", *key, *x, *out, want)
			}
			if dispatch.InUse("chacha20") != dispatch.Generic {
				mactest.StackWiped(t, "Block", func() { Block(out, key, x) }, key[:], want)
			}
		}
	})
}

// TestHChaCha20 checks the example of draft-irtf-cfrg-xchacha-03, section 2.2.1, and
// compares the kernels with plain Go.
func TestHChaCha20(t *testing.T) {
	nonce := [16]byte(unhex(t, "000000090000004a0000000031415927"))
	want := [KeySize]byte(unhex(t, "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc"))
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		key := countingKey()
		var out [KeySize]byte
		if HChaCha20(&out, key, &nonce); out != want {
			t.Errorf("HChaCha20 = %x, want %x", out, want)
		}
		if HChaCha20(key, key, &nonce); *key != want {
			t.Errorf("in place, HChaCha20 = %x, want %x", *key, want)
		}
		for seed := range uint64(100) {
			key, nonce := [KeySize]byte(mactest.Random(KeySize, seed)), [16]byte(mactest.Random(16, seed))
			var want [KeySize]byte
			hChaCha20Generic(&want, &key, &nonce)
			if HChaCha20(&out, &key, &nonce); out != want {
				t.Errorf("key %x, nonce %x: HChaCha20 = %x, want %x", key, nonce, out, want)
			}
		}
	})
}

const dhole = `The dhole (pronounced "dole") is also known as the Asiatic wild dog, red dog, and whistling dog. ` +
	`It is about the size of a German shepherd but looks more like a long-legged fox. ` +
	`This highly elusive and skilled jumper is classified with wolves, coyotes, jackals, and foxes in the taxonomic family Canidae.`

// TestXChaCha20 checks the example of draft-irtf-cfrg-xchacha-03, appendix A.3.2, and
// another keystream against libsodium's.
func TestXChaCha20(t *testing.T) {
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		for _, tt := range []struct {
			key, nonce string
			msg        []byte
			want       string
		}{
			{"808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f", "404142434445464748494a4b4c4d4e4f5051525354555658", []byte(dhole),
				"4559abba4e48c16102e8bb2c05e6947f50a786de162f9b0b7e592a9b53d0d4e98d8d6410d540a1a6375b26d80dace4fa" +
					"b52384c731acbf16a5923c0c48d3575d4d0d2c673b666faa731061277701093a6bf7a158a8864292a41c48e3a9b4c0da" +
					"ece0f8d98d0d7e05b37a307bbb66333164ec9e1b24ea0d6c3ffddcec4f68e7443056193a03c810e11344ca06d8ed8a2b" +
					"fb1e8d48cfa6bc0eb4e2464b748142407c9f431aee769960e15ba8b96890466ef2457599852385c661f752ce20f9da0c" +
					"09ab6b19df74e76a95967446f8d0fd415e7bee2a12a114c20eb5292ae7a349ae577820d5520a1f3fb62a17ce6a7e68fa" +
					"7c79111d8860920bc048ef43fe84486ccb87c25f0ae045f0cce1e7989a9aa220a28bdd4827e751a24a6d5c62d790a663" +
					"93b93111c1a55dd7421a10184974c7c5"},
			{"9d23bd4149cb979ccf3c5c94dd217e9808cb0e50cd0f67812235eaaf601d6232", "c047548266b7c370d33566a2425cbf30d82d1eaf5294109e", make([]byte, 91),
				"a21209096594de8c5667b1d13ad93f744106d054df210e4782cd396fec692d3515a20bf351eec011a92c367888bc464c" +
					"32f0807acd6c203a247e0db854148468e9f96bee4cf718d68d5f637cbd5a376457788e6fae90fc31097cfc"},
		} {
			key, nonce, want := [KeySize]byte(unhex(t, tt.key)), [NonceSizeX]byte(unhex(t, tt.nonce)), unhex(t, tt.want)
			got := make([]byte, len(tt.msg))
			s := StreamX(&key, &nonce)
			if s.XORKeyStream(got, tt.msg, 0); !bytes.Equal(got, want) {
				t.Errorf("got %x, want %x", got, want)
			}
			if s.XORKeyStream(got[64:], tt.msg[64:], 1); !bytes.Equal(got, want) {
				t.Errorf("from block 1: got %x, want %x", got, want)
			}
		}
	})
}

// TestOverflow checks that a keystream includes the block with the last counter, and
// that requests for more blocks panic.
func TestOverflow(t *testing.T) {
	var key [KeySize]byte
	var nonce [NonceSize]byte
	var stream Stream
	var nonceRFC [NonceSizeRFC]byte
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		buf := make([]byte, 70000)
		for _, tt := range []struct {
			n      int
			blocks uint64
		}{{1, 1}, {64, 1}, {65, 2}, {128, 2}, {2048, 32}, {2049, 33}, {70000, 1094}} {
			for name, f := range map[string]func(last uint64){
				"XORKeyStream": func(c uint64) { XORKeyStream(buf[:tt.n], buf[:tt.n], &key, &nonce, math.MaxUint64-c) },
				"Stream":       func(c uint64) { stream.XORKeyStream(buf[:tt.n], buf[:tt.n], math.MaxUint64-c) },
				"KeyStream":    func(c uint64) { KeyStream(buf[:tt.n], &key, &nonceRFC, math.MaxUint32-uint32(c)) },
			} {
				f(tt.blocks - 1)
				if tt.blocks > 1 && mactest.Panic(func() { f(tt.blocks - 2) }) == "" {
					t.Errorf("%s of %d bytes did not panic beyond the last block", name, tt.n)
				}
			}
		}
		XORKeyStream(nil, nil, &key, &nonce, math.MaxUint64)
		KeyStream(nil, &key, &nonceRFC, math.MaxUint32)
	})
}

// TestMisuse checks that short outputs and inexactly overlapping buffers panic before
// anything is written.
func TestMisuse(t *testing.T) {
	var key [KeySize]byte
	var nonce [NonceSize]byte
	buf := make([]byte, 300)
	before := slices.Clone(buf)
	for name, args := range map[string][2][]byte{
		"short output":   {buf[:10], make([]byte, 11)},
		"nil output":     {nil, make([]byte, 1)},
		"overlap before": {buf[:100], buf[1:101]},
		"overlap after":  {buf[99:200], buf[:100]},
	} {
		if mactest.Panic(func() { XORKeyStream(args[0], args[1], &key, &nonce, 0) }) == "" {
			t.Errorf("%s: no panic", name)
		}
	}
	if !bytes.Equal(buf, before) {
		t.Error("XORKeyStream wrote before it panicked")
	}
	// Only the written part of dst counts for overlaps.
	XORKeyStream(buf, buf[100:100], &key, &nonce, 0)
	XORKeyStream(buf[:200], buf[100:150:150], &key, &nonce, 0)
	XORKeyStream(nil, nil, &key, &nonce, 0)
}

func TestAllocations(t *testing.T) {
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		var key, subkey [KeySize]byte
		var nonce [NonceSize]byte
		var nonceX [NonceSizeX]byte
		var nonceRFC [NonceSizeRFC]byte
		buf := make([]byte, 2000)
		mactest.NoAllocations(t, "KeyStream", func() { KeyStream(buf, &key, &nonceRFC, 0) })
		mactest.NoAllocations(t, "XORKeyStream", func() { XORKeyStream(buf, buf, &key, &nonce, 1<<32-5) })
		mactest.NoAllocations(t, "StreamX", func() {
			s := StreamX(&key, &nonceX)
			s.XORKeyStream(buf, buf, 0)
		})
		mactest.NoAllocations(t, "HChaCha20", func() { HChaCha20(&subkey, &key, (*[16]byte)(nonceX[:])) })
		mactest.NoAllocations(t, "key and nonce on the stack", func() {
			key, nonce := key, nonce
			XORKeyStream(buf, buf, &key, &nonce, 0)
		})
	})
}

func TestConcurrent(t *testing.T) {
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		key, nonce := [KeySize]byte(mactest.Random(KeySize, 2)), [NonceSize]byte(mactest.Random(NonceSize, 3))
		src := mactest.Random(5000, 4)
		want := make([]byte, len(src))
		XORKeyStream(want, src, &key, &nonce, 9)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				got := make([]byte, len(src))
				for range 50 {
					if XORKeyStream(got, src, &key, &nonce, 9); !bytes.Equal(got, want) {
						t.Error("concurrent XORKeyStream: wrong result")
					}
				}
			})
		}
		wg.Wait()
	})
}

// reference implements XORKeyStream block by block, as RFC 8439 defines it, but with a
// 64-bit counter.
func reference(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	initial := initialState(key)
	initial[14] = binary.LittleEndian.Uint32(nonce[:])
	initial[15] = binary.LittleEndian.Uint32(nonce[4:])
	for len(src) > 0 {
		initial[12], initial[13] = uint32(counter), uint32(counter>>32)
		s := initial
		s.rounds()
		var block [BlockSize]byte
		for i := range s {
			binary.LittleEndian.PutUint32(block[4*i:], s[i]+initial[i])
		}
		n := min(len(src), BlockSize)
		for i := range n {
			dst[i] = src[i] ^ block[i]
		}
		dst, src = dst[n:], src[n:]
		counter++
	}
}
