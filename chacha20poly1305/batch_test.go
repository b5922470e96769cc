// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// batchAEADs returns AEADs with and without batch kernels, by name.
func batchAEADs(t *testing.T) map[string]cipher.AEAD {
	key := mactest.Random(KeySize, 40)
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]cipher.AEAD{
		"ChaCha20-Poly1305":  mustAEAD(t, New, key),
		"XChaCha20-Poly1305": mustAEAD(t, NewX, key),
		"SIV":                mustAEAD(t, NewSIV, key),
		"x/crypto":           mustAEAD(t, algorithms[0].upstream, key),
		"AES-GCM":            gcm,
	}
}

// eachBatch runs f with every implementation and every AEAD.
func eachBatch(t *testing.T, f func(t *testing.T, a cipher.AEAD)) {
	implementations(t, func(t *testing.T) {
		for name, a := range batchAEADs(t) {
			t.Run(name, func(t *testing.T) { f(t, a) })
		}
	})
}

// newPackets returns n packets to seal with random text lengths up to maxLen. Every
// fourth packet has a prefix, every third has room for the result, and every second has
// additional data, some of it long.
func newPackets(a cipher.AEAD, n, maxLen int, rng *rand.Rand) []Packet {
	packets := make([]Packet, n)
	for i := range packets {
		p := &packets[i]
		p.Nonce = mactest.Random(a.NonceSize(), rng.Uint64())
		p.Text = mactest.Random(rng.IntN(maxLen+1), rng.Uint64())
		if i%4 == 1 {
			p.Dst = mactest.Random(rng.IntN(40), rng.Uint64())
		}
		if i%3 == 1 {
			buf := make([]byte, len(p.Dst)+len(p.Text)+a.Overhead()+rng.IntN(3))
			p.Dst = buf[:copy(buf, p.Dst)]
		}
		if rng.IntN(2) == 0 {
			p.AdditionalData = mactest.Random(rng.IntN(17), rng.Uint64())
			if rng.IntN(10) == 0 {
				p.AdditionalData = mactest.Random(rng.IntN(100), rng.Uint64())
			}
		}
	}
	return packets
}

// sealed returns the result of Seal for each packet, without prefixes.
func sealed(a cipher.AEAD, packets []Packet) [][]byte {
	var out [][]byte
	for _, p := range packets {
		out = append(out, a.Seal(nil, p.Nonce, p.Text, p.AdditionalData))
	}
	return out
}

// TestBatch compares batches with single calls. In whole mode, it tries every number of
// packets.
func TestBatch(t *testing.T) { eachBatch(t, testBatch) }

func testBatch(t *testing.T, a cipher.AEAD) {
	rng := rand.New(rand.NewPCG(3, 4))
	counts := []int{0, 1, 2, 3, 5, 16, 17, 33, 300}
	switch {
	case mactest.Whole():
		counts = []int{0, 1, 2, 3, 4, 5, 15, 16, 17, 31, 32, 33, 100, 128, 255, 256, 257, 300}
	case testing.Short():
		counts = []int{0, 1, 4, 17, 40, 300}
	}
	for _, n := range counts {
		for _, maxLen := range []int{0, 16, 64, 300, 1500, 2500} {
			packets := newPackets(a, n, maxLen, rng)
			singles, prefixes := sealed(a, packets), make([][]byte, n)
			plain := make([][]byte, n)
			for i, p := range packets {
				prefixes[i], plain[i] = bytes.Clone(p.Dst), bytes.Clone(p.Text)
			}
			SealBatch(a, packets)
			for i := range packets {
				p := &packets[i]
				if !bytes.Equal(p.Dst, append(bytes.Clone(prefixes[i]), singles[i]...)) {
					t.Fatalf("packet %d of %d, %d bytes, %d bytes of additional data: SealBatch and Seal differ", i, n, len(p.Text), len(p.AdditionalData))
				}
				if !bytes.Equal(p.Text, plain[i]) {
					t.Fatalf("packet %d of %d: SealBatch changed the text", i, n)
				}
			}
			checkOpenBatch(t, a, packets, plain, singles, rng)
		}
	}
}

