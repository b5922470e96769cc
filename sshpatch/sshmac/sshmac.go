// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package sshmac gives UMAC (RFC 4418) the form in which SSH transports use a
// MAC: a [hash.Hash] that is reset before each packet and is then given the
// packet's sequence number, followed by the packet.
//
// The algorithms are OpenSSH's, as its sshd and ssh negotiate them. Keys have
// 16 bytes. The nonce is the sequence number as a big-endian integer of 64
// bits; it is no part of the message.
//
// Programs that use golang.org/x/crypto/ssh call
// [github.com/unimac/unimac/sshpatch.Register] instead.
//
// Nothing here branches on, or indexes memory by, a key, a packet or a tag, as
// package umac documents it. Whoever compares tags does it in constant time, by
// crypto/subtle: a [hash.Hash] has no Verify.
package sshmac

import (
	"errors"
	"hash"
	"strconv"

	"github.com/unimac/unimac/umac"
)

// The names of OpenSSH. An -etm algorithm (encrypt-then-MAC) is computed over
// the packet length and the ciphertext, the others over the plaintext packet;
// that is the transport's part, and [New] treats both alike.
const (
	UMAC64     = "umac-64@openssh.com"      // tags of 8 bytes
	UMAC128    = "umac-128@openssh.com"     // tags of 16 bytes
	UMAC64ETM  = "umac-64-etm@openssh.com"  // tags of 8 bytes
	UMAC128ETM = "umac-128-etm@openssh.com" // tags of 16 bytes
)

// KeySize is the size in bytes of the key of every algorithm.
const KeySize = 16

// sequenceSize is the size in bytes of a packet's sequence number.
const sequenceSize = 4

// New returns the MAC of one direction of a connection, for one of the four
// algorithms and a key of 16 bytes. Anything else is an error.
//
// The first four bytes written after New or Reset, in however many pieces, are
// the packet's sequence number, big-endian. They choose the nonce and are not
// authenticated otherwise; what follows is the message. Under one key each
// sequence number must be used for one packet only: SSH exchanges keys again
// before the 32 bits wrap.
//
// Sum changes nothing. Before the sequence number is complete, it takes the
// bytes that are missing for zero and the message for empty; such a tag is of
// no use, and showing it would spend the nonce.
//
// The MAC is also a [hash.Cloner]. A packet (Reset, Write, Sum) allocates
// nothing, as long as Sum is given room for the tag: 8 or 16 bytes.
func New(algorithm string, key []byte) (hash.Hash, error) {
	var size int
	switch algorithm {
	case UMAC64, UMAC64ETM:
		size = umac.Size64
	case UMAC128, UMAC128ETM:
		size = umac.Size128
	default:
		return nil, errors.New("sshmac: unknown algorithm " + strconv.Quote(algorithm))
	}
	if len(key) != KeySize {
		return nil, errors.New("sshmac: key of " + strconv.Itoa(len(key)) + " bytes, want " + strconv.Itoa(KeySize))
	}
	k, err := umac.NewKey(key, size)
	if err != nil {
		return nil, errors.New("sshmac: " + err.Error())
	}
	m := &packetMAC{key: k}
	m.mac = k.New(m.nonce[:])
	return m, nil
}

// packetMAC authenticates one packet after the other.
type packetMAC struct {
	key   *umac.Key
	mac   *umac.MAC // of the packet, once the sequence number is there
	nonce [8]byte   // the sequence number, in the last four bytes
	n     int       // bytes of the sequence number that were written
}

var _ hash.Cloner = (*packetMAC)(nil)

func (m *packetMAC) Size() int      { return m.key.Size() }
func (m *packetMAC) BlockSize() int { return m.mac.BlockSize() }

func (m *packetMAC) Reset() {
	m.n = 0
	m.nonce = [8]byte{}
}

func (m *packetMAC) Write(p []byte) (int, error) {
	written := len(p)
	if m.n < sequenceSize {
		n := copy(m.nonce[8-sequenceSize+m.n:], p)
		m.n += n
		if m.n < sequenceSize {
			return written, nil
		}
		m.mac.ResetNonce(m.nonce[:])
		p = p[n:]
	}
	m.mac.Write(p)
	return written, nil
}

func (m *packetMAC) Sum(b []byte) []byte {
	if m.n < sequenceSize {
		return m.key.Sum(b, m.nonce[:], nil)
	}
	return m.mac.Sum(b)
}

func (m *packetMAC) Clone() (hash.Cloner, error) {
	c := *m
	mac, err := m.mac.Clone()
	if err != nil {
		return nil, err
	}
	c.mac = mac.(*umac.MAC)
	return &c, nil
}
