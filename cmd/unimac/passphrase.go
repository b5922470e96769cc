// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
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
	Memory  uint32 // in KiB
	Time    uint16 // passes over the memory
	Threads uint16
	Salt    [16]byte
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

// The least cost of a new file.
const (
	minNewMemory = 64 << 10 // 64 MiB, what RFC 9106 recommends for machines with little memory
	minNewTime   = 3
)

// passphraseCost is what a new file asks for, without the salt: more than what
// RFC 9106 recommends for machines with little memory, 256 MiB in place of 64. Only
// tests change it.
var passphraseCost = passphraseHeader{Memory: 256 << 10, Time: 3, Threads: 4}

func (h *passphraseHeader) bytes() []byte {
	b, err := binary.Append([]byte(passphraseMagic), binary.BigEndian, h)
	if err != nil {
		panic(err) // its size is fixed
	}
	return b
}

// parsePassphraseHeader reads a header, which begins with the magic. It refuses
// one that asks for more than the limits.
func parsePassphraseHeader(b []byte) (*passphraseHeader, error) {
	if len(b) < passphraseHeaderSize {
		return nil, errNoEnd
	}
	h := new(passphraseHeader)
	if _, err := binary.Decode(b[len(passphraseMagic):], binary.BigEndian, h); err != nil {
		return nil, err
	}
	switch {
	case h.Threads < 1 || h.Threads > maxArgonThreads:
		return nil, fmt.Errorf("asks for Argon2id with %d threads, and 1 to %d are allowed", h.Threads, maxArgonThreads)
	case h.Time < 1 || h.Time > maxArgonTime:
		return nil, fmt.Errorf("asks for Argon2id with %d passes, and 1 to %d are allowed", h.Time, maxArgonTime)
	case h.Memory < minArgonMemory*uint32(h.Threads) || h.Memory > maxArgonMemory:
		return nil, fmt.Errorf("asks for Argon2id with %d KiB of memory, and %d to %d are allowed", h.Memory, minArgonMemory*h.Threads, maxArgonMemory)
	case h.Memory*uint32(h.Time) > maxArgonWork:
		return nil, fmt.Errorf("asks for Argon2id with %d KiB of memory and %d passes, of which the product must not be above %d", h.Memory, h.Time, maxArgonWork)
	}
	return h, nil
}

// key returns the key of the stream after the header, or an error if the memory that Argon2id
// needs is not available.
func (h *passphraseHeader) key(passphrase []byte, f stream.Format) ([]byte, error) {
	if err := checkMemory(int(h.Memory) << 10); err != nil {
		return nil, fmt.Errorf("no memory for Argon2id, which takes %d MiB here: %w", h.Memory>>10, err)
	}
	key := argon2.IDKey(passphrase, h.Salt[:], uint32(h.Time), h.Memory, uint8(h.Threads), stream.KeySize)
	if f == stream.UnimacV2 {
		return key, nil
	}
	return formatKey(key, f), nil
}
