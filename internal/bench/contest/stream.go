// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"bytes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"io"
	"runtime"
	"sync"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/unimac/unimac/aead/stream"
)

// The streams are long.
const streamSize = 64 << 20

// inThreads lets f have a number of threads at most.
func inThreads(threads int, f func()) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
	f()
}

// A streamTask starts a stream of some size, in some threads.
type streamTask = func(size, threads int) (*Work, error)

// streams returns the contests of a task in one thread and in two, against chunks
// of ChaCha20-Poly1305, which do not commit to the key.
func streams(name, title string, own, other streamTask) (contests []Contest) {
	for _, threads := range []int{1, 2} {
		in := func(task streamTask) func(size int) (*Work, error) {
			return func(size int) (*Work, error) { return task(size, threads) }
		}
		c := streamContest(name, title, threads)
		c.Entrants = append(ours([]string{"chacha20", "blake2b", "chacha20blake2b"}, in(own)), Entrant{
			Name: "x-chacha20poly1305", Label: "x/crypto, ChaCha20-Poly1305", Other: true, Start: in(other),
		})
		if threads > 1 {
			c.Entrants = append(c.Entrants, Entrant{Name: "unimac-one-thread", Label: "unimac, one thread", Ours: true, Start: func(size int) (*Work, error) { return own(size, 1) }})
		}
		contests = append(contests, c)
	}
	return contests
}

// streamContest returns a contest without entrants.
func streamContest(name, title string, threads int) Contest {
	c := Contest{Name: name, Title: title, Sizes: []int{streamSize}}
	if threads > 1 {
		c.Name = fmt.Sprintf("%s-%dthreads", c.Name, threads)
		c.Title = fmt.Sprintf("%s, %d threads", c.Title, threads)
	}
	return c
}

func streamSeals() []Contest {
	row := chunkRow{stream.DefaultChunkSize, chacha20poly1305.New, 32}
	return streams("stream-seal", "Stream in chunks of 64 KiB, sealed", sealStreams(stream.UnimacV2), row.seal)
}

func streamOpens() []Contest {
	row := chunkRow{stream.DefaultChunkSize, chacha20poly1305.New, 32}
	return streams("stream-open", "Stream in chunks of 64 KiB, opened", openStreams(stream.UnimacV2), row.open)
}

// sealStreams seals in a format. The salt is random, so it is only the length that can be
// compared.
func sealStreams(f stream.Format) streamTask {
	return func(size, threads int) (*Work, error) {
		msg, length := data(size, 1), make([]byte, 8)
		return work(length, func(n int) {
			inThreads(threads, func() {
				for range n {
					binary.BigEndian.PutUint64(length, sealStream(f, msg, io.Discard))
				}
			})
		}), nil
	}
}

func openStreams(f stream.Format) streamTask {
	return func(size, threads int) (*Work, error) {
		var file bytes.Buffer
		sealStream(f, data(size, 1), &file)
		length := make([]byte, 8)
		return work(length, func(n int) {
			inThreads(threads, func() {
				for range n {
					binary.BigEndian.PutUint64(length, openStream(f, file.Bytes(), io.Discard))
				}
			})
		}), nil
	}
}

// sealStream seals a message and returns the length of what comes out.
func sealStream(f stream.Format, msg []byte, dst io.Writer) uint64 {
	count := &counter{dst: dst}
	w, err := stream.Options{Format: f}.NewWriter(count, data(f.KeySize(), 2))
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

// openStream opens a stream and returns the length of the message.
func openStream(f stream.Format, file []byte, dst io.Writer) uint64 {
	r, err := stream.Options{Format: f}.NewReader(bytes.NewReader(file), data(f.KeySize(), 2))
	if err != nil {
		panic(err)
	}
	n, err := io.Copy(dst, r)
	if err != nil {
		panic(err)
	}
	return uint64(n)
}

type counter struct {
	dst io.Writer
	n   uint64
}

func (c *counter) Write(p []byte) (int, error) {
	c.n += uint64(len(p))
	return c.dst.Write(p)
}

// A chunkRow is what programs do without a format for streams: chunks that an AEAD seals one
// after the other.
type chunkRow struct {
	chunk   int
	newAEAD func(key []byte) (cipher.AEAD, error)
	keySize int
}

func (r chunkRow) seal(size, threads int) (*Work, error) {
	msg := data(size, 1)
	return work(nil, func(n int) {
		for range n {
			r.eachShare(size, threads, func(a cipher.AEAD, buf []byte, from, to int) {
				for at := from; at < to; at += r.chunk {
					a.Seal(buf[:0], chunkNonce(at), msg[at:at+r.chunk], nil)
				}
			})
		}
	}), nil
}

func (r chunkRow) open(size, threads int) (*Work, error) {
	msg, sealed := data(size, 1), make([][]byte, size/r.chunk)
	r.eachShare(size, 1, func(a cipher.AEAD, _ []byte, from, to int) {
		for at := from; at < to; at += r.chunk {
			sealed[at/r.chunk] = a.Seal(nil, chunkNonce(at), msg[at:at+r.chunk], nil)
		}
	})
	return work(nil, func(n int) {
		for range n {
			r.eachShare(size, threads, func(a cipher.AEAD, buf []byte, from, to int) {
				for at := from; at < to; at += r.chunk {
					if _, err := a.Open(buf[:0], chunkNonce(at), sealed[at/r.chunk], nil); err != nil {
						panic(err)
					}
				}
			})
		}
	}), nil
}

// eachShare divides size bytes among goroutines, with a buffer each.
func (r chunkRow) eachShare(size, goroutines int, f func(a cipher.AEAD, buf []byte, from, to int)) {
	a, err := r.newAEAD(data(r.keySize, 2))
	if err != nil {
		panic(err)
	}
	var group sync.WaitGroup
	for i := range goroutines {
		group.Go(func() {
			f(a, make([]byte, r.chunk+a.Overhead()), i*size/goroutines, (i+1)*size/goroutines)
		})
	}
	group.Wait()
}

func chunkNonce(at int) []byte {
	return binary.BigEndian.AppendUint64(make([]byte, 4, 12), uint64(at))
}