// TestBatchLongData uses additional data whose lengths do not fit in 16 bits, and whose
// low 16 bits are a length that the batch kernels accept.
func TestBatchLongData(t *testing.T) {
	eachBatch(t, func(t *testing.T, a cipher.AEAD) {
		const n = 20
		for _, length := range []int{0, 40, 300} {
			packets, texts := make([]Packet, n), make([][]byte, n)
			for i := range packets {
				texts[i] = mactest.Random(length, uint64(i))
				packets[i] = Packet{Nonce: mactest.Random(a.NonceSize(), uint64(i)), Text: texts[i], AdditionalData: mactest.Random(1<<16+i, 47)}
			}
			want := sealed(a, packets)
			SealBatch(a, packets)
			for i := range packets {
				p := &packets[i]
				if !bytes.Equal(p.Dst, want[i]) {
					t.Errorf("packet %d, %d bytes, %d bytes of additional data: SealBatch and Seal differ", i, length, len(p.AdditionalData))
				}
				p.Text, p.Dst = want[i], nil
			}
			if got, err := OpenBatch(a, packets); got != n || err != nil {
				t.Errorf("OpenBatch = %d, %v, want %d, nil", got, err, n)
			}
			for i, p := range packets {
				if !bytes.Equal(p.Dst, texts[i]) {
					t.Errorf("packet %d, %d bytes: got wrong plaintext", i, length)
				}
			}
		}
	})
}

// checkOpenBatch opens sealed packets, some of them forged: into new memory, after a
// prefix, or in place.
func checkOpenBatch(t *testing.T, a cipher.AEAD, packets []Packet, plain, singles [][]byte, rng *rand.Rand) {
	t.Helper()
	n := len(packets)
	forged, before := make([]bool, n), make([][]byte, n)
	want := n
	for i := range packets {
		p := &packets[i]
		p.Text, p.Dst, p.OK = singles[i], nil, rng.IntN(2) == 0
		if rng.IntN(8) == 0 {
			forged[i] = true
			want--
			if rng.IntN(4) == 0 {
				p.Text = p.Text[:rng.IntN(a.Overhead())] // too short for a tag
			} else {
				p.Text[rng.IntN(len(p.Text))] ^= 1 << rng.IntN(8)
			}
		}
		switch i % 3 {
		case 1:
			p.Dst = append(make([]byte, 0, 10+len(p.Text)), "prefix"...)
		case 2:
			p.Dst = p.Text[:0]
		}
		before[i] = p.Dst
	}
	if got, err := OpenBatch(a, packets); got != want || (err != nil) != (want < n) {
		t.Fatalf("OpenBatch of %d packets = %d, %v, want %d, and an error if packets are forged", n, got, err, want)
	}
	for i, p := range packets {
		if p.OK == forged[i] {
			t.Fatalf("packet %d of %d, %d bytes: OK = %t, want %t", i, n, len(plain[i]), p.OK, !forged[i])
		}
		if p.OK {
			if !bytes.Equal(p.Dst, append(bytes.Clone(before[i]), plain[i]...)) {
				t.Fatalf("packet %d of %d, %d bytes: got wrong plaintext", i, n, len(plain[i]))
			}
			continue
		}
		if len(p.Dst) != len(before[i]) || cap(p.Dst) != cap(before[i]) || string(p.Dst) != string(before[i]) {
			t.Fatalf("packet %d of %d: OpenBatch changed Dst of a forgery", i, n)
		}
		if m := len(plain[i]); m >= 8 && cap(p.Dst)-len(p.Dst) >= m && bytes.Contains(p.Dst[len(p.Dst):][:m], plain[i][m/2:m/2+4]) {
			t.Fatalf("packet %d of %d: the memory after Dst contains plaintext of a forgery", i, n)
		}
	}
}

// TestBatchForged puts one forgery at each position among authentic packets.
func TestBatchForged(t *testing.T) { eachBatch(t, testBatchForged) }

