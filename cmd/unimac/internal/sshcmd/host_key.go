// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"bytes"
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
	known *knownHosts
	add   bool // the key of a server that is not known yet
	tell  func(format string, args ...any)
}

// check is an ssh.HostKeyCallback.
func (h *hostChecker) check(address string, remote net.Addr, key ssh.PublicKey) error {
	cert, isCert := key.(*ssh.Certificate)
	plain := key
	if isCert {
		plain = cert.Key
	}
	for _, line := range h.known.ofHost(address, "revoked") {
		if sameKey(line.key, plain) || isCert && sameKey(line.key, cert.SignatureKey) {
			return untrusted("the key of %s is revoked by %s: never trust it", address, line.place)
		}
	}
	authorities := h.known.ofHost(address, "cert-authority")
	isAuthority := func(key ssh.PublicKey, _ string) bool {
		return slices.ContainsFunc(authorities, func(l hostLine) bool { return sameKey(l.key, key) })
	}
	if isCert && isAuthority(cert.SignatureKey, "") {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return untrusted("%s: %v", address, err)
		}
		if format := cert.Signature.Format; !slices.Contains(ssh.SupportedAlgorithms().PublicKeyAuths, format) {
			return untrusted("the certificate of %s is not valid: its authority signed it with %s, which is not safe", address, cli.Visible(format))
		}
		checker := &ssh.CertChecker{IsHostAuthority: isAuthority}
		if err := checker.CheckHostKey(net.JoinHostPort(strings.ToLower(host), port), remote, key); err != nil {
			return untrusted("the certificate of %s is not valid: %s", address, cli.Visible(err.Error()))
		}
		return nil
	}
	lines, wanted := h.known.of(address, ""), h.known.of(address, "cert-authority")
	accepted := lines
	if len(lines) == 0 {
		accepted = h.known.ofHost(address, "")
	}
	switch {
	case slices.ContainsFunc(accepted, func(l hostLine) bool { return sameKey(l.key, plain) }):
		return nil
	case len(lines) > 0:
		return untrusted("the key of %s is %s, and not the one in %s: the server has a new key, or this is another server",
			address, fingerprint(plain), lines[0].place)
	case isCert:
		return untrusted("%s shows a certificate for its key %s, of the authority %s, which no line with @cert-authority has for this server",
			address, fingerprint(plain), fingerprint(cert.SignatureKey))
	case len(wanted) > 0:
		return untrusted("%s shows the key %s and no certificate, but %s wants one of an authority", address, fingerprint(plain), wanted[0].place)
	}
	return h.firstContact(address, plain)
}

// firstContact adds the key of a server that is not known, or says how to.
func (h *hostChecker) firstContact(address string, key ssh.PublicKey) error {
	line, file := knownhosts.Line([]string{strings.ToLower(address)}, key), h.known.files[0]
	if !h.add {
		names := make([]string, len(h.known.files))
		for i, name := range h.known.files {
			names[i] = cli.VisibleName(name)
		}
		return untrusted("%s is not in %s. If its key should have the fingerprint %s, add the line\n%s\nto %s, which -accept-new does",
			address, strings.Join(names, " or "), fingerprint(key), line, names[0])
	}
	if err := appendLine(file, line); err != nil {
		return untrusted("%s: %s", cli.VisibleName(file), cli.Reason(err))
	}
	h.tell("added %s with the key %s to %s", address, fingerprint(key), cli.VisibleName(file))
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

// algorithms returns all that a server's key may be of: those first whose keys are
// known, and certificates before all where an authority is. Where nothing is known,
// plain keys come first, and of them those that OpenSSH prefers.
func (h *hostChecker) algorithms(address string) []string {
	all := ssh.SupportedAlgorithms().HostKeys
	var certs, preferred []string
	for _, name := range all {
		if strings.Contains(name, "-cert-v0") {
			certs = append(certs, name)
		}
	}
	if len(h.known.ofHost(address, "cert-authority")) > 0 {
		preferred = certs
	}
	for _, line := range h.known.ofHost(address, "") {
		if kind := line.key.Type(); kind == ssh.KeyAlgoRSA {
			preferred = append(preferred, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256)
		} else {
			preferred = append(preferred, kind)
		}
	}
	preferred = append(preferred, ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256)
	preferred = append(preferred, slices.DeleteFunc(all, func(name string) bool { return slices.Contains(certs, name) })...)
	preferred = append(preferred, certs...)
	var order []string
	for _, name := range preferred {
		if !slices.Contains(order, name) && slices.Contains(ssh.SupportedAlgorithms().HostKeys, name) {
			order = append(order, name)
		}
	}
	return order
}
