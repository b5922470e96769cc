// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead

import (
	"bytes"
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
)

// fuzzMost is the length of the longest fuzzed message in bytes. It exceeds the piece
// that is encrypted and authenticated at a time.
const fuzzMost = 20 << 10

// eachImplementation runs f with each implementation of BLAKE2b, and the implementation
// of ChaCha20 with the same name.
func eachImplementation(f func(name string)) {
	defer dispatch.Reset("chacha20")
	mactest.EachImplementation("blake2b", func(name string) {
		if !dispatch.Select("chacha20", name) {
			dispatch.Reset("chacha20")
		}
		f(name)
	})
}

// A fuzzCase contains an AEAD and its inputs, chosen by a fuzzer.
type fuzzCase struct {
	alg                         algorithm
	size                        int
	key, nonce, plaintext, data []byte
}

func newFuzzCase(c *mactest.Choices, messages, others *mactest.FuzzMemory, keyAndNonce, text []byte) *fuzzCase {
	x := &fuzzCase{alg: algorithms[c.Below(len(algorithms))], size: tagSizes[c.Below(len(tagSizes))]}
	k := mactest.NewChoices(keyAndNonce)
	x.key, x.nonce = k.Bytes(KeySize), k.Bytes(x.alg.nonceSize)
	x.data = others.Place(c, c.Piece(others.MaxLength()), text)
	x.plaintext = messages.Fill(c, text)
	return x
}

// FuzzSeal compares ciphertexts with a reference built on golang.org/x/crypto, and
// opens them: after a prefix, into new memory and in place.
func FuzzSeal(f *testing.F) {
	f.Add([]byte{0, 0, 0}, []byte("key"), []byte{})
	f.Add([]byte{1, 1, 9, 64, 100, 0, 3, 5}, []byte("key"), []byte("message"))
	f.Add([]byte{2, 2, 66, 0, 0, 64, 70, 255}, bytes.Repeat([]byte{0xff}, 56), bytes.Repeat([]byte{0xff}, 300))
	f.Add([]byte{0, 0, 0, 0, 1, 80, 3, 5}, mactest.Random(56, 1), mactest.Random(500, 2))
	for kind := range algorithms {
		for i, n := range []int{0, 1, 64, 16384, 16385} {
			f.Add([]byte{byte(kind), byte(i), 66, 70, byte(n), byte(n >> 8), 70, byte(n)}, []byte("key and nonce"), []byte("text"))
		}
	}
	messages, others := mactest.NewFuzzMemory(f, fuzzMost), mactest.NewFuzzMemory(f, 700)
	outputs := mactest.NewFuzzMemory(f, fuzzMost+maxTagSize+256)
	f.Fuzz(func(t *testing.T, choices, keyAndNonce, text []byte) {
		c := mactest.NewChoices(choices)
		x := newFuzzCase(c, messages, others, keyAndNonce, text)
		prefix := c.Below(256)
		n, sealedSize := len(x.plaintext), len(x.plaintext)+x.size
		want := refSeal(t, x.alg, x.size, x.key, x.nonce, x.plaintext, x.data)
		// The output has room for exactly the prefix and the sealed message.
		buf := outputs.Place(c, prefix+sealedSize, []byte{0xee})
		eachImplementation(func(name string) {
			a := mustAEAD(t, x.alg, x.key, x.size)
			check := func(how string, got, want []byte, err error) {
				if err != nil || !bytes.Equal(got[:prefix], bytes.Repeat([]byte{0xee}, prefix)) || !bytes.Equal(got[prefix:], want) {
					t.Errorf("%s: %s, tag of %d bytes, %d bytes, %d bytes of additional data: %s after %d bytes: got error %v and %x, want %x",
						name, x.alg.name, x.size, n, len(x.data), how, prefix, err, got, want)
				}
			}
			check("sealed", a.Seal(buf[:prefix:prefix+sealedSize], x.nonce, x.plaintext, x.data), want, nil)
			copy(buf[prefix:], x.plaintext)
			check("sealed in place", a.Seal(buf[:prefix:prefix+sealedSize], x.nonce, buf[prefix:prefix+n], x.data), want, nil)
			opened, err := a.Open(slices.Clip(bytes.Repeat([]byte{0xee}, prefix)), x.nonce, buf[prefix:], x.data)
			check("opened", opened, x.plaintext, err)
			opened, err = a.Open(buf[:prefix], x.nonce, buf[prefix:], x.data)
			check("opened in place", opened, x.plaintext, err)
		})
	})
}

