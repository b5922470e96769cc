// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"testing"

	"golang.org/x/crypto/chacha20poly1305"
)

var benchLengths = []int{512, 16 << 10, 32 << 10, 64 << 10, 34_000_000}

func bench(b *testing.B, f func(b *testing.B, g, n int)) {
	for _, g := range []int{1, 2} {
		for _, n := range benchLengths {
			b.Run(fmt.Sprintf("goroutines=%d/size=%d", g, n), func(b *testing.B) {
				b.SetBytes(int64(n))
				b.ReportAllocs()
				f(b, g, n)
			})
		}
	}
}

func BenchmarkWriter(b *testing.B) {
	bench(b, func(b *testing.B, g, n int) {
		msg := make([]byte, n)
		for b.Loop() {
			w, err := newWriter(io.Discard, testKey, &testSalt, 16, g)
			if err != nil {
				b.Fatal(err)
			}
			w.Write(msg)
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkReader(b *testing.B) {
	bench(b, func(b *testing.B, g, n int) {
		file := seal(b, testKey, &testSalt, 16, 2, n, make([]byte, n))
		for b.Loop() {
			r, err := newReader(bytes.NewReader(file), testKey, g)
			if err != nil {
				b.Fatal(err)
			}
			if m, err := r.WriteTo(io.Discard); m != int64(n) || err != nil {
				b.Fatal(m, err)
			}
		}
	})
}

func BenchmarkReaderAt(b *testing.B) {
	bench(b, func(b *testing.B, g, n int) {
		file := seal(b, testKey, &testSalt, 16, 2, n, make([]byte, n))
		p := make([]byte, n)
		for b.Loop() {
			r, err := newReaderAt(bytes.NewReader(file), int64(len(file)), testKey, g)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := r.ReadAt(p, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkChaCha20Poly1305 seals the same chunks with what does not commit, in
// one thread.
func BenchmarkChaCha20Poly1305(b *testing.B) {
	const chunk = 1 << defaultChunkLog2
	for _, n := range benchLengths {
		b.Run(fmt.Sprintf("size=%d", n), func(b *testing.B) {
			a, err := chacha20poly1305.New(testKey)
			if err != nil {
				b.Fatal(err)
			}
			msg, out, nonce := make([]byte, n), make([]byte, 0, chunk+16), make([]byte, 12)
			b.SetBytes(int64(n))
			for b.Loop() {
				for at := 0; at < n; at += chunk {
					binary.BigEndian.PutUint64(nonce, uint64(at))
					out = a.Seal(out[:0], nonce, msg[at:min(at+chunk, n)], nil)
				}
			}
		})
	}
}
