// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import (
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/multimixer"
)

const (
	// chunkSize is the size in bytes of the chunks that have a digest each, and
	// of the Multimixer-128 key L.
	chunkSize = 8192

	// prfKeySize is the size in bytes of BLAKE2b's key P.
	prfKeySize = 64

	maxSize = Size512
)

// Key is a key of the message authentication code with all that is derived from
// it, for one size of tag. It is safe for concurrent use. [NewKey]
// makes it.
//
// The construction is this project's own and young: see the package's documentation.
//
// L as a whole takes as long to expand as about twenty tags of short messages to
// compute, and 8 KiB. A Key has as much of it as the longest message so far
// needed, and makes nothing twice.
type Key struct{ *keys }

// keys is reached by a pointer, so that no copy of a Key shows it, or copies its lock: fmt
// prints values in fields that are not exported without calling their methods.
type keys struct {
	size int
	prf  blake2b.State // BLAKE2b after its key block

	key  [chacha20.KeySize]byte
	l    atomic.Pointer[[]byte] // the beginning of L; its bytes never change
	grow sync.Mutex             // held while l is replaced with more
}

// NewKey returns a Key for tags of 16, 32 or 64 bytes from a key of 32 bytes. It
// returns an error for all other lengths. Under one key, tags of different sizes are
// unrelated.
func NewKey(key []byte, size int) (*Key, error) {
	switch size {
	case Size128, Size256, Size512:
	default:
		return nil, fmt.Errorf("multimixer: tag of %d bytes, want 16, 32 or 64", size)
	}
	if len(key) != KeySize {
		return nil, fmt.Errorf("multimixer: key of %d bytes, want %d", len(key), KeySize)
	}
	k := &Key{&keys{size: size, key: [KeySize]byte(key)}}
	var prfKey [prfKeySize]byte
	k.keyStream(prfKey[:], chunkSize)
	k.prf = blake2b.New(size, prfKey[:])
	return k, nil
}

// keyStream stores the bytes of L || P from at, a multiple of 64, on.
func (k *Key) keyStream(dst []byte, at int) {
	nonce := [chacha20.NonceSizeRFC]byte([]byte("unimac-mm128"))
	chacha20.KeyStream(dst, &k.key, &nonce, uint32(at/chacha20.BlockSize))
}

// first returns the first n bytes of L, at most all 8192.
func (k *Key) first(n int) []byte {
	l := k.l.Load()
	if l == nil || n > len(*l) {
		l = k.expand(n)
	}
	return (*l)[:n]
}

// expand makes l at least n bytes long. It goes on to twice what is there, so
// that messages that grow cost a few expansions only.
func (k *Key) expand(n int) *[]byte {
	k.grow.Lock()
	defer k.grow.Unlock()
	var have []byte
	if l := k.l.Load(); l != nil {
		if n <= len(*l) {
			return l // by another goroutine
		}
		have = *l
	}
	n = max(n, 2*len(have))
	n = min((n+chacha20.BlockSize-1)/chacha20.BlockSize*chacha20.BlockSize, chunkSize)
	l := make([]byte, n)
	copy(l, have)
	k.keyStream(l[len(have):], len(have))
	k.l.Store(&l)
	return &l
}

// Size returns the length of the key's tags in bytes.
func (k *Key) Size() int {
	k.mustBeMade()
	return k.size
}

// Sum appends the tag of msg to dst and returns the resulting slice. Equal
// messages have equal tags.
func (k *Key) Sum(dst, msg []byte) []byte {
	k.mustBeMade()
	if 0 < len(msg) && len(msg) <= chunkSize {
		return k.sumOne(dst, msg)
	}
	prf := k.prf
	length := uint64(len(msg))
	for len(msg) > 0 {
		var digest [DigestSize]byte
		n := min(len(msg), chunkSize)
		digestPadded(&digest, k.first(roundUp(n)), msg[:n])
		prf.Write(digest[:])
		msg = msg[n:]
	}
	return appendTag(dst, &prf, length)
}

// sumOne is Sum of one chunk. Its digest and length are one block of BLAKE2b, which
// needs no copy of the state.
func (k *Key) sumOne(dst, msg []byte) []byte {
	var end [DigestSize + 8]byte
	key := k.first(roundUp(len(msg)))
	if len(key) == len(msg) && len(msg) > BlockSize {
		// Word by word, because BLAKE2b copies its block in pieces that a kernel's
		// stores cut, and would have to wait for these.
		var digest [DigestSize]byte
		multimixer.Digest(&digest, key, msg)
		for i := 0; i < DigestSize; i += 8 {
			binary.LittleEndian.PutUint64(end[i:], binary.LittleEndian.Uint64(digest[i:]))
		}
	} else {
		digestPadded((*[DigestSize]byte)(end[:]), key, msg)
	}
	binary.LittleEndian.PutUint64(end[DigestSize:], uint64(len(msg)))
	return k.prf.SumWith(dst, end[:])
}