// FuzzOpen changes a sealed message, and checks that it does not open and that no
// plaintext is left. The last choices determine the kind and the position of the
// change.
func FuzzOpen(f *testing.F) {
	for change := range byte(7) {
		for kind := range algorithms {
			f.Add([]byte{byte(kind), change, 20, 70, 40, 0, 70, change, 7, 0, 1, 2}, []byte("key and nonce"), []byte("a message that nobody may change"))
		}
	}
	f.Add([]byte{2, 2, 0, 0, 0, 3, 5, 0, 0, 0}, []byte{}, []byte{})
	f.Add([]byte{2, 1, 64, 0, 0, 4, 64, 70, 3, 2, 0x80}, []byte{}, bytes.Repeat([]byte{0xff}, 64))
	messages, others := mactest.NewFuzzMemory(f, 3000), mactest.NewFuzzMemory(f, 700)
	f.Fuzz(func(t *testing.T, choices, keyAndNonce, text []byte) {
		c := mactest.NewChoices(choices)
		x := newFuzzCase(c, messages, others, keyAndNonce, text)
		good := mustAEAD(t, x.alg, x.key, x.size).Seal(nil, x.nonce, x.plaintext, x.data)

		key, nonce, sealed, data := slices.Clone(x.key), slices.Clone(x.nonce), slices.Clone(good), slices.Clone(x.data)
		switch kind, at := c.Below(7), c.Length(4095); kind {
		case 0, 1, 2, 3: // change a byte of the key, nonce, data or ciphertext
			b := [][]byte{sealed, key, nonce, data}[kind]
			if len(b) > 0 {
				b[at%len(b)] ^= c.Bytes(1)[0]
			}
		case 4: // truncate
			sealed = sealed[:max(0, len(sealed)-at)]
		case 5: // append bytes, or replace everything
			sealed = append(sealed[:at%(len(sealed)+1)], c.Bytes(c.Below(200))...)
		case 6: // move bytes between data and ciphertext
			n := at % (len(data) + 1)
			sealed, data = append(slices.Clone(data[n:]), sealed...), data[:n]
		}
		same := bytes.Equal(key, x.key) && bytes.Equal(nonce, x.nonce) && bytes.Equal(sealed, good) && bytes.Equal(data, x.data)
		eachImplementation(func(name string) {
			a := mustAEAD(t, x.alg, key, x.size)
			out := bytes.Repeat([]byte{0xee}, len(sealed))
			got, err := a.Open(out[:0], nonce, sealed, data)
			switch {
			case same && (err != nil || !bytes.Equal(got, x.plaintext)):
				t.Errorf("%s: %s: Open of a sealed message: got %d bytes, error %v, want the plaintext of %d bytes", name, x.alg.name, len(got), err, len(x.plaintext))
			case !same && (err == nil || got != nil):
				t.Errorf("%s: %s: Open of a forgery: got %x, error %v, want nil and an error", name, x.alg.name, got, err)
			case !same:
				for i, b := range out {
					if b != 0 && b != 0xee {
						t.Fatalf("%s: %s: output byte %d is %x after a failed Open, want 0 or its earlier value", name, x.alg.name, i, b)
					}
				}
				in := slices.Clone(sealed)
				if got, err := a.Open(in[:0], nonce, in, data); err == nil || got != nil {
					t.Errorf("%s: %s: Open of a forgery in place: got %x, error %v, want nil and an error", name, x.alg.name, got, err)
				}
			}
		})
	})
}
