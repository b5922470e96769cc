// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"bytes"
	"crypto/ed25519"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// inHome returns a path below the user's home directory, or "" if there is none.
func inHome(elem ...string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(append([]string{home}, elem...)...)
}

// readSigner reads a private key, which nobody but its owner may be able to.
func readSigner(path string) (ssh.Signer, error) {
	data, err := cli.ReadSecret(path, 1<<20)
	if err != nil {
		return nil, err
	}
	signer, err := ssh.ParsePrivateKey(data)
	if _, ok := errors.AsType[*ssh.PassphraseMissingError](err); ok {
		return nil, errors.New("needs a passphrase: add the key to an agent with ssh-add")
	}
	return signer, err
}

// hostKey reads the key of a server, after it made one where there is none.
func hostKey(path string) (ssh.Signer, error) {
	signer, err := readSigner(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return signer, err
	}
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	block, err := ssh.MarshalPrivateKey(key, "")
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	// Another server may have been faster: then the key is that one's.
	if err := cli.CreateSecret(path, pem.EncodeToMemory(block)); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return readSigner(path)
}

// authorizedKeys is the path of a file as sshd(8) describes it.
type authorizedKeys string

// keys reads the file. Lines with options restrict what a key may do, and lines
// with cert-authority mean another key; neither is known here, so neither lets
// anybody in: their number is returned.
func (path authorizedKeys) keys() (keys []ssh.PublicKey, ignored int, err error) {
	f, err := cli.OpenFile(string(path))
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o022 != 0 {
		return nil, 0, fmt.Errorf("mode %04o lets others add keys", mode)
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, 0, err
	}
	for len(data) > 0 {
		key, _, options, rest, err := ssh.ParseAuthorizedKey(data)
		if err != nil {
			break // nothing but comments left
		}
		if _, isCert := key.(*ssh.Certificate); isCert || len(options) > 0 {
			ignored++
		} else {
			keys = append(keys, key)
		}
		data = rest
	}
	return keys, ignored, nil
}

var errNotAuthorized = errors.New("the key is not in the file of authorized keys")

// check returns an error unless the file, as it is now, has the key.
func (path authorizedKeys) check(key ssh.PublicKey) error {
	keys, _, err := path.keys()
	if err != nil {
		return err
	}
	for _, k := range keys {
		if bytes.Equal(k.Marshal(), key.Marshal()) {
			return nil
		}
	}
	return errNotAuthorized
}
