// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"bytes"
	"crypto/cipher"
	"encoding/binary"
	"io"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/unimac/unimac/aead/stream"
)

// The streams are long, and cut into chunks of the default size.
const (
	streamSize  = 64 << 20
	streamChunk = 64 << 10
)

// inThreads lets f have a number of threads at most.
func inThreads(threads int, f func()) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
	f()
}

// streams puts together what a contest of streams has: ours with all its
// implementations in one thread, in two, and chunks of ChaCha20-Poly1305, which
// does not commit to the key, likewise.
func streams(own, other func(threads int) func(size int) (*Work, error)) []Entrant {
	entrants := ours([]string{"chacha20", "blake2b"}, own(1))
	return slices.Concat(entrants[:1],
		[]Entrant{{Name: "unimac-2threads", Label: "unimac, 2 threads", Ours: true, Start: own(2)}},
		entrants[1:],
		[]Entrant{
			{Name: "x-chacha20poly1305", Label: "x/crypto ChaCha20-Poly1305", Other: true, Start: other(1)},
			{Name: "x-chacha20poly1305-2threads", Label: "x/crypto ChaCha20-Poly1305, 2 threads", Other: true, Start: other(2)},
		})
}

func streamSeals() Contest {
	return Contest{
		Name: "stream-seal", Title: "Streams in chunks of 64 KiB, sealed",
		Sizes: []int{streamSize}, Median: true,
		Entrants: streams(func(threads int) func(size int) (*Work, error) {
			return func(size int) (*Work, error) {
				// The salt is random, so it is only the length that can be compared.
				msg, length := data(size, 1), make([]byte, 8)
				return work(length, func(n int) {
					inThreads(threads, func() {
						for range n {
							binary.BigEndian.PutUint64(length, sealStream(msg, io.Discard))
						}
					})
				}), nil
			}
		}, func(threads int) func(size int) (*Work, error) {
			return func(size int) (*Work, error) {
				msg := data(size, 1)
				return work(nil, func(n int) {
					for range n {
						eachShare(size, threads, func(a cipher.AEAD, buf []byte, from, to int) {
							for at := from; at < to; at += streamChunk {
								a.Seal(buf[:0], chunkNonce(at), msg[at:at+streamChunk], nil)
							}
						})
					}
				}), nil
			}
		}),
	}
}

// sealStream seals a message and returns the length of what comes out.
func sealStream(msg []byte, dst io.Writer) uint64 {
	count := &counter{dst: dst}
	w, err := stream.NewWriter(count, data(32, 2))
	if err != nil {
		panic(err)
	}
	if _, err := w.Write(msg); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return count.n
}

type counter struct {
	dst io.Writer
	n   uint64
}

func (c *counter) Write(p []byte) (int, error) {
	c.n += uint64(len(p))
	return c.dst.Write(p)
}

func streamOpens() Contest {
	return Contest{
		Name: "stream-open", Title: "Streams in chunks of 64 KiB, opened",
		Sizes: []int{streamSize}, Median: true,
		Entrants: streams(func(threads int) func(size int) (*Work, error) {
			return func(size int) (*Work, error) {
				var file bytes.Buffer
				sealStream(data(size, 1), &file)
				length := make([]byte, 8)
				return work(length, func(n int) {
					inThreads(threads, func() {
						for range n {
							r, err := stream.NewReader(bytes.NewReader(file.Bytes()), data(32, 2))
							if err != nil {
								panic(err)
							}
							m, err := io.Copy(io.Discard, r)
							if err != nil {
								panic(err)
							}
							binary.BigEndian.PutUint64(length, uint64(m))
						}
					})
				}), nil
			}
		}, func(threads int) func(size int) (*Work, error) {
			return func(size int) (*Work, error) {
				msg, sealed := data(size, 1), make([][]byte, size/streamChunk)
				eachShare(size, 1, func(a cipher.AEAD, _ []byte, from, to int) {
					for at := from; at < to; at += streamChunk {
						sealed[at/streamChunk] = a.Seal(nil, chunkNonce(at), msg[at:at+streamChunk], nil)
					}
				})
				return work(nil, func(n int) {
					for range n {
						eachShare(size, threads, func(a cipher.AEAD, buf []byte, from, to int) {
							for at := from; at < to; at += streamChunk {
								if _, err := a.Open(buf[:0], chunkNonce(at), sealed[at/streamChunk], nil); err != nil {
									panic(err)
								}
							}
						})
					}
				}), nil
			}
		}),
	}
}

// eachShare divides size bytes among goroutines, with a buffer each.
func eachShare(size, goroutines int, f func(a cipher.AEAD, buf []byte, from, to int)) {
	a, err := chacha20poly1305.New(data(32, 2))
	if err != nil {
		panic(err)
	}
	var group sync.WaitGroup
	for i := range goroutines {
		group.Go(func() {
			f(a, make([]byte, streamChunk+a.Overhead()), i*size/goroutines, (i+1)*size/goroutines)
		})
	}
	group.Wait()
}

func chunkNonce(at int) []byte {
	return binary.BigEndian.AppendUint64(make([]byte, 4, 12), uint64(at))
}
