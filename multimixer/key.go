// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import (
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/multimixer"
)

const (
	// chunkSize is the number of message bytes per digest. The digest key L has the
	// same length.
	chunkSize = 8192

	prfKeySize = 64

	maxSize = Size512
)

// Key is an expanded MAC key with a fixed tag size. It is safe for concurrent use.
// Create one with [NewKey]. The MAC is a young construction of this project, which few
// people have reviewed. See the package documentation.
//
// Expanding all 8 KiB of the digest key L takes as long as computing about twenty short
// tags. A Key therefore expands only as much of L as the longest message so far
// required.
type Key struct{ *keys }

// fmt does not call Format for unexported fields. Key therefore refers to its keys
// through a pointer, and fmt prints an address instead of the secrets. Because of the
// pointer, copies of a Key also share the mutex.
type keys struct {
	size int
	prf  blake2b.State // state of BLAKE2b after the key block

	key    [chacha20.KeySize]byte
	mu     sync.Mutex             // held while prefix is replaced by a longer prefix
	prefix atomic.Pointer[[]byte] // a prefix of L; the bytes never change
}

// NewKey returns an expanded key for tags of size bytes. It returns an error unless the
// key is 32 bytes long and size is 16, 32 or 64.
func NewKey(key []byte, size int) (*Key, error) {
	switch size {
	case Size128, Size256, Size512:
	default:
		return nil, errors.New("multimixer: tag of " + strconv.Itoa(size) + " bytes, want 16, 32 or 64")
	}
	if len(key) != KeySize {
		return nil, errors.New("multimixer: key of " + strconv.Itoa(len(key)) + " bytes, want " + strconv.Itoa(KeySize))
	}
	k := &Key{&keys{size: size, key: [KeySize]byte(key)}}
	var prfKey [prfKeySize]byte
	k.keyStream(prfKey[:], chunkSize)
	k.prf = blake2b.New(size, prfKey[:])
	return k, nil
}

// keyStream fills dst with keystream, starting at the given byte offset, which must be
// a multiple of 64.
func (k *Key) keyStream(dst []byte, offset int) {
	nonce := [chacha20.NonceSizeRFC]byte([]byte("unimac-mm128"))
	chacha20.KeyStream(dst, &k.key, &nonce, uint32(offset/chacha20.BlockSize))
}

// digestKey returns the first n bytes of L.
func (k *Key) digestKey(n int) []byte {
	prefix := k.prefix.Load()
	if prefix == nil || n > len(*prefix) {
		prefix = k.expand(n)
	}
	return (*prefix)[:n]
}

// expand extends prefix, the computed part of the digest key L, to at least n bytes.
// Each extension at least doubles the length of prefix, up to the whole of L, so
// messages of increasing length cause only a few extensions.
func (k *Key) expand(n int) *[]byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	var old []byte
	if prefix := k.prefix.Load(); prefix != nil {
		if n <= len(*prefix) {
			return prefix // another goroutine has expanded it
		}
		old = *prefix
	}
	n = max(n, 2*len(old))
	n = min((n+chacha20.BlockSize-1)/chacha20.BlockSize*chacha20.BlockSize, chunkSize)
	prefix := make([]byte, n)
	copy(prefix, old)
	k.keyStream(prefix[len(old):], len(old))
	k.prefix.Store(&prefix)
	return &prefix
}

// Size returns the tag size in bytes.
func (k *Key) Size() int {
	k.mustBeMade()
	return k.size
}

// Sum appends the tag of msg to dst and returns the resulting slice. Since there is no
// nonce, equal messages have equal tags.
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
		digestPadded(&digest, k.digestKey(roundUp(n)), msg[:n])
		prf.Write(digest[:])
		msg = msg[n:]
	}
	return appendTag(dst, &prf, length)
}

