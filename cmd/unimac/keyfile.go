// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"github.com/unimac/unimac/internal/blake2b"
)

// masterSize is the size in bytes of the key that a key file holds.
const masterSize = 32

// masterKey is the key that those of the algorithms are derived from.
type masterKey [masterSize]byte

// derive returns the key of an algorithm, of size bytes.
func (k *masterKey) derive(name string, size int) []byte {
	return deriveKey(k[:], []byte(name), size)
}

// deriveKey returns the key that belongs to a label: BLAKE2b with size bytes of
// output, keyed with key, of the label. Who does not have key can tell none of
// its keys from random bytes, even if shown the others.
func deriveKey(key, label []byte, size int) []byte {
	h := blake2b.New(size, key)
	h.Write(label)
	return h.Sum(nil)
}

func keygenCommand() *command {
	return &command{
		name:  "keygen",
		args:  "KEYFILE",
		short: "make a key file",
		long: `Writes a new random key of 32 bytes, as 64 hexadecimal digits and a newline, to
KEYFILE, which nobody but its owner may read. A file that exists is never
overwritten.

Every algorithm has a key of its own, derived from the one in the file: BLAKE2b
keyed with the 32 bytes, of the algorithm's name, as long as the algorithm needs.
The name of what "unimac seal" does is "unimac stream v1".`,
		run: runKeygen,
	}
}

func runKeygen(c *call) int {
	if status, done := c.parse(); done {
		return status
	}
	if len(c.args) != 1 {
		return c.usagef("%d arguments, want one key file", len(c.args))
	}
	path := c.args[0]
	var key masterKey
	rand.Read(key[:])
	err := createSecret(path, append(hex.AppendEncode(nil, key[:]), '\n'))
	switch {
	case errors.Is(err, fs.ErrExist):
		return c.errorf("%s: exists already; a key file is never overwritten", escape(path))
	case err != nil:
		return c.errorf("%s: %s", escape(path), reason(err))
	}
	return exitOK
}

// createSecret writes a new file with mode 0600 and waits until it is on the
// disk. The file appears when it is complete. Its error is [fs.ErrExist] where
// something has the name.
func createSecret(path string, data []byte) error {
	switch _, err := os.Lstat(path); {
	case err == nil:
		return fs.ErrExist
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	o, err := newFile(path, false)
	if err != nil {
		return err
	}
	o.Write(data) // commit has its error
	if err = o.commit(); err == errExists {
		return fs.ErrExist
	}
	return err
}

// readKey reads a key file. No error tells what is in it.
func readKey(path string) (*masterKey, error) {
	// A little more than the longest key file shows one that is too long.
	data, err := readSecret(path, 2*masterSize+3)
	if err != nil {
		return nil, err
	}
	return parseKey(data)
}

// readSecret returns the first bytes of a file, at most limit, that nobody but its
// owner may be able to use.
func readSecret(path string, limit int64) ([]byte, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := checkPrivate(f); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, limit))
}

// parseKey reads the content of a key file: 64 hexadecimal digits and, if an
// editor has not dropped it, the end of the line.
func parseKey(data []byte) (*masterKey, error) {
	n := len(data)
	if n > 0 && data[n-1] == '\n' {
		n--
		if n > 0 && data[n-1] == '\r' {
			n--
		}
	}
	if n != 2*masterSize {
		return nil, fmt.Errorf("not a key file: want %d hexadecimal digits on one line", 2*masterSize)
	}
	var key masterKey
	if _, err := hex.Decode(key[:], data[:n]); err != nil {
		// The error of hex would show a byte of what may be key.
		return nil, errors.New("not a key file: it has a character that is no hexadecimal digit")
	}
	return &key, nil
}

// checkPrivate refuses a file that others than its owner may read or write. On
// Windows, where modes do not tell, it accepts every file.
func checkPrivate(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return fmt.Errorf("mode %04o lets others use the key; chmod 600 keeps it private", mode)
	}
	return nil
}
