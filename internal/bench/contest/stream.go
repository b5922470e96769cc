// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/unimac/unimac/aead/stream"
	"github.com/unimac/unimac/aegis"
	"github.com/unimac/unimac/internal/bench/peer/pyca"
	"github.com/unimac/unimac/internal/bench/peer/rust"
)

// Streams have streamSize bytes. Peers without streams process chunks of chunkSize
// bytes.
const streamSize, chunkSize = 64 << 20, 16 << 10

// streams compares all stream formats with one thread, and some with two threads.
func streams(open bool) Contest {
	c := Contest{Name: "stream-formats-seal", Title: "Streams in all formats, sealed", Sizes: []int{streamSize}}
	task, pycaTask := sealStream, "seal"
	if open {
		c.Name, c.Title = "stream-formats-open", "Streams in all formats, opened"
		task, pycaTask = openStream, "open"
	}
	add := func(f stream.Format, suffix string, pkgs []string, names ...string) {
		one, two := inThreads(1, task(f)), inThreads(2, task(f))
		own := append(ours(pkgs, one, names...), Entrant{Name: "unimac-2threads", Label: "unimac, two threads", Ours: true, Start: two})
		if names == nil {
			own = []Entrant{{Name: "unimac", Label: "unimac", Ours: true, Start: one}}
		}
		for _, e := range own {
			e.Name = "unimac" + suffix + strings.TrimPrefix(e.Name, "unimac")
			e.Label = f.String() + strings.TrimPrefix(e.Label, "unimac")
			e.Algorithm = f.String()
			c.Entrants = append(c.Entrants, e)
		}
	}
	add(stream.ChunkedChaCha20Poly1305, "", chachaPolyPackages, "avx2", "sse41", "neon", "generic")
	add(stream.ChunkedAEGIS256X2, "-aegis256x2", aegisPackages, "avx2")
	add(stream.Cobblestone128, "-cobblestone128", nil)
	add(stream.Cobblestone256, "-cobblestone256", nil)
	add(stream.UnimacV2, "-v2", []string{"chacha20", "blake2b", "chacha20blake2b"}, "avx2", "sse41", "neon", "generic")
	c.Entrants = append(c.Entrants,
		Entrant{Name: "x-chacha20poly1305", Label: "x/crypto, ChaCha20-Poly1305 in a row", Other: true, Start: chunksInRow(chacha20poly1305.New, 32, open)},
		Entrant{Name: "crypto-gcm", Label: "crypto/cipher, AES-128-GCM in a row", Other: true, Start: chunksInRow(newGCM, 16, open)},
		Entrant{Name: "pyca", Label: "pyca/cryptography, Cobblestone-128", Algorithm: stream.Cobblestone128.String(), Start: pycaStream(pycaTask)})
	if !open {
		c.Entrants = append(c.Entrants, Entrant{Name: "libaegis-256x2", Label: "libaegis, AEGIS-256X2 in a row", Other: true, Start: func(size int) (*Work, error) {
			const v = aegis.AEGIS256X2
			last := make([]byte, chunkSize+aegisTag)
			return processWork(last)(rust.Run(last, aegisName(v), "seal", chunkSize, data(v.KeySize(), 1), data(v.NonceSize(), 2), data(size, 1)))
		}})
	}
	return c
}

func inThreads(threads int, start starter) starter {
	return func(size int) (*Work, error) {
		w, err := start(size)
		if err != nil {
			return nil, err
		}
		loop := w.Loop
		w.Loop = func(n int) time.Duration {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
			return loop(n)
		}
		return w, nil
	}
}

// sealStream seals a stream. Its answer is only the length, because the salt is random.
func sealStream(f stream.Format) starter {
	return func(size int) (*Work, error) {
		msg, length := data(size, 1), make([]byte, 8)
		return work(length, func(n int) {
			for range n {
				count := &counter{dst: io.Discard}
				must(sealTo(count, f, msg))
				binary.BigEndian.PutUint64(length, count.n)
			}
		}), nil
	}
}

// openStream opens a stream. Its answer is the message length.
func openStream(f stream.Format) starter {
	return func(size int) (*Work, error) {
		var file bytes.Buffer
		if err := sealTo(&file, f, data(size, 1)); err != nil {
			return nil, err
		}
		length := make([]byte, 8)
		return work(length, func(n int) {
			for range n {
				r, err := stream.Options{Format: f}.NewReader(bytes.NewReader(file.Bytes()), data(f.KeySize(), 2))
				must(err)
				opened, err := io.Copy(io.Discard, r)
				must(err)
				binary.BigEndian.PutUint64(length, uint64(opened))
			}
		}), nil
	}
}

func sealTo(dst io.Writer, f stream.Format, msg []byte) error {
	w, err := stream.Options{Format: f}.NewWriter(dst, data(f.KeySize(), 2))
	if err != nil {
		return err
	}
	_, err = w.Write(msg)
	return cmp.Or(err, w.Close())
}

type counter struct {
	dst io.Writer
	n   uint64
}

func (c *counter) Write(p []byte) (int, error) {
	c.n += uint64(len(p))
	return c.dst.Write(p)
}

// chunksInRow seals or opens one chunk at a time, like programs without a stream
// format.
func chunksInRow(newAEAD constructor, keySize int, open bool) starter {
	return func(size int) (*Work, error) {
		a, err := newAEAD(data(keySize, 2))
		if err != nil {
			return nil, err
		}
		buf := make([]byte, 0, chunkSize+a.Overhead())
		chunks := slices.Collect(slices.Chunk(data(size, 1), chunkSize))
		do := a.Seal
		if open {
			for i, chunk := range chunks {
				chunks[i] = a.Seal(nil, chunkNonce(i), chunk, nil)
			}
			do = func(dst, nonce, chunk, _ []byte) []byte {
				opened, err := a.Open(dst, nonce, chunk, nil)
				must(err)
				return opened
			}
		}
		return work(nil, func(n int) {
			for range n {
				for i, chunk := range chunks {
					do(buf, chunkNonce(i), chunk, nil)
				}
			}
		}), nil
	}
}

func chunkNonce(i int) []byte { return binary.BigEndian.AppendUint64(make([]byte, 4, 12), uint64(i)) }

func pycaStream(what string) starter {
	return func(size int) (*Work, error) {
		length := make([]byte, 8)
		return processWork(length)(pyca.Run(length, what, data(stream.Cobblestone128.KeySize(), 2), data(size, 1)))
	}
}
