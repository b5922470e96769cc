// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/unimac/unimac/aead/stream"
	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/internal/blake2b"
)

const masterSize = 32 // in bytes

// A masterKey is the key in a key file, from which all other keys are derived.
type masterKey [masterSize]byte

// derive derives a key of size bytes for the named algorithm.
func (k *masterKey) derive(name string, size int) []byte {
	return deriveKey(k[:], []byte(name), size)
}

const keyIDSize = 4 // in bytes

// id returns the key identifier used in lists of tags. It may be published, because it
// reveals nothing about the key.
func (k *masterKey) id() []byte { return k.derive("unimac key identifier v1", keyIDSize) }

// deriveKey returns a key of size bytes: the BLAKE2b digest of label, keyed with key.
// Different labels give independent keys.
func deriveKey(key, label []byte, size int) []byte {
	h := blake2b.New(size, key)
	h.Write(label)
	return h.Sum(nil)
}

func keygenCommand() *cli.Command {
	return &cli.Command{
		Name:  "keygen",
		Want:  "one key file",
		Args:  "[-p|-passphrase-file FILE] [-kdf-memory MIB] [-kdf-time PASSES] KEYFILE",
		Short: "create a key file",
		Long: `Writes a new random key of 32 bytes, as 64 hexadecimal digits and a newline, to KEYFILE,
which only its owner can read. An existing file is never overwritten. If KEYFILE is -, the
key goes to standard output.

With -p, keygen asks for a passphrase, twice, and seals the line as "unimac seal -p" does.
-passphrase-file reads the passphrase from a file. -kdf-memory and -kdf-time set its cost,
as in "unimac seal". Commands that take -k then ask for the passphrase, or read it with
-passphrase-file.

The key of each algorithm is derived from the key in the file: it is the BLAKE2b digest of
the algorithm's name, keyed with the 32 bytes, with the length that the algorithm needs. For
the lists of "unimac sum", the name is followed by " with names", as in "umac-128 with names".

For "unimac seal", the name is "unimac stream v2". With -format, it is "unimac seal
Cobblestone128" (a key of 16 bytes), "unimac seal Cobblestone256", "unimac seal
ChunkedChaCha20Poly1305" or "unimac seal ChunkedAEGIS256X2" (32 bytes). For the 4 bytes that
identify the key in lists, it is "unimac key identifier v1".`,
		Examples: []string{
			"unimac keygen key",
			"unimac keygen -p key",
			"unimac keygen - | ssh example.org 'umask 077; cat >key'",
		},
		New: newKeygen,
	}
}

func newKeygen(c *cli.Call) func() int {
	var s secrets
	c.Flags.BoolVar(&s.ask, "p", false, "ask for a passphrase, without which nobody can use the key file")
	c.Flags.StringVar(&s.passphrasePath, "passphrase-file", "", "a `file` with the passphrase on its only line")
	s.kdfFlags(c)
	return func() int {
		if s.ask && s.passphrasePath != "" {
			return c.Usagef("want only one of -p and -passphrase-file")
		}
		if err := s.checkCost(s.ask || s.passphrasePath != ""); err != nil {
			return c.Usagef("%v", err)
		}
		key := make([]byte, masterSize)
		rand.Read(key)
		content := append(hex.AppendEncode(nil, key), '\n')
		if s.ask || s.passphrasePath != "" {
			var sealed bytes.Buffer
			seal, err := s.sealNew(stream.Options{Format: stream.UnimacV2})
			if err == nil {
				err = seal(bytes.NewReader(content), &sealed)
			}
			if err != nil {
				return c.Errorf("%v", err)
			}
			content = sealed.Bytes()
		}
		path := c.Args[0]
		if path == "-" {
			c.Stdout.Write(content) // cli.Run reports the error
			return cli.ExitOK
		}
		err := cli.CreateSecret(path, content)
		switch {
		case err == cli.ErrExists:
			return c.Errorf("%s: exists already; a key file is never overwritten", cli.Name(path))
		case err != nil:
			return c.Errorf("%s: %s", cli.Name(path), cli.Reason(err))
		}
		return cli.ExitOK
	}
}

// maxKeyFile is the read limit for key files, in bytes. Valid key files are smaller.
const maxKeyFile = 1 << 10

// readKey reads the key in the file at path. It calls passphrase if the file is sealed.
// Errors reveal nothing about the file's content.
func readKey(path string, passphrase func() ([]byte, error)) (*masterKey, error) {
	data, err := cli.ReadSecret(path, maxKeyFile)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(data, []byte(passphraseMagic)) {
		return parseKey(data)
	}
	key, err := passphraseKey(data, passphrase, stream.UnimacV2)
	if err != nil {
		return nil, err
	}
	r, err := stream.NewReader(bytes.NewReader(data[passphraseHeaderSize:]), key)
	if err == nil {
		data, err = io.ReadAll(r)
	}
	if err != nil {
		return nil, diagnosis(err, "passphrase", 0)
	}
	return parseKey(data)
}

// parseKey parses a key file: 64 hexadecimal digits and a line ending. The line ending
// is optional, because editors may remove it.
func parseKey(data []byte) (*masterKey, error) {
	err := foreignEncoding(data)
	if err == nil && len(data) >= 4*masterSize && (data[0] == 0) != (data[1] == 0) {
		err = errUTF16 // UTF-16 without a byte order mark
	}
	if err != nil {
		return nil, fmt.Errorf("not a key file: it %w", err)
	}
	if rest, ok := bytes.CutSuffix(data, []byte("\n")); ok {
		data = bytes.TrimSuffix(rest, []byte("\r"))
	}
	if len(data) != 2*masterSize {
		return nil, fmt.Errorf("not a key file: want %d hexadecimal digits on one line", 2*masterSize)
	}
	var key masterKey
	if _, err := hex.Decode(key[:], data); err != nil {
		// Do not return package hex's error, which would quote a byte that may be part
		// of a key.
		return nil, errors.New("not a key file: want hexadecimal digits, found another character")
	}
	return &key, nil
}
