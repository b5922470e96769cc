// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"bytes"
	"crypto/ed25519"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// fuzzFile returns a function that writes a file, which nobody else may read, and
// returns its name.
func fuzzFile(f *testing.F) func(t *testing.T, data []byte) string {
	name := filepath.Join(f.TempDir(), "file")
	return func(t *testing.T, data []byte) string {
		t.Helper()
		os.Remove(name) // some file systems wait for the disk where a file is overwritten
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
}

// fuzzHostKey is a key that no file has unless the fuzzer is shown it.
func fuzzHostKey(f *testing.F, seed byte) ssh.PublicKey {
	f.Helper()
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
	key, err := ssh.NewPublicKey(private.Public())
	if err != nil {
		f.Fatal(err)
	}
	return key
}

// FuzzKnownHosts checks that no file lets a host show a key which is not in it,
// and that a file's own lines let it.
func FuzzKnownHosts(f *testing.F) {
	const address = "example.org:22"
	knownKey, stranger := fuzzHostKey(f, 1), fuzzHostKey(f, 2)
	line := knownhosts.Line([]string{address}, knownKey)
	encoded := strings.Fields(line)[2]
	f.Add([]byte(line))
	f.Add([]byte("# comment\n\n" + line + "\n" + strings.Replace(line, "example", "*", 1)))
	f.Add([]byte("@revoked " + line))
	f.Add([]byte("@cert-authority *.org,!example.org " + strings.Join(strings.Fields(line)[1:], " ")))
	f.Add([]byte(knownhosts.HashHostname("example.org") + " ssh-ed25519 " + encoded))
	f.Add([]byte("|1|!|= ssh-ed25519 " + encoded))
	f.Add([]byte("[example.org]:2222,127.0.0.1 ssh-rsa AAAA"))
	write := fuzzFile(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		known, err := readKnownHosts([]string{write(t, data)}, func(string, ...any) {})
		if err != nil {
			return
		}
		hosts := &hostChecker{known: known}
		text := strings.ReplaceAll(string(data), "\r", "") // as base64 leaves them out
		remote := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 22}
		for _, name := range []string{address, "[::1]:22", "example.org:2222"} {
			if hosts.check(name, remote, stranger) == nil {
				t.Errorf("%q lets %s show any key", data, name)
			}
			if hosts.check(name, remote, knownKey) == nil && !strings.Contains(text, encoded) {
				t.Errorf("%q lets %s show a key that is not in it", data, name)
			}
			got := hosts.algorithms(name)
			slices.Sort(got)
			want := slices.DeleteFunc(ssh.SupportedAlgorithms().HostKeys, func(name string) bool { return strings.Contains(name, "-cert-") })
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%q: algorithms %q for %s, want those of %q in some order", data, got, name, want)
			}
		}
	})
}

// FuzzAuthorizedKeys checks that a key which is let in stands on a line without
// options.
func FuzzAuthorizedKeys(f *testing.F) {
	authorized := fuzzHostKey(f, 3)
	line := string(ssh.MarshalAuthorizedKey(authorized))
	encoded := strings.Fields(line)[1]
	f.Add([]byte(line))
	f.Add([]byte("# comment\n\n \t" + strings.TrimSuffix(line, "\n") + " somebody"))
	f.Add([]byte("command=\"a \\\" b\",no-pty " + line))
	f.Add([]byte("cert-authority " + line + "ssh-rsa AAAA\n" + line))
	f.Add([]byte("ssh-ed25519-cert-v01@openssh.com " + encoded))
	f.Add([]byte("restrict " + encoded + "\ncommand=\"true\" " + encoded))
	f.Fuzz(func(t *testing.T, data []byte) {
		list := parseKeys(data)
		for _, line := range list.lines {
			g, err := list.find(line.key)
			if (g == nil) == (err == nil) || line.grant == nil && err == nil {
				t.Errorf("%q: %+v, %v", data, g, err)
			}
			if err == nil && (line.grant.noForwarding && !g.noForwarding || line.grant.noTerminal && !g.noTerminal) {
				t.Errorf("%q: %+v grants more than %+v", data, g, line.grant)
			}
			if _, err := ssh.ParsePublicKey(line.key.Marshal()); err != nil {
				t.Errorf("%q: a key that cannot be read again: %v", data, err)
			}
		}
		if _, err := list.find(authorized); err == nil && !strings.Contains(string(data), encoded[:20]) {
			t.Errorf("%q lets the key in", data)
		}
	})
}
