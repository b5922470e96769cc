// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package packet implements chacha20-poly1305@openssh.com (OpenSSH's
// PROTOCOL.chacha20poly1305), a cipher for the packets of an SSH connection (RFC 4253,
// section 6). [ChaCha20Poly1305] is a replacement for the cipher in
// golang.org/x/crypto/ssh and has the same limits, padding and errors.
package packet

import (
	"errors"
	"fmt"
	"io"
)

// A Cipher reads and writes packets. Its methods have the same signatures as the
// methods of x/crypto/ssh's packetCipher, in the same order.
type Cipher interface {
	// ReadPacket reads the packet with sequence number seq from r, verifies its tag and
	// returns its payload. The payload is valid until the next call.
	ReadPacket(seq uint32, r io.Reader) ([]byte, error)

	// WritePacket writes payload as a packet to w in a single Write call. It reads the
	// padding from rand and does not change payload.
	WritePacket(seq uint32, w io.Writer, rand io.Reader, payload []byte) error
}

// maxPacket is the maximum packet length in bytes, excluding the length field and the
// tag. OpenSSH and x/crypto/ssh have the same limit.
const maxPacket = 256 << 10

var (
	errMAC      = errors.New("ssh: MAC failure")
	errEmpty    = errors.New("ssh: empty packet")
	errTooLarge = errors.New("ssh: invalid packet length, packet too large")
)

// padding returns the smallest padding length, at least 4, that makes n plus the
// padding a multiple of block.
func padding(n, block int) int {
	p := block - n%block
	if p < 4 {
		p += block
	}
	return p
}

// grow returns a buffer of n bytes that begins with the first keep bytes of buf.
func grow(buf []byte, keep, n int) []byte {
	if n <= cap(buf) {
		return buf[:n]
	}
	larger := make([]byte, n)
	copy(larger, buf[:keep])
	return larger
}

// parsePayload returns the payload of a decrypted packet, which is the bytes between
// the padding length and the padding.
func parsePayload(plain []byte) ([]byte, error) {
	if len(plain) == 0 {
		return nil, errEmpty
	}
	padding := plain[0]
	if padding < 4 {
		return nil, fmt.Errorf("ssh: illegal padding %d", padding)
	}
	if int(padding)+1 >= len(plain) {
		return nil, fmt.Errorf("ssh: padding %d too large", padding)
	}
	return plain[1 : len(plain)-int(padding)], nil
}
