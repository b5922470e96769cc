// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead

import (
	"crypto/subtle"
	"encoding/binary"
	"sync"

	"github.com/unimac/unimac/aead/internal/batch"
	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
)

const (
	// minLanes is the smallest batch worth running when some lanes stay unused.
	minLanes = 3

	// Messages are processed in pieces of pieceSize bytes: each piece is encrypted and
	// then hashed. One piece from every message in a batch must fit in the L2 cache.
	pieceSize = 8 << 10 // a multiple of the ChaCha20 and BLAKE2b block sizes
)

var _ batch.AEAD = (*nonceAEAD)(nil)

func (a *nonceAEAD) SealAll(msgs []batch.Message) {
	w := batchPool.Get().(*batchWork)
	defer w.free()
	for len(msgs) > 0 {
		n := batchSize(len(msgs))
		if n == 1 {
			m := &msgs[0]
			a.Seal(m.Out[:0], m.Nonce, m.In, nil)
		} else {
			w.begin(a, msgs[:n])
			w.seal()
		}
		msgs = msgs[n:]
	}
}

func (a *nonceAEAD) OpenAll(msgs []batch.Message) (opened int) {
	w := batchPool.Get().(*batchWork)
	defer w.free()
	for len(msgs) > 0 {
		n := batchSize(len(msgs))
		authentic := n
		if n == 1 {
			m := &msgs[0]
			if _, err := a.Open(m.Out[:0], m.Nonce, m.In, nil); err != nil {
				authentic = 0
			}
		} else {
			w.begin(a, msgs[:n])
			authentic = w.open()
		}
		opened += authentic
		if authentic < n {
			break
		}
		msgs = msgs[n:]
	}
	return opened
}

// batchSize returns how many of the next n messages to process at once.
func batchSize(n int) int {
	all := min(blake2b.Lanes(), batch.MaxLanes)
	if n < all && n < minLanes {
		return 1
	}
	return min(n, all)
}

// batchWork holds the temporary state of SealAll and OpenAll.
type batchWork struct {
	aead *nonceAEAD
	msgs []batch.Message

	macs      [batch.MaxLanes]blake2b.State
	streams   [batch.MaxLanes]chacha20.Stream
	macInputs [batch.MaxLanes][]byte // next input of each MAC
	lengths   [batch.MaxLanes][8]byte
	digests   [batch.MaxLanes * maxTagSize]byte // first macKeys, then tags
}

// batchPool reuses batchWork values, which would otherwise be allocated for each call.
var batchPool = sync.Pool{New: func() any { return new(batchWork) }}

// begin derives the MAC keys for msgs and starts the MACs.
func (w *batchWork) begin(a *nonceAEAD, msgs []batch.Message) {
	w.aead, w.msgs = a, msgs
	for i := range msgs {
		nonce := msgs[i].Nonce
		checkNonce(nonce, a.nonceSize)
		w.streams[i] = a.stream(nonce)
		w.macs[i] = a.kdf
		w.macs[i].Overwrite(nonce)
	}
	blake2b.SumAll(w.digests[:0], w.macs[:len(msgs)])
	for i := range msgs {
		w.macInputs[i] = w.digests[i*macKeySize:][:macKeySize]
	}
	blake2b.NewAll(w.macs[:len(msgs)], a.tagSize, w.macInputs[:len(msgs)])
}

func (w *batchWork) free() {
	*w = batchWork{}
	batchPool.Put(w)
}

func (w *batchWork) seal() {
	longest := 0
	for i := range w.msgs {
		longest = max(longest, len(w.msgs[i].In))
	}
	for at := 0; at < longest; at += pieceSize {
		for i := range w.msgs {
			m, s := &w.msgs[i], &w.streams[i]
			from, to := min(at, len(m.In)), min(at+pieceSize, len(m.In))
			w.macInputs[i] = m.Out[from:to]
			s.XORKeyStream(w.macInputs[i], m.In[from:to], uint64(at/chacha20.BlockSize))
		}
		w.write()
	}
	for i := range w.msgs {
		w.setLengths(i, len(w.msgs[i].In))
	}
	w.write()
	w.sum()
	for i := range w.msgs {
		m := &w.msgs[i]
		copy(m.Out[len(m.In):], w.tag(i))
	}
}

// open decrypts the messages before the first forgery and returns their number.
func (w *batchWork) open() int {
	for i := range w.msgs {
		in := w.msgs[i].In
		w.macInputs[i] = in[:len(in)-w.aead.tagSize]
	}
	w.write()
	for i := range w.msgs {
		w.setLengths(i, len(w.macInputs[i]))
	}
	w.write()
	w.sum()
	authentic := 0
	for authentic < len(w.msgs) {
		in := w.msgs[authentic].In
		if subtle.ConstantTimeCompare(w.tag(authentic), in[len(in)-w.aead.tagSize:]) != 1 {
			break
		}
		authentic++
	}
	for i := range authentic {
		m := &w.msgs[i]
		w.streams[i].XORKeyStream(m.Out, m.In[:len(m.Out)], 0)
	}
	return authentic
}

func (w *batchWork) write() {
	n := len(w.msgs)
	blake2b.WriteAll(w.macs[:n], w.macInputs[:n])
}

// setLengths sets the next MAC input of message i to its two encoded lengths.
func (w *batchWork) setLengths(i, n int) {
	// The length of the additional data is 0, and the ciphertext is n bytes long.
	binary.LittleEndian.PutUint32(w.lengths[i][4:], uint32(n))
	w.macInputs[i] = w.lengths[i][:]
}

func (w *batchWork) sum() { blake2b.SumAll(w.digests[:0], w.macs[:len(w.msgs)]) }

func (w *batchWork) tag(i int) []byte {
	return w.digests[i*w.aead.tagSize:][:w.aead.tagSize]
}
