// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"crypto/ed25519"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// inHome returns a path in the home directory, or "" if the home directory is unknown.
func inHome(elem ...string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(append([]string{home}, elem...)...)
}

// readSigner reads the private key at path, which must be accessible only to its owner.
func readSigner(path string) (ssh.Signer, error) {
	if strings.HasSuffix(path, ".pub") { // otherwise, the error would be about the file mode
		return nil, errors.New("is a public key or a certificate; want the private key, without .pub")
	}
	data, err := cli.ReadSecret(path, 1<<20)
	if err != nil {
		return nil, err
	}
	signer, err := ssh.ParsePrivateKey(data)
	if _, ok := errors.AsType[*ssh.PassphraseMissingError](err); ok {
		return nil, errors.New("is encrypted, but unimac ssh does not ask for a passphrase")
	}
	if err != nil {
		return nil, err
	}
	return modern(signer)
}

// modern returns a signer for the same key that never uses SHA-1. It returns an error
// if the key type is insecure, or if signer supports only SHA-1.
func modern(signer ssh.Signer) (ssh.Signer, error) {
	kind := signer.PublicKey().Type()
	if kind == ssh.KeyAlgoRSA {
		s, ok := signer.(ssh.AlgorithmSigner)
		if !ok {
			return nil, fmt.Errorf("a key of type %s that signs only with SHA-1", kind)
		}
		return ssh.NewSignerWithAlgorithms(s, []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256})
	}
	if slices.Contains(ssh.InsecureAlgorithms().PublicKeyAuths, kind) {
		return nil, fmt.Errorf("keys of type %s are insecure", kind)
	}
	return signer, nil
}

func described(key ssh.PublicKey) string { return key.Type() + " " + ssh.FingerprintSHA256(key) }

// currentUser returns the name of the current user. On Windows, it omits the domain.
func currentUser() (string, error) {
	u, err := user.Current()
	if err != nil {
		return "", err
	}
	return u.Username[strings.LastIndex(u.Username, `\`)+1:], nil
}

// hostKey reads the server's private key, or creates a key if path does not exist.
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
	// Another server may have created the file in the meantime.
	if err := cli.CreateSecret(path, pem.EncodeToMemory(block)); err != nil && err != cli.ErrExists {
		return nil, err
	}
	return readSigner(path)
}