// Verify reports whether tag is the tag of msg. It is false for a tag of another
// length than the key's. Its time does not depend on where tags differ.
func (k *Key) Verify(tag, msg []byte) bool {
	var want [maxSize]byte
	return subtle.ConstantTimeCompare(k.Sum(want[:0], msg), tag) == 1
}

// mustBeMade panics for the zero Key.
func (k *Key) mustBeMade() {
	if k.keys == nil {
		panic("multimixer: Key without a key, use NewKey")
	}
}

// appendTag appends the tag of a message of length bytes, whose digests prf has
// taken in.
func appendTag(dst []byte, prf *blake2b.State, length uint64) []byte {
	var le [8]byte
	binary.LittleEndian.PutUint64(le[:], length)
	prf.Write(le[:])
	return prf.Sum(dst)
}

// digestPadded stores the digest of a chunk, or of its end, which is not empty: of its
// whole blocks and, filled up with zeros, the bytes after them. The key begins where the
// message does.
func digestPadded(dst *[DigestSize]byte, key, msg []byte) {
	switch {
	case len(msg)%BlockSize == 0:
		multimixer.Digest(dst, key[:len(msg)], msg)
	case len(msg) < BlockSize:
		var last [BlockSize]byte
		copy(last[:], msg)
		multimixer.Digest(dst, key[:BlockSize], last[:])
	default:
		var sum multimixer.Sum
		addPadded(&sum, key, msg)
		sum.Digest(dst)
	}
}

// addPadded adds digestPadded's digest to a sum.
func addPadded(sum *multimixer.Sum, key, msg []byte) {
	whole := len(msg) / BlockSize * BlockSize
	sum.Add(key[:whole], msg[:whole])
	if whole < len(msg) {
		var last [BlockSize]byte
		copy(last[:], msg[whole:])
		sum.Add(key[whole:whole+BlockSize], last[:])
	}
}

// roundUp returns n or the next multiple of the block size.
func roundUp(n int) int { return (n + BlockSize - 1) / BlockSize * BlockSize }

const (
	// bufferSize is how many bytes wait for more before they are summed. A call of the
	// kernel costs as much as a few hundred bytes, so that short Writes share one.
	bufferSize = 640

	// minDirect is how many bytes are summed where they lie, if no others wait.
	minDirect = 256
)

// A chunk is the state of the hash of one chunk: the sum of its first blocks and the
// bytes after them that wait. The digest is a sum over blocks, so nothing else needs
// to be kept.
type chunk struct {
	sum    multimixer.Sum
	n      int // bytes so far
	waits  int // the last of them, which are in buffer
	buffer [bufferSize]byte
}

// update adds p, which fits into the chunk.
func (c *chunk) update(k *Key, p []byte) {
	key := k.first(roundUp(c.n + len(p)))[c.n-c.waits:]
	c.n += len(p)
	if c.waits > 0 || len(p) < minDirect {
		end := bufferSize
		if len(p) >= bufferSize {
			end = roundUp(c.waits) // the rest of p takes a call of its own anyway
		}
		n := copy(c.buffer[c.waits:end], p)
		c.waits += n
		if p = p[n:]; c.waits < end {
			return
		}
		if end > 0 {
			c.sum.Add(key[:end], c.buffer[:end])
			key = key[end:]
		}
	}
	if whole := len(p) / BlockSize * BlockSize; whole > 0 {
		c.sum.Add(key[:whole], p[:whole])
		p = p[whole:]
	}
	c.waits = copy(c.buffer[:], p)
}

// finish gives the chunk's digest to prf, and changes nothing. An empty chunk has no digest.
func (c *chunk) finish(k *Key, prf *blake2b.State) {
	if c.n == 0 {
		return
	}
	sum := c.sum
	if c.waits > 0 {
		addPadded(&sum, k.first(roundUp(c.n))[c.n-c.waits:], c.buffer[:c.waits])
	}
	var digest [DigestSize]byte
	sum.Digest(&digest)
	prf.Write(digest[:])
}
