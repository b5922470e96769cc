// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"

	"golang.org/x/crypto/argon2"

	"github.com/unimac/unimac/aead/stream"
)

// A passphraseHeader comes before the stream in a file that is sealed with a
// passphrase. It says how the stream's key is made from that:
//
//	header = "unimacp1" || BE32(memory) || BE16(time) || BE16(threads) || salt
//	key    = Argon2id(passphrase, salt, time, memory, threads)      32 bytes
//
// That is the stream's key for unimac stream v2. For other formats it takes the place of
// the key in a key file.
//
// All of it but the first 8 bytes, which cannot be others, goes into the key.
// Changed, it is a wrong passphrase.
type passphraseHeader struct {
	memory  uint32 // in KiB
	time    uint16 // passes over the memory
	threads uint16
	salt    [16]byte
}

const (
	passphraseMagic      = "unimacp1"
	passphraseHeaderSize = len(passphraseMagic) + 4 + 2 + 2 + 16
)

// The limits on what a file may ask for: whoever opens it pays.
const (
	maxArgonMemory  = 1 << 20 // 1 GiB
	maxArgonTime    = 16
	maxArgonThreads = 16
	minArgonMemory  = 8 // for each thread, says RFC 9106
	// maxArgonWork is the most memory times passes: some ten seconds.
	maxArgonWork = 2 << 20
)

// passphraseCost is what a new file asks for, without the salt: more than what
// RFC 9106 recommends for machines with little memory, 256 MiB in place of 64. Only
// tests change it.
var passphraseCost = passphraseHeader{memory: 256 << 10, time: 3, threads: 4}

// newPassphraseHeader returns the header of a new file.
func newPassphraseHeader() *passphraseHeader {
	h := passphraseCost
	rand.Read(h.salt[:])
	return &h
}

func (h *passphraseHeader) bytes() []byte {
	b := []byte(passphraseMagic)
	b = binary.BigEndian.AppendUint32(b, h.memory)
	b = binary.BigEndian.AppendUint16(b, h.time)
	b = binary.BigEndian.AppendUint16(b, h.threads)
	return append(b, h.salt[:]...)
}

// parsePassphraseHeader reads a header, which begins with the magic. It refuses
// one that asks for more than the limits.
func parsePassphraseHeader(b []byte) (*passphraseHeader, error) {
	if len(b) < passphraseHeaderSize {
		return nil, errNoEnd
	}
	b = b[len(passphraseMagic):]
	h := &passphraseHeader{
		memory:  binary.BigEndian.Uint32(b),
		time:    binary.BigEndian.Uint16(b[4:]),
		threads: binary.BigEndian.Uint16(b[6:]),
	}
	copy(h.salt[:], b[8:])
	switch {
	case h.threads < 1 || h.threads > maxArgonThreads:
		return nil, fmt.Errorf("asks for Argon2id with %d threads, and 1 to %d are allowed", h.threads, maxArgonThreads)
	case h.time < 1 || h.time > maxArgonTime:
		return nil, fmt.Errorf("asks for Argon2id with %d passes, and 1 to %d are allowed", h.time, maxArgonTime)
	case h.memory < minArgonMemory*uint32(h.threads) || h.memory > maxArgonMemory:
		return nil, fmt.Errorf("asks for Argon2id with %d KiB of memory, and %d to %d are allowed", h.memory, minArgonMemory*h.threads, maxArgonMemory)
	case h.memory*uint32(h.time) > maxArgonWork:
		return nil, fmt.Errorf("asks for Argon2id with %d KiB of memory and %d passes, of which the product must not be above %d", h.memory, h.time, maxArgonWork)
	}
	return h, nil
}

// key returns the key of the stream after the header.
func (h *passphraseHeader) key(passphrase []byte, f stream.Format) []byte {
	key := argon2.IDKey(passphrase, h.salt[:], uint32(h.time), h.memory, uint8(h.threads), stream.KeySize)
	if f == stream.UnimacV2 {
		return key
	}
	return formatKey(key, f)
}
