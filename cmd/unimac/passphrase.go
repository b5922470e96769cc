// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/crypto/argon2"

	"github.com/unimac/unimac/aead/stream"
)

// A passphraseHeader precedes the stream in a file sealed with a passphrase. It
// contains the parameters for deriving a key from the passphrase:
//
//	header = "unimacp1" || BE32(memory) || BE16(time) || BE16(threads) || salt
//	key    = Argon2id(passphrase, salt, time, memory, threads)      32 bytes
//
// In unimac stream v2, the Argon2id output is itself the stream key. In other formats,
// the stream key is derived from the output, just as from the key in a key file. All
// header fields after "unimacp1" are inputs to Argon2id, so a modified header looks
// like a wrong passphrase.
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

// These limits bound the cost of opening a malicious file. Memory is in KiB.
const (
	minArgonMemory  = 8       // per thread, required by RFC 9106
	maxArgonMemory  = 1 << 20 // 1 GiB
	maxArgonTime    = 16
	maxArgonThreads = 16
	maxArgonWork    = 2 << 20 // memory times passes
)

// These are the minimum parameters for new files.
const (
	minNewMemory = 64 << 10 // 64 MiB, recommended by RFC 9106 for memory-constrained environments
	minNewTime   = 3
)

// passphraseCost holds the default parameters for new files. Only tests change it.
var passphraseCost = passphraseHeader{Memory: 256 << 10, Time: 3, Threads: 4}

func (h *passphraseHeader) bytes() []byte {
	b, _ := binary.Append([]byte(passphraseMagic), binary.BigEndian, h) // a fixed size causes no error
	return b
}

// parsePassphraseHeader parses b, which must begin with passphraseMagic.
func parsePassphraseHeader(b []byte) (*passphraseHeader, error) {
	if len(b) < passphraseHeaderSize {
		return nil, errNoEnd
	}
	h := new(passphraseHeader)
	binary.Decode(b[len(passphraseMagic):], binary.BigEndian, h)
	switch {
	case h.Threads < 1 || h.Threads > maxArgonThreads:
		return nil, fmt.Errorf("asks for Argon2id with %d threads, want 1 to %d", h.Threads, maxArgonThreads)
	case h.Time < 1 || h.Time > maxArgonTime:
		return nil, fmt.Errorf("asks for Argon2id with %d passes, want 1 to %d", h.Time, maxArgonTime)
	case h.Memory < minArgonMemory*uint32(h.Threads) || h.Memory > maxArgonMemory:
		return nil, fmt.Errorf("asks for Argon2id with %d KiB of memory, want %d to %d", h.Memory, minArgonMemory*h.Threads, maxArgonMemory)
	case h.Memory*uint32(h.Time) > maxArgonWork:
		return nil, fmt.Errorf("asks for Argon2id with %d KiB of memory and %d passes, want a product of at most %d", h.Memory, h.Time, maxArgonWork)
	}
	return h, nil
}

// passphraseKey returns the key for the stream following header.
func passphraseKey(header []byte, passphrase func() ([]byte, error), f stream.Format) ([]byte, error) {
	h, err := parsePassphraseHeader(header)
	if err != nil {
		return nil, err
	}
	p, err := passphrase()
	if err != nil {
		return nil, err
	}
	return h.key(p, f)
}

// key returns the key for the stream following the header.
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