func testBatchForged(t *testing.T, a cipher.AEAD) {
	const n, length = 40, 100
	rng := rand.New(rand.NewPCG(5, 6))
	packets := newPackets(a, n, length, rng)
	texts := sealed(a, packets)
	for forged := range n {
		for i := range packets {
			packets[i].Dst, packets[i].Text, packets[i].OK = nil, texts[i], i == forged
		}
		texts[forged][forged%len(texts[forged])] ^= 0x10
		if got, err := OpenBatch(a, packets); got != n-1 || err == nil {
			t.Fatalf("OpenBatch = %d, %v, want %d and an error", got, err, n-1)
		}
		for i, p := range packets {
			if p.OK != (i != forged) || !p.OK && p.Dst != nil {
				t.Errorf("packet %d is forged: packet %d: OK = %t, want %t, and no Dst for the forgery", forged, i, p.OK, i != forged)
			}
		}
		texts[forged][forged%len(texts[forged])] ^= 0x10
	}
}

// TestBatchOverlap places the output of one packet at every distance from the buffers
// of another.
func TestBatchOverlap(t *testing.T) { eachBatch(t, testBatchOverlap) }

func testBatchOverlap(t *testing.T, a cipher.AEAD) {
	const n, length, size = 20, 40, 100
	outSize := length + a.Overhead()
	for _, reversed := range []bool{false, true} {
		for _, what := range []string{"output", "text", "nonce", "additional data"} {
			memory := make([]byte, n*size)
			other := make([]byte, 3*size) // memory of packet 7
			for to := range 2*size + 1 {
				packets := make([]Packet, n)
				for i := range packets {
					p, m := &packets[i], memory[i*size:][:size]
					if reversed {
						m = memory[(n-1-i)*size:][:size]
					}
					p.Text, p.Dst, p.Nonce, p.AdditionalData = m[:length:length], m[:0], make([]byte, a.NonceSize()), make([]byte, 9)
				}
				packets[3].Dst = other[to:to]
				var length int
				switch p, at := &packets[7], other[size:]; what {
				case "output":
					p.Dst, length = at[:0], outSize
				case "text":
					p.Text, length = at[:len(p.Text)], len(p.Text)
				case "nonce":
					p.Nonce, length = at[:len(p.Nonce)], len(p.Nonce)
				case "additional data":
					p.AdditionalData, length = at[:len(p.AdditionalData)], len(p.AdditionalData)
				}
				panicked := mactest.Panic(func() { SealBatch(a, packets) }) != ""
				if want := to+outSize > size && to < size+length; panicked != want {
					t.Errorf("output at %d, another packet's %s of %d bytes at %d: panicked = %t, want %t", to, what, length, size, panicked, want)
				}
			}
		}
	}
	// Overlaps that Seal rejects in a single packet.
	packets := newPackets(a, 10, 100, rand.New(rand.NewPCG(7, 8)))
	packets[5].Text = mactest.Random(100, 41)
	packets[5].Dst = packets[5].Text[1:1]
	packets[5].Text = packets[5].Text[:50]
	if mactest.Panic(func() { SealBatch(a, packets) }) == "" {
		t.Error("inexact overlap of output and text: got no panic")
	}
	// Several packets may read the same buffer.
	packets = newPackets(a, 10, 100, rand.New(rand.NewPCG(9, 10)))
	for i := range packets {
		packets[i].Text, packets[i].AdditionalData = memoryOf(50), memoryOf(9)
	}
	want := sealed(a, packets)
	for i := range packets {
		packets[i].Dst = nil
	}
	SealBatch(a, packets)
	for i, p := range packets {
		if !bytes.Equal(p.Dst, want[i]) {
			t.Errorf("packet %d with a shared text: got wrong ciphertext", i)
		}
	}
}

var shared = mactest.Random(100, 42)

func memoryOf(n int) []byte { return shared[:n] }

// TestBatchDst passes Text instead of Text[:0] as Dst, with the packets in one buffer.
func TestBatchDst(t *testing.T) {
	a, err := New(make([]byte, KeySize))
	if err != nil {
		t.Fatal(err)
	}
	const size = 64
	buffer := make([]byte, 4*size)
	packets := make([]Packet, 4)
	for i := range packets {
		text := buffer[i*size:][:size-Overhead]
		packets[i] = Packet{Dst: text, Nonce: make([]byte, NonceSize), Text: text}
	}
	want := "chacha20poly1305: Dst of packet 0 contains its Text, want Text[:0] to work in place"
	if got := mactest.Panic(func() { SealBatch(a, packets) }); got != want {
		t.Errorf("SealBatch: got panic %q, want %q", got, want)
	}
	if got := mactest.Panic(func() { OpenBatch(a, packets) }); got != want {
		t.Errorf("OpenBatch: got panic %q, want %q", got, want)
	}
}

