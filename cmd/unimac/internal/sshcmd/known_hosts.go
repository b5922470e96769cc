// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// knownHosts are the files in which a server's key must be.
type knownHosts struct {
	files    []string
	callback ssh.HostKeyCallback
}

// readKnownHosts reads one file, or without it those of the user and of the
// system that exist.
func readKnownHosts(file string) (*knownHosts, error) {
	files := []string{file}
	if file == "" {
		files = nil
		for _, f := range []string{inHome(".ssh", "known_hosts"), "/etc/ssh/ssh_known_hosts"} {
			if _, err := os.Stat(f); err == nil {
				files = append(files, f)
			}
		}
		if files == nil {
			return nil, errors.New("no file of known hosts: name one with -known-hosts")
		}
	}
	callback, err := knownhosts.New(files...)
	if err != nil {
		return nil, err
	}
	return &knownHosts{files, callback}, nil
}

// check is an ssh.HostKeyCallback.
func (k *knownHosts) check(address string, remote net.Addr, key ssh.PublicKey) error {
	err := k.callback(address, remote, key)
	keyErr, ok := errors.AsType[*knownhosts.KeyError](err)
	switch {
	case !ok:
		return err
	case len(keyErr.Want) == 0:
		return fmt.Errorf("%s is not in %s. If its key should have the fingerprint %s, add the line\n%s",
			address, strings.Join(k.files, " or "), ssh.FingerprintSHA256(key), knownhosts.Line([]string{address}, key))
	default:
		want := keyErr.Want[0]
		return fmt.Errorf("the key of %s is %s, and not the one in %s:%d: the server has a new key, or this is another server",
			address, ssh.FingerprintSHA256(key), want.Filename, want.Line)
	}
}

// algorithms returns all that a server's key may be of, those first whose keys
// are known, so that a server with keys of several kinds shows one of these.
func (k *knownHosts) algorithms(address string) []string {
	var known []string
	// A key that nobody has brings all that are known.
	nobody, err := ssh.NewPublicKey(ed25519.PublicKey(make([]byte, ed25519.PublicKeySize)))
	if err == nil {
		err = k.callback(address, &net.TCPAddr{}, nobody)
	}
	if keyErr, ok := errors.AsType[*knownhosts.KeyError](err); ok {
		for _, want := range keyErr.Want {
			if kind := want.Key.Type(); kind == ssh.KeyAlgoRSA {
				known = append(known, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256)
			} else {
				known = append(known, kind)
			}
		}
	}
	all := ssh.SupportedAlgorithms().HostKeys
	known = slices.DeleteFunc(known, func(name string) bool { return !slices.Contains(all, name) })
	rest := slices.DeleteFunc(all, func(name string) bool { return slices.Contains(known, name) })
	return append(slices.Compact(known), rest...)
}
