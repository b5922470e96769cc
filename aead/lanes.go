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
	// minLanes is the number of messages from which idle lanes do not matter. Two
	// take as long one after the other, where ChaCha20 runs in BLAKE2b's shadow.
	minLanes = 3

	// piece is how many bytes of each message are encrypted before BLAKE2b takes
	// them in, so that it finds those of all lanes in the second-level cache,
	// however small that is. It is whole blocks of both.
	piece = 8 << 10
)

var _ batch.AEAD = (*nonceAEAD)(nil)

// SealAll implements [batch.AEAD].
func (a *nonceAEAD) SealAll(msgs []batch.Message) {
	l := lanesPool.Get().(*lanes)
	defer l.free()
	for len(msgs) > 0 {
		n := inLanes(len(msgs))
		if n == 1 {
			m := &msgs[0]
			a.Seal(m.Out[:0], m.Nonce, m.In, nil)
		} else {
			l.begin(a, msgs[:n])
			l.seal()
		}
		msgs = msgs[n:]
	}
}

// OpenAll implements [batch.AEAD].
func (a *nonceAEAD) OpenAll(msgs []batch.Message) (opened int) {
	l := lanesPool.Get().(*lanes)
	defer l.free()
	for len(msgs) > 0 {
		n := inLanes(len(msgs))
		authentic := n
		if n == 1 {
			m := &msgs[0]
			if _, err := a.Open(m.Out[:0], m.Nonce, m.In, nil); err != nil {
				authentic = 0
			}
		} else {
			l.begin(a, msgs[:n])
			authentic = l.open()
		}
		opened += authentic
		if authentic < n {
			break
		}
		msgs = msgs[n:]
	}
	return opened
}

// inLanes is how many of n messages to work on at once.
func inLanes(n int) int {
	all := min(blake2b.Lanes(), batch.MaxLanes)
	if n < all && n < minLanes {
		return 1
	}
	return min(n, all)
}

// lanes is what SealAll and OpenAll work with: everything of message i has
// index i.
type lanes struct {
	aead *nonceAEAD
	msgs []batch.Message

	macs    [batch.MaxLanes]blake2b.State
	streams [batch.MaxLanes]keyStream
	texts   [batch.MaxLanes][]byte // what macs take in next
	lengths [batch.MaxLanes][8]byte
	digests [batch.MaxLanes * maxTagSize]byte // macKeys first, then tags
}

// lanesPool spares allocations: the kernels keep pointers to what they work on, so the
// compiler takes it for lost to the heap.
var lanesPool = sync.Pool{New: func() any { return new(lanes) }}

// begin takes up messages: macs have taken in their keys and nothing else.
func (l *lanes) begin(a *nonceAEAD, msgs []batch.Message) {
	l.aead, l.msgs = a, msgs
	for i := range msgs {
		nonce := msgs[i].Nonce
		checkNonce(nonce, a.nonceSize)
		l.streams[i] = a.stream(nonce)
		l.macs[i] = a.kdf
		l.macs[i].Overwrite(nonce)
	}
	blake2b.SumAll(l.digests[:0], l.macs[:len(msgs)])
	for i := range msgs {
		l.texts[i] = l.digests[i*macKeySize:][:macKeySize]
	}
	blake2b.NewAll(l.macs[:len(msgs)], a.tagSize, l.texts[:len(msgs)])
}

// free leaves nothing secret behind.
func (l *lanes) free() {
	*l = lanes{}
	lanesPool.Put(l)
}

// seal seals the messages.
func (l *lanes) seal() {
	longest := 0
	for i := range l.msgs {
		longest = max(longest, len(l.msgs[i].In))
	}
	for at := 0; at < longest; at += piece {
		for i := range l.msgs {
			m, s := &l.msgs[i], &l.streams[i]
			from, to := min(at, len(m.In)), min(at+piece, len(m.In))
			l.texts[i] = m.Out[from:to]
			chacha20.XORKeyStream(l.texts[i], m.In[from:to], &s.key, &s.nonce, uint64(at/chacha20.BlockSize))
		}
		l.write()
	}
	for i := range l.msgs {
		l.end(i, len(l.msgs[i].In))
	}
	l.write()
	l.sum()
	for i := range l.msgs {
		m := &l.msgs[i]
		copy(m.Out[len(m.In):], l.tag(i))
	}
}

// open opens the messages up to the first that is not authentic, and returns how
// many that are.
func (l *lanes) open() int {
	for i := range l.msgs {
		in := l.msgs[i].In
		l.texts[i] = in[:len(in)-l.aead.tagSize]
	}
	l.write()
	for i := range l.msgs {
		l.end(i, len(l.texts[i]))
	}
	l.write()
	l.sum()
	authentic := 0
	for authentic < len(l.msgs) {
		in := l.msgs[authentic].In
		if subtle.ConstantTimeCompare(l.tag(authentic), in[len(in)-l.aead.tagSize:]) != 1 {
			break
		}
		authentic++
	}
	for i := range authentic {
		m := &l.msgs[i]
		l.streams[i].xor(m.Out, m.In[:len(m.Out)])
	}
	return authentic
}

// write has macs take in texts.
func (l *lanes) write() {
	n := len(l.msgs)
	blake2b.WriteAll(l.macs[:n], l.texts[:n])
}

// end sets text i to the end of what is authenticated of a message of n bytes.
func (l *lanes) end(i, n int) {
	binary.LittleEndian.PutUint32(l.lengths[i][4:], uint32(n))
	l.texts[i] = l.lengths[i][:]
}

// sum sets the tags.
func (l *lanes) sum() { blake2b.SumAll(l.digests[:0], l.macs[:len(l.msgs)]) }

// tag is the tag of message i.
func (l *lanes) tag(i int) []byte {
	return l.digests[i*l.aead.tagSize:][:l.aead.tagSize]
}
