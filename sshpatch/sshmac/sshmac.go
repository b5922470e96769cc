// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package sshmac adapts UMAC (RFC 4418) to SSH transports as a [hash.Hash]. For each
// packet, the transport calls Reset and then writes the sequence number and the packet.
// Programs that use golang.org/x/crypto/ssh call
// [github.com/unimac/unimac/sshpatch.Register] instead.
//
// The algorithms are the same as in OpenSSH. Keys are 16 bytes long. The nonce is the
// sequence number as a 64-bit big-endian integer; it is not part of the message.
//
// No code branches on, or indexes memory by, a key, a packet or a tag; see package
// umac. Since a [hash.Hash] has no Verify method, the caller must compare tags in
// constant time with crypto/subtle.
package sshmac

import (
	"errors"
	"hash"
	"strconv"

	"github.com/unimac/unimac/umac"
)

// Names of OpenSSH's algorithms. For an -etm algorithm (encrypt-then-MAC), the
// transport computes the MAC over the packet length and the ciphertext; otherwise, it
// computes the MAC over the plaintext packet. [New] returns the same MAC in both cases.
const (
	UMAC64     = "umac-64@openssh.com"      // 8-byte tags
	UMAC128    = "umac-128@openssh.com"     // 16-byte tags
	UMAC64ETM  = "umac-64-etm@openssh.com"  // 8-byte tags
	UMAC128ETM = "umac-128-etm@openssh.com" // 16-byte tags
)

// KeySize is the key size of every algorithm in bytes.
const KeySize = 16

const sequenceSize = 4

// New returns the MAC for one direction of a connection. It returns an error unless
// algorithm is one of the four names and the key is 16 bytes long.
//
// The first four bytes written after New or Reset, in any number of calls, are the
// packet's sequence number in big-endian order. They determine the nonce and are not
// part of the message, which consists of the bytes that follow. Under one key, each
// sequence number must be used for a single packet; SSH exchanges keys again before the
// 32-bit number wraps.
//
// Sum does not change the state. If the sequence number is incomplete, Sum pads it with
// zero bytes and returns the tag of the empty message. Never disclose such a tag: it
// would use up the nonce.
//
// The MAC also implements [hash.Cloner]. Reset, Write and Sum do not allocate if the
// slice passed to Sum has enough capacity for the tag, 8 or 16 bytes.
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

type packetMAC struct {
	key   *umac.Key
	mac   *umac.MAC // MAC of the packet; valid once the sequence number is complete
	nonce [8]byte   // four zero bytes and the sequence number
	n     int       // number of bytes of the sequence number written so far
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
