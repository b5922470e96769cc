// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package cobblestone exchanges streams with filippo.io/cobblestone. It is no package of this
// module: a job of the workflow copies it into one of its own, which requires both.
package cobblestone

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha512"
	"io"
	"testing"

	"filippo.io/cobblestone/rawchunked"
	"github.com/unimac/unimac/aead/stream"
)

const (
	saltSize   = 24
	headerSize = saltSize + 32
)

// derive returns what the chunks after a header are sealed with, and the commitment.
func derive(t testing.TB, key, salt, context []byte) (a cipher.AEAD, base, commitment []byte) {
	t.Helper()
	info := "c2sp.org/chunked-encryption@v1+AEAD_AES_128_GCM\x00" + string(salt) + string(context)
	derived, err := hkdf.Expand(sha512.New, key, info, 16+12+32)
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(derived[:16])
	if err != nil {
		t.Fatal(err)
	}
	if a, err = cipher.NewGCM(block); err != nil {
		t.Fatal(err)
	}
	return a, derived[16:28], derived[28:]
}

func TestExchange(t *testing.T) {
	key, context := []byte("a key of 16 byte"), []byte("a context")
	options := stream.Options{Format: stream.Cobblestone128, AdditionalData: context}
	for _, n := range []int{0, 1, 16383, 16384, 16385, 32768, 1<<20 + 5, 40 << 20} {
		plaintext := bytes.Repeat([]byte("0123456789a"), n/11+1)[:n]

		// Ours is read by theirs, from the beginning and at random.
		var sealed bytes.Buffer
		w, err := options.NewWriter(&sealed, key)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(plaintext)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		file := sealed.Bytes()
		a, base, commitment := derive(t, key, file[:saltSize], context)
		if !bytes.Equal(commitment, file[saltSize:headerSize]) {
			t.Errorf("%d bytes: another commitment", n)
		}
		body := file[headerSize:]
		r, err := rawchunked.NewDecryptReader(a, base, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, plaintext) {
			t.Errorf("%d bytes: their reader gives %d bytes, %v", n, len(got), err)
		}
		at, err := rawchunked.NewDecryptReaderAt(a, base, bytes.NewReader(body), int64(len(body)))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(io.NewSectionReader(at, 0, int64(n))); err != nil || !bytes.Equal(got, plaintext) {
			t.Errorf("%d bytes: their reader at random gives %d bytes, %v", n, len(got), err)
		}

		// Theirs is read by ours.
		salt := bytes.Repeat([]byte{byte(n)}, saltSize)
		a, base, commitment = derive(t, key, salt, context)
		e, err := rawchunked.NewEncryptReader(a, base, bytes.NewReader(plaintext))
		if err != nil {
			t.Fatal(err)
		}
		body, err = io.ReadAll(e)
		if err != nil {
			t.Fatal(err)
		}
		file = append(append(salt, commitment...), body...)
		opened, err := options.NewReader(bytes.NewReader(file), key)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(opened); err != nil || !bytes.Equal(got, plaintext) {
			t.Errorf("%d bytes of theirs: %d bytes, %v", n, len(got), err)
		}
	}
}

// BenchmarkStream seals and opens 64 MiB with both, each in one goroutine.
func BenchmarkStream(b *testing.B) {
	key, plaintext := make([]byte, 16), make([]byte, 64<<20)
	options := stream.Options{Format: stream.Cobblestone128, Concurrency: 1}
	var sealed bytes.Buffer
	w, err := options.NewWriter(&sealed, key)
	if err != nil {
		b.Fatal(err)
	}
	w.Write(plaintext)
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	file := sealed.Bytes()
	a, base, _ := derive(b, key, file[:saltSize], nil)
	for _, peer := range []struct {
		name string
		open func() (io.Reader, error)
	}{
		{"seal/unimac", func() (io.Reader, error) { return options.NewSealingReader(bytes.NewReader(plaintext), key) }},
		{"seal/cobblestone", func() (io.Reader, error) { return rawchunked.NewEncryptReader(a, base, bytes.NewReader(plaintext)) }},
		{"open/unimac", func() (io.Reader, error) { return options.NewReader(bytes.NewReader(file), key) }},
		{"open/cobblestone", func() (io.Reader, error) {
			return rawchunked.NewDecryptReader(a, base, bytes.NewReader(file[headerSize:]))
		}},
	} {
		b.Run(peer.name, func(b *testing.B) {
			b.SetBytes(int64(len(plaintext)))
			for b.Loop() {
				r, err := peer.open()
				if err != nil {
					b.Fatal(err)
				}
				if n, err := io.Copy(io.Discard, r); n < int64(len(plaintext)) || err != nil {
					b.Fatal(n, err)
				}
			}
		})
	}
}