// sumOne implements Sum for single-chunk messages. The digest and the length fit in one
// BLAKE2b block, so SumWith can hash them together without copying the BLAKE2b state.
func (k *Key) sumOne(dst, msg []byte) []byte {
	var input [DigestSize + 8]byte
	key := k.digestKey(roundUp(len(msg)))
	if len(key) == len(msg) && len(msg) > BlockSize {
		// Copy the digest word by word. The kernel has just stored the digest in words
		// of another size, and the processor cannot forward such stores to BLAKE2b's
		// loads. If BLAKE2b read the digest directly, its loads would stall.
		var digest [DigestSize]byte
		multimixer.Digest(&digest, key, msg)
		for i := 0; i < DigestSize; i += 8 {
			binary.LittleEndian.PutUint64(input[i:], binary.LittleEndian.Uint64(digest[i:]))
		}
	} else {
		digestPadded((*[DigestSize]byte)(input[:]), key, msg)
	}
	binary.LittleEndian.PutUint64(input[DigestSize:], uint64(len(msg)))
	return k.prf.SumWith(dst, input[:])
}

// Verify reports whether tag is the tag of msg. It returns false if tag has the wrong
// length, and it compares tags in constant time.
func (k *Key) Verify(tag, msg []byte) bool {
	var want [maxSize]byte
	return subtle.ConstantTimeCompare(k.Sum(want[:0], msg), tag) == 1
}

func (k *Key) mustBeMade() {
	if k.keys == nil {
		panic("multimixer: Key without a key, use NewKey")
	}
}

// appendTag writes the message length to prf and appends the tag to dst. The digests
// must already have been written to prf.
func appendTag(dst []byte, prf *blake2b.State, length uint64) []byte {
	var le [8]byte
	binary.LittleEndian.PutUint64(le[:], length)
	prf.Write(le[:])
	return prf.Sum(dst)
}

// digestPadded pads msg with zeros to whole blocks and computes its digest under key.
func digestPadded(dst *[DigestSize]byte, key, msg []byte) {
	switch {
	case len(msg)%BlockSize == 0:
		// Digest rejects an empty message, so msg must not be empty.
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

// addPadded pads msg with zeros to a multiple of the block size, computes the digest of
// the result under key, and adds the digest to sum.
func addPadded(sum *multimixer.Sum, key, msg []byte) {
	whole := len(msg) / BlockSize * BlockSize
	sum.Add(key[:whole], msg[:whole])
	if whole < len(msg) {
		var last [BlockSize]byte
		copy(last[:], msg[whole:])
		sum.Add(key[whole:whole+BlockSize], last[:])
	}
}

func roundUp(n int) int { return (n + BlockSize - 1) / BlockSize * BlockSize }

const (
	// bufferSize is the number of message bytes to buffer before calling a kernel. A
	// call costs as much as hashing a few hundred bytes.
	bufferSize = 640

	// minDirect is the length of the shortest Write that is hashed without buffering.
	minDirect = 256
)

// A chunk holds the partial digest of up to 8192 bytes of message. A digest is a sum
// over blocks, so the chunk needs only the sum so far and the bytes not yet added to
// it.
type chunk struct {
	sum      multimixer.Sum
	n        int // length so far, including buffered bytes
	buffered int // number of buffered bytes
	buffer   [bufferSize]byte
}

// update appends p to the chunk. The caller must ensure that the chunk has room for p.
func (c *chunk) update(k *Key, p []byte) {
	key := k.digestKey(roundUp(c.n + len(p)))[c.n-c.buffered:]
	c.n += len(p)
	if c.buffered > 0 || len(p) < minDirect {
		end := bufferSize
		if len(p) >= bufferSize {
			end = roundUp(c.buffered) // the rest of p needs a separate call in any case
		}
		n := copy(c.buffer[c.buffered:end], p)
		c.buffered += n
		if p = p[n:]; c.buffered < end {
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
	c.buffered = copy(c.buffer[:], p)
}

// If the chunk is not empty, finish writes its digest to prf.
func (c *chunk) finish(k *Key, prf *blake2b.State) {
	if c.n == 0 {
		return
	}
	sum := c.sum
	if c.buffered > 0 {
		addPadded(&sum, k.digestKey(roundUp(c.n))[c.n-c.buffered:], c.buffer[:c.buffered])
	}
	var digest [DigestSize]byte
	sum.Digest(&digest)
	prf.Write(digest[:])
}