// TestBatchPanics checks that a bad nonce among good ones panics before anything is
// sealed.
func TestBatchPanics(t *testing.T) {
	implementations(t, func(t *testing.T) {
		for _, alg := range algorithms {
			a := mustAEAD(t, alg.newAEAD, mactest.Random(KeySize, 43))
			packets := newPackets(a, 20, 100, rand.New(rand.NewPCG(11, 12)))
			texts, memory := make([][]byte, len(packets)), make([]byte, 200*len(packets))
			for i := range packets {
				text := memory[200*i:][:200]
				packets[i].Text = text[:copy(text, packets[i].Text)]
				packets[i].Dst = text[:0]
				texts[i] = bytes.Clone(packets[i].Text)
			}
			packets[19].Nonce = make([]byte, alg.nonceSize-1)
			for name, f := range map[string]func(){"Seal": func() { SealBatch(a, packets) }, "Open": func() { OpenBatch(a, packets) }} {
				want := "chacha20poly1305: bad nonce length passed to " + name
				if got := mactest.Panic(f); got != want {
					t.Errorf("%s, %sBatch: got panic %q, want %q", alg.name, name, got, want)
				}
			}
			for i, p := range packets {
				if !bytes.Equal(p.Text, texts[i]) {
					t.Fatalf("packet %d was sealed before the panic", i)
				}
			}
		}
	})
}

func TestBatchAllocations(t *testing.T) {
	implementations(t, func(t *testing.T) {
		for _, alg := range algorithms {
			a := mustAEAD(t, alg.newAEAD, mactest.Random(KeySize, 44))
			for _, n := range []int{1, 5, 16, 300} {
				packets := newPackets(a, n, 1500/(1+n/100), rand.New(rand.NewPCG(13, 14)))
				texts, rooms := make([][]byte, n), make([][]byte, n)
				for i := range packets {
					texts[i], rooms[i] = packets[i].Text, make([]byte, 0, len(packets[i].Text)+alg.overhead)
				}
				mactest.NoAllocations(t, fmt.Sprintf("%s: batches of %d", alg.name, n), func() {
					for i := range packets {
						packets[i].Text, packets[i].Dst = texts[i], rooms[i]
					}
					SealBatch(a, packets)
					for i := range packets {
						packets[i].Text, packets[i].Dst = packets[i].Dst, packets[i].Dst[:0]
					}
					if got, err := OpenBatch(a, packets); got != n || err != nil {
						t.Errorf("OpenBatch = %d, %v, want %d, nil", got, err, n)
					}
					for i := range packets {
						copy(texts[i], packets[i].Dst)
					}
				})
			}
		}
	})
}

// TestBatchEmpty uses packets without text, without additional data, without both, and
// with a nil Dst.
func TestBatchEmpty(t *testing.T) {
	eachBatch(t, func(t *testing.T, a cipher.AEAD) {
		text, data := mactest.Random(100, 41), mactest.Random(13, 42)
		mactest.Empty(t, "SealBatch and OpenBatch", func(empty []byte) (all []byte) {
			var sealed, opened []Packet
			for i := range 18 {
				p := Packet{Dst: empty[:0:0], Nonce: mactest.Random(a.NonceSize(), uint64(i)), Text: empty, AdditionalData: empty}
				if i%3 == 1 {
					p.Text = text
				}
				if i%4 == 1 {
					p.AdditionalData = data
				}
				sealed = append(sealed, p)
			}
			SealBatch(a, sealed)
			for _, p := range sealed {
				all = append(all, p.Dst...)
				p.Text, p.Dst = p.Dst, empty[:0:0]
				opened = append(opened, p)
			}
			if n, err := OpenBatch(a, opened); n != len(opened) || err != nil {
				t.Errorf("OpenBatch = %d, %v, want %d, nil", n, err, len(opened))
			}
			for _, p := range opened {
				all = append(all, p.Dst...)
			}
			return all
		}, text, data)
	})
}
