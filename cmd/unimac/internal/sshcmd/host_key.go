// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"bytes"
	"cmp"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// A hostKeyError says why a server is not trusted. It may have several lines, and
// nothing in it is as a peer sent it.
type hostKeyError struct{ text string }

func (e *hostKeyError) Error() string { return e.text }

func untrusted(format string, args ...any) error { return &hostKeyError{fmt.Sprintf(format, args...)} }

// A hostChecker checks the keys of servers.
type hostChecker struct {
	known  *knownHosts
	add    bool   // the key of a server that is not known yet
	addTo  string // the file that it is added to, or ""
	minRSA int    // bits of a key of RSA
	tell   func(format string, args ...any)
}

// check is an ssh.HostKeyCallback. Certificates are not followed: their keys count as any.
func (h *hostChecker) check(address string, _ net.Addr, key ssh.PublicKey) error {
	if cert, ok := key.(*ssh.Certificate); ok {
		key = cert.Key
	}
	if bits := rsaBits(key); bits < h.minRSA {
		return untrusted("the key of %s has %d bits, and keys of RSA need %d", address, bits, h.minRSA)
	}
	isKey := func(l hostLine) bool { return sameKey(l.key, key) }
	revoked := h.known.ofHost(address, "revoked")
	if i := slices.IndexFunc(revoked, isKey); i >= 0 {
		return untrusted("the key of %s is revoked by %s: never trust it", address, revoked[i].place)
	}
	lines, wanted := h.known.of(address, ""), h.known.of(address, "cert-authority")
	switch {
	case slices.ContainsFunc(lines, isKey), lines == nil && slices.ContainsFunc(h.known.ofHost(address, ""), isKey):
		return nil
	case len(lines) > 0:
		return untrusted("the key of %s is %s, and not the one in %s: the server has a new key, or this is another server",
			address, fingerprint(key), lines[0].place)
	case len(wanted) > 0:
		return untrusted("%s shows the key %s, but %s wants a certificate of an authority, which is not followed here",
			address, fingerprint(key), wanted[0].place)
	}
	return h.firstContact(address, key)
}

// firstContact adds the key of a server that is not known, or says how to.
func (h *hostChecker) firstContact(address string, key ssh.PublicKey) error {
	line, file := knownhosts.Line([]string{strings.ToLower(address)}, key), h.addTo
	if !h.add || file == "" {
		names := make([]string, len(h.known.files))
		for i, name := range h.known.files {
			names[i] = cli.Name(name)
		}
		return untrusted("%s is not in %s. If its key should have the fingerprint %s, add the line\n%s\nto %s, which -accept-new does",
			address, strings.Join(names, " or "), fingerprint(key), line, cmp.Or(cli.Name(file), "a file of known hosts"))
	}
	if err := appendLine(file, line); err != nil {
		return untrusted("%s: %s", cli.Name(file), cli.Reason(err))
	}
	h.tell("added %s with the key %s to %s", address, fingerprint(key), cli.Name(file))
	return nil
}

// appendLine adds a line to a file, which it makes if there is none.
func appendLine(path, line string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		var last [1]byte
		if _, err := f.ReadAt(last[:], info.Size()-1); err == nil && last[0] != '\n' {
			line = "\n" + line
		}
	}
	if _, err := f.WriteString(line + "\n"); err != nil {
		return err
	}
	return f.Close()
}

func sameKey(a, b ssh.PublicKey) bool { return bytes.Equal(a.Marshal(), b.Marshal()) }

func fingerprint(key ssh.PublicKey) string { return ssh.FingerprintSHA256(key) }

// described returns the type of a key and its fingerprint.
func described(key ssh.PublicKey) string { return key.Type() + " " + fingerprint(key) }

// algorithms returns all that a server's key may be of: those first whose keys are known, then
// those that OpenSSH prefers. There are no certificates.
func (h *hostChecker) algorithms(address string) []string {
	var order []string
	add := func(names ...string) {
		for _, name := range names {
			if !slices.Contains(order, name) && slices.Contains(ssh.SupportedAlgorithms().HostKeys, name) && !strings.Contains(name, "-cert-v0") {
				order = append(order, name)
			}
		}
	}
	for _, line := range h.known.ofHost(address, "") {
		if kind := line.key.Type(); kind == ssh.KeyAlgoRSA {
			add(ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256)
		} else {
			add(kind)
		}
	}
	add(ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256)
	add(ssh.SupportedAlgorithms().HostKeys...)
	return order
}
