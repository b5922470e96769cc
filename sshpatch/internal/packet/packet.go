// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package packet protects the packets of an SSH connection (RFC 4253, section 6):
//
//   - [ChaCha20Poly1305] is chacha20-poly1305@openssh.com (OpenSSH's
//     PROTOCOL.chacha20poly1305).
//   - [CTR] is AES in counter mode with a MAC over the ciphertext, the -etm
//     algorithms of OpenSSH's PROTOCOL, section 1.5.
//
// Limits, padding and the texts of errors are those of golang.org/x/crypto/ssh, in
// the place of whose ciphers these stand. The one difference is that nothing but the
// length of a packet is decrypted, or looked at, before the tag is checked.
//
// A value serves one direction of one connection, and one goroutine.
package packet

import (
	"errors"
	"fmt"
	"io"
)

// A Cipher reads and writes packets. Its methods have the order and the types of
// those of x/crypto/ssh's packetCipher, readCipherPacket and writeCipherPacket.
type Cipher interface {
	// ReadPacket reads a packet from r and returns its payload, which the next call
	// overwrites. The tag is that of the packet with this sequence number.
	ReadPacket(seq uint32, r io.Reader) ([]byte, error)

	// WritePacket writes a packet to w by one call of Write. The padding comes from
	// rand. It does not change the payload.
	WritePacket(seq uint32, w io.Writer, rand io.Reader, payload []byte) error
}

// maxPacket is how long a packet may be, without its length field and tag. RFC 4253
// asks for 35,000 bytes at least; OpenSSH and x/crypto/ssh take so many.
const maxPacket = 256 << 10

var (
	errMAC      = errors.New("ssh: MAC failure")
	errEmpty    = errors.New("ssh: empty packet")
	errTooSmall = errors.New("ssh: invalid packet length, packet too small")
	errTooLarge = errors.New("ssh: invalid packet length, packet too large")
	errPayload  = errors.New("ssh: packet too large")
)

// padding returns how many bytes of padding, at least 4, make n bytes a multiple of
// the block's size.
func padding(n, block int) int {
	p := block - n%block
	if p < 4 {
		p += block
	}
	return p
}

// grow returns a buffer of n bytes, which is buf where that is large enough. The
// first keep bytes are those of buf.
func grow(buf []byte, keep, n int) []byte {
	if n <= cap(buf) {
		return buf[:n]
	}
	larger := make([]byte, n)
	copy(larger, buf[:keep])
	return larger
}

// payload returns what lies between the first byte of a decrypted packet, which
// says how much padding there is, and that padding.
func payload(plain []byte) ([]byte, error) {
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
