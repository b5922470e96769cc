// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package packet

import (
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/poly1305"
)

// ChaCha20Poly1305 implements the cipher chacha20-poly1305@openssh.com. The nonce is
// the packet's sequence number. Block 0 of the content's keystream contains the
// Poly1305 key, and encryption starts with block 1. The packet length is encrypted
// under a separate key. The tag covers the encrypted length and the encrypted content.
type ChaCha20Poly1305 struct {
	content, length [chacha20.KeySize]byte

	// buf starts with the Poly1305 key and unused bytes, 60 bytes in total, so that the
	// content is aligned with a keystream block. The rest of buf is the packet: the
	// length, the content and the tag.
	buf []byte
}

const (
	// KeySizeChaCha20Poly1305 is the key size in bytes. The first half of a key
	// encrypts the content, and the second half encrypts the packet length.
	KeySizeChaCha20Poly1305 = 2 * chacha20.KeySize

	lengthAt  = contentAt - 4
	contentAt = chacha20.BlockSize

	blockChaCha20 = 8

	// maxCopy is the maximum content size, in bytes, for which WritePacket copies the
	// whole payload to buf and encrypts it in place. Most of a larger payload is
	// encrypted directly from the caller's slice.
	maxCopy = 1024
)

func NewChaCha20Poly1305(key []byte) (*ChaCha20Poly1305, error) {
	if len(key) != KeySizeChaCha20Poly1305 {
		return nil, fmt.Errorf("packet: ChaCha20-Poly1305 key of %d bytes, want %d", len(key), KeySizeChaCha20Poly1305)
	}
	return &ChaCha20Poly1305{
		content: [chacha20.KeySize]byte(key[:chacha20.KeySize]),
		length:  [chacha20.KeySize]byte(key[chacha20.KeySize:]),
		buf:     make([]byte, 320),
	}, nil
}

func (c *ChaCha20Poly1305) ReadPacket(seq uint32, r io.Reader) ([]byte, error) {
	nonce := nonceOf(seq)
	if _, err := io.ReadFull(r, c.buf[lengthAt:contentAt]); err != nil {
		return nil, err
	}
	var field [4]byte
	chacha20.XORKeyStream(field[:], c.buf[lengthAt:contentAt], &c.length, &nonce, 0)
	n := binary.BigEndian.Uint32(field[:])
	if n > maxPacket {
		return nil, errTooLarge
	}
	end := contentAt + int(n)
	c.buf = grow(c.buf, contentAt, end+poly1305.TagSize)
	if _, err := io.ReadFull(r, c.buf[contentAt:]); err != nil {
		return nil, err
	}
	var tag [poly1305.TagSize]byte
	poly1305.Sum(&tag, c.buf[lengthAt:end], c.oneTimeKey(&nonce))
	if subtle.ConstantTimeCompare(tag[:], c.buf[end:]) != 1 {
		return nil, errMAC
	}
	plain := c.buf[contentAt:end]
	chacha20.XORKeyStream(plain, plain, &c.content, &nonce, 1)
	return parsePayload(plain)
}

// oneTimeKey computes the Poly1305 key for nonce and stores it at the start of c.buf.
func (c *ChaCha20Poly1305) oneTimeKey(nonce *[chacha20.NonceSize]byte) *[poly1305.KeySize]byte {
	key := (*[poly1305.KeySize]byte)(c.buf)
	clear(key[:])
	chacha20.XORKeyStream(key[:], key[:], &c.content, nonce, 0)
	return key
}

func (c *ChaCha20Poly1305) WritePacket(seq uint32, w io.Writer, rand io.Reader, payload []byte) error {
	nonce := nonceOf(seq)
	pad := padding(1+len(payload), blockChaCha20)
	n := 1 + len(payload) + pad
	end := contentAt + n
	c.buf = grow(c.buf, 0, end+poly1305.TagSize)
	if _, err := io.ReadFull(rand, c.buf[end-pad:end]); err != nil {
		return err
	}
	c.buf[contentAt] = byte(pad)
	c.seal(&nonce, payload, n)
	binary.BigEndian.PutUint32(c.buf[lengthAt:], uint32(n))
	field := c.buf[lengthAt:contentAt]
	chacha20.XORKeyStream(field, field, &c.length, &nonce, 0)

	poly1305.Sum((*[poly1305.TagSize]byte)(c.buf[end:]), c.buf[lengthAt:end], (*[poly1305.KeySize]byte)(c.buf))
	_, err := w.Write(c.buf[lengthAt:])
	return err
}

// seal encrypts the packet's content, which is n bytes long, into c.buf. The content
// consists of the padding length, the payload and the padding. The caller must already
// have stored the padding length and the padding in c.buf. seal also stores the
// Poly1305 key at the start of c.buf.
func (c *ChaCha20Poly1305) seal(nonce *[chacha20.NonceSize]byte, payload []byte, n int) {
	const block = chacha20.BlockSize
	clear(c.buf[:poly1305.KeySize])
	if n <= maxCopy {
		copy(c.buf[contentAt+1:], payload)
		text := c.buf[:contentAt+n]
		chacha20.XORKeyStream(text, text, &c.content, nonce, 0)
		return
	}
	// Encrypt the first block of the content in the same call that produces keystream
	// block 0, which contains the Poly1305 key. Then encrypt whole blocks directly from
	// payload, and finally the rest of payload and the padding.
	copy(c.buf[contentAt+1:contentAt+block], payload)
	text := c.buf[:contentAt+block]
	chacha20.XORKeyStream(text, text, &c.content, nonce, 0)

	payload = payload[block-1:]
	whole := len(payload) / block * block
	text = c.buf[contentAt+block:]
	chacha20.XORKeyStream(text[:whole], payload[:whole], &c.content, nonce, 2)

	copy(text[whole:], payload[whole:])
	text = text[whole : n-block]
	chacha20.XORKeyStream(text, text, &c.content, nonce, uint64(2+whole/block))
}

// nonceOf returns the packet's sequence number as a 64-bit big-endian integer.
func nonceOf(seq uint32) (nonce [chacha20.NonceSize]byte) {
	binary.BigEndian.PutUint64(nonce[:], uint64(seq))
	return nonce
}
