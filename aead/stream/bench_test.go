// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"io"
	"runtime"
	"testing"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/unimac/unimac/internal/mactest"
)

var benchSizes = []int{512, 64 << 10, 1 << 20, 34 << 20, 64 << 20}

// bench runs ours with one and with two threads. For comparison, it runs theirs with one
// thread on the same chunks, with ChaCha20-Poly1305, which does not commit.
func bench(b *testing.B, ours func(b *testing.B, n int), theirs func(b *testing.B, a cipher.AEAD, n int)) {
	poly, err := chacha20poly1305.New(testKey)
	if err != nil {
		b.Fatal(err)
	}
	run := func(peer string, threads, n int, f func(b *testing.B, n int)) {
		b.Run(fmt.Sprintf("peer=%s/threads=%d/size=%d", peer, threads, n), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
			b.SetBytes(int64(n))
			b.ReportAllocs()
			f(b, n)
		})
	}
	for _, n := range benchSizes {
		run("unimac", 1, n, ours)
		run("unimac", 2, n, ours)
		run("chacha20poly1305", 1, n, func(b *testing.B, n int) { theirs(b, poly, n) })
	}
}

// sealChunks seals msg chunk by chunk, overwriting out, and passes each chunk to each.
func sealChunks(a cipher.AEAD, out, nonce, msg []byte, each func(chunk []byte)) {
	for at := 0; at < len(msg); at += DefaultChunkSize {
		binary.BigEndian.PutUint64(nonce, uint64(at))
		each(a.Seal(out[:0], nonce, msg[at:min(at+DefaultChunkSize, len(msg))], nil))
	}
}

func benchSealChunks(b *testing.B, a cipher.AEAD, n int) {
	msg, out, nonce := make([]byte, n), make([]byte, 0, DefaultChunkSize+a.Overhead()), make([]byte, a.NonceSize())
	for b.Loop() {
		sealChunks(a, out, nonce, msg, func([]byte) {})
	}
}

func benchOpenChunks(b *testing.B, a cipher.AEAD, n int) {
	stride := DefaultChunkSize + a.Overhead()
	out, nonce := make([]byte, 0, stride), make([]byte, a.NonceSize())
	var file []byte
	sealChunks(a, out, nonce, make([]byte, n), func(chunk []byte) { file = append(file, chunk...) })
	for b.Loop() {
		for at := 0; at < len(file); at += stride {
			binary.BigEndian.PutUint64(nonce, uint64(at/stride)*DefaultChunkSize)
			if _, err := a.Open(out, nonce, file[at:min(at+stride, len(file))], nil); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkWriter(b *testing.B) {
	bench(b, func(b *testing.B, n int) {
		msg := make([]byte, n)
		for b.Loop() {
			w, err := NewWriter(io.Discard, testKey)
			if err != nil {
				b.Fatal(err)
			}
			w.Write(msg)
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
		}
	}, benchSealChunks)
}

func BenchmarkReader(b *testing.B) {
	bench(b, func(b *testing.B, n int) {
		file := largeKinds[0].seal(b, 2, n, make([]byte, n))
		for b.Loop() {
			r, err := NewReader(bytes.NewReader(file), testKey)
			if err != nil {
				b.Fatal(err)
			}
			if m, err := r.WriteTo(io.Discard); m != int64(n) || err != nil {
				b.Fatal(m, err)
			}
		}
	}, benchOpenChunks)
}

func BenchmarkReaderAt(b *testing.B) {
	bench(b, func(b *testing.B, n int) {
		file := largeKinds[0].seal(b, 2, n, make([]byte, n))
		p := make([]byte, n)
		for b.Loop() {
			r, err := NewReaderAt(bytes.NewReader(file), int64(len(file)), testKey)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := r.ReadAt(p, 0); err != nil {
				b.Fatal(err)
			}
		}
	}, benchOpenChunks)
}

// BenchmarkSequential reads the same stream with a Reader and with ReaderAt.NewReader,
// 256 KiB at a time.
func BenchmarkSequential(b *testing.B) {
	const n = 256 << 20
	file := largeKinds[0].seal(b, 2, n, make([]byte, n))
	buf := make([]byte, 256<<10)
	for name, open := range map[string]func() (io.Reader, error){
		"Reader": func() (io.Reader, error) { return NewReader(bytes.NewReader(file), testKey) },
		"NewReader": func() (io.Reader, error) {
			at, err := NewReaderAt(bytes.NewReader(file), int64(len(file)), testKey)
			if err != nil {
				return nil, err
			}
			return at.NewReader(), nil
		},
	} {
		b.Run("alg="+name, func(b *testing.B) {
			b.SetBytes(n)
			b.ReportAllocs()
			for b.Loop() {
				r, err := open()
				if err != nil {
					b.Fatal(err)
				}
				total := 0
				for {
					m, err := io.ReadFull(r, buf)
					total += m
					if err == io.EOF {
						break
					}
					if err != nil {
						b.Fatal(err)
					}
				}
				if total != n {
					b.Fatal(total)
				}
			}
		})
	}
}

// BenchmarkFormats measures sealing and opening in each format.
func BenchmarkFormats(b *testing.B) {
	const n = 16 << 20
	msg := make([]byte, n)
	for _, k := range largeKinds {
		file := k.seal(b, 2, n, msg)
		for name, work := range map[string]func() error{
			"seal": func() error {
				w, err := k.newWriter(io.Discard, 1)
				if err != nil {
					return err
				}
				w.Write(msg)
				return w.Close()
			},
			"open": func() error {
				r, err := k.newReader(bytes.NewReader(file), 1)
				if err != nil {
					return err
				}
				_, err = r.WriteTo(io.Discard)
				return err
			},
		} {
			b.Run(fmt.Sprintf("alg=%s/threads=1/size=%d", k.name+"-"+name, n), func(b *testing.B) {
				b.SetBytes(n)
				b.ReportAllocs()
				for b.Loop() {
					if err := work(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkImplementations measures sealing with each implementation of BLAKE2b, which
// takes most of the time.
func BenchmarkImplementations(b *testing.B) {
	mactest.BenchmarkImplementations(b, "blake2b", func(b *testing.B) {
		for _, n := range []int{512, 1 << 20} {
			b.Run(fmt.Sprintf("threads=1/size=%d", n), func(b *testing.B) {
				msg := make([]byte, n)
				b.SetBytes(int64(n))
				for b.Loop() {
					w, err := Options{Concurrency: 1}.NewWriter(io.Discard, testKey)
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
	})
}
