// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package packet

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"io"

	"github.com/unimac/unimac/umac"
)

// A MAC authenticates packets.
type MAC interface {
	Size() int

	// Sum appends the tag of the packet with a sequence number.
	Sum(dst []byte, seq uint32, packet []byte) []byte
}

// CTR is AES in counter mode with a MAC over the length, which is not encrypted, and
// the encrypted content.
type CTR struct {
	stream cipher.Stream
	mac    MAC
	tag    [64]byte // of a packet that is read
	buf    []byte
}

// NewCTR returns the cipher of a key of 16, 24 or 32 bytes and the counter's first
// value, of 16 bytes.
func NewCTR(key, iv []byte, mac MAC) (*CTR, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return &CTR{stream: cipher.NewCTR(block, iv), mac: mac, buf: make([]byte, 256)}, nil
}

func (c *CTR) ReadPacket(seq uint32, r io.Reader) ([]byte, error) {
	if _, err := io.ReadFull(r, c.buf[:4]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(c.buf)
	if n <= 1 {
		return nil, errTooSmall
	}
	if n > maxPacket {
		return nil, errTooLarge
	}
	end := 4 + int(n)
	c.buf = grow(c.buf, 4, end+c.mac.Size())
	if _, err := io.ReadFull(r, c.buf[4:]); err == io.EOF {
		return nil, io.ErrUnexpectedEOF // the packet has begun
	} else if err != nil {
		return nil, err
	}
	if subtle.ConstantTimeCompare(c.mac.Sum(c.tag[:0], seq, c.buf[:end]), c.buf[end:]) != 1 {
		return nil, errMAC
	}
	plain := c.buf[4:end]
	c.stream.XORKeyStream(plain, plain)
	if padding := int(plain[0]); len(plain) > padding+1 {
		return plain[1 : len(plain)-padding], nil
	}
	return nil, errTooSmall
}

func (c *CTR) WritePacket(seq uint32, w io.Writer, rand io.Reader, payload []byte) error {
	if len(payload) > maxPacket {
		return errPayload
	}
	const block = aes.BlockSize
	pad := padding(1+len(payload), block)
	n := 1 + len(payload) + pad
	end := 4 + n
	c.buf = grow(c.buf, 0, end+c.mac.Size())
	if _, err := io.ReadFull(rand, c.buf[end-pad:end]); err != nil {
		return err
	}
	binary.BigEndian.PutUint32(c.buf, uint32(n))
	c.buf[4] = byte(pad)

	// The first block begins with the length of the padding; then whole blocks from
	// where they are; what is left of the payload, and the padding.
	first := min(block-1, len(payload))
	copy(c.buf[5:], payload[:first])
	whole := 0
	if first == block-1 {
		payload = payload[first:]
		whole = len(payload) / block * block
		c.stream.XORKeyStream(c.buf[4:4+block], c.buf[4:4+block])
		c.stream.XORKeyStream(c.buf[4+block:], payload[:whole])
		copy(c.buf[4+block+whole:], payload[whole:])
		whole += block
	}
	c.stream.XORKeyStream(c.buf[4+whole:end], c.buf[4+whole:end])

	c.buf = c.mac.Sum(c.buf[:end], seq, c.buf[:end])
	_, err := w.Write(c.buf)
	return err
}

// UMAC is the MAC of OpenSSH's umac algorithms: the nonce is the sequence number in
// eight bytes.
type UMAC struct{ key *umac.Key }

// NewUMAC returns the MAC of a key of 16 bytes, with tags of 8 or 16 bytes.
func NewUMAC(key []byte, size int) (UMAC, error) {
	k, err := umac.NewKey(key, size)
	return UMAC{k}, err
}

func (m UMAC) Size() int { return m.key.Size() }

func (m UMAC) Sum(dst []byte, seq uint32, packet []byte) []byte {
	var nonce [8]byte
	binary.BigEndian.PutUint64(nonce[:], uint64(seq))
	return m.key.Sum(dst, nonce[:], packet)
}
