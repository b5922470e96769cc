// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// readHosts returns a checker for a file with these lines, and its warnings.
func readHosts(t *testing.T, file, lines string) (h *hostChecker, warnings string, err error) {
	t.Helper()
	writeFile(t, file, lines)
	var stderr bytes.Buffer
	h = &hostChecker{call: &cli.Call{Path: "exec", Stderr: &stderr}, file: file}
	err = h.read()
	return h, stderr.String(), err
}

// TestHostKeys checks keys against known hosts. If want is not empty, the key must be
// rejected with an error that contains want.
func TestHostKeys(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "known_hosts")
	signer := writeKey(t, filepath.Join(dir, "key"))
	key, other := signer.PublicKey(), writeKey(t, filepath.Join(dir, "other")).PublicKey()
	line := func(hosts string, key ssh.PublicKey) string {
		return hosts + " " + string(ssh.MarshalAuthorizedKey(key))
	}
	cert := &ssh.Certificate{Key: key, CertType: ssh.HostCert, ValidPrincipals: []string{"example.org"}, ValidBefore: ssh.CertTimeInfinity}
	if err := cert.SignCert(rand.Reader, signer); err != nil {
		t.Fatal(err)
	}
	const malformed, unsupported = "skipped, because the line is malformed", "skipped, because exec supports no certificates"
	for _, tt := range []struct {
		name, lines, address string
		key                  ssh.PublicKey
		want                 string
		warnings             []string // FILE:LINE and the text
	}{
		{"known", line("example.org", key), "example.org:22", key, "", nil},
		{"other key", line("example.org", other), "example.org:22", key, "and not the one in FILE:1: the server has a new key", nil},
		{"other key, upper-case argument", line("example.org", other), "EXAMPLE.org:22", key, "and not the one in FILE:1: the server has a new key", nil},
		{"one of several", line("example.org", other) + line("example.org", key), "example.org:22", key, "", nil},
		{"no line", "", "example.org:22", key, "add this line, which -accept-new does: example.org ssh-ed25519 ", nil},
		{"other host", line("example.com", key), "example.org:22", key, "is not in FILE; if its key should have the fingerprint " + ssh.FingerprintSHA256(key), nil},
		{"upper-case line", line("Example.ORG", key), "example.org:22", key, "", nil},
		{"upper-case argument", line("example.org", key), "EXAMPLE.org:22", key, "", nil},
		{"line for another port", line("[example.org]:2223", key), "example.org:2222", key, "is not in FILE", nil},
		{"line for port 22", line("example.org", key), "example.org:2222", key, "is not in FILE", nil},
		{"other key in the line for the port", line("example.org", key) + line("[example.org]:2222", other), "example.org:2222", key, "and not the one in FILE:2", nil},
		{"line for the port", line("[example.org]:2222", key), "Example.org:2222", key, "", nil},
		{"an IPv6 address", line("2001:db8::1", key), "[2001:DB8::1]:22", key, "", nil},
		{"wildcards", line("a,*.ORG,!no.org", key), "x.org:22", key, "", nil},
		{"excluded", line("a,*.org,!No.org", key), "no.org:22", key, "is not in", nil},
		{"excluded alone", line("!no.org", key), "yes.org:22", key, "is not in", nil},
		{"question mark", line("e?ample.org", key), "example.org:22", key, "", nil},
		{"hashed", line(knownhosts.HashHostname("example.org"), key), "Example.org:22", key, "", nil},
		{"hashed, other key", line(knownhosts.HashHostname("example.org"), other), "Example.org:22", key, "and not the one in FILE:1", nil},
		{"hashed with a port", line(knownhosts.HashHostname("[example.org]:2222"), key), "example.org:2222", key, "", nil},
		{"tabs, CRLF and no newline", "# comment\r\n\t" + strings.ReplaceAll(strings.TrimSpace(line("example.org", key)), " ", "\t"), "example.org:22", key, "", nil},
		{"malformed lines", "nonsense\n@what " + line("example.org", other) + "example.org ssh-ed25519 AAAA\n# comment\n\n" + line("example.org", key) + "|1|x|y ssh-ed25519 AAAA\n@\n",
			"example.org:22", key, "", []string{"1: " + malformed, "2: " + malformed, "3: " + malformed, "7: " + malformed, "8: " + malformed}},
		{"wrong key type", "example.org ssh-rsa " + strings.Fields(line("x", key))[2] + "\n", "example.org:22", key, "is not in", []string{"1: " + malformed}},
		{"revoked", line("example.org", key) + "@revoked " + line("*", key), "example.org:22", key, "is revoked by FILE:2", nil},
		{"revoked, upper-case marker", line("example.org", key) + "@REVOKED " + line("*", key), "example.org:22", key, "is revoked by FILE:2", nil},
		{"revoked, upper-case host", line("example.org", key) + "@revoked " + line("EXAMPLE.ORG", key), "example.org:22", key, "is revoked by FILE:2", nil},
		{"revoked, hashed", "@revoked " + line(knownhosts.HashHostname("example.org"), key), "example.org:22", key, "is revoked by FILE:1", nil},
		{"other key revoked", line("example.org", key) + "@revoked " + line("*", other), "example.org:22", key, "", nil},
		{"key of an authority", "@cert-authority " + line("example.org", key), "example.org:22", key, "is not in", []string{"1: " + unsupported}},
		{"authority and the key", "@cert-authority " + line("example.org", other) + line("example.org", key), "example.org:22", key, "", []string{"1: " + unsupported}},
		{"certificate", line("example.org", key), "example.org:22", cert, "ssh: ", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, add := range []bool{false, true} {
				h, warnings, err := readHosts(t, file, tt.lines)
				if err != nil {
					t.Fatal(err)
				}
				want := ""
				for _, w := range tt.warnings {
					want += "exec: " + file + ":" + w + "\n"
				}
				if warnings != want {
					t.Errorf("got warnings %q, want %q", warnings, want)
				}
				h.add = add
				err = h.check(tt.address, &net.TCPAddr{}, tt.key)
				want = strings.ReplaceAll(tt.want, "FILE", file)
				unknown := strings.Contains(want, "is not in") || strings.Contains(want, "add this line")
				if add && unknown {
					want = ""
				}
				if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) || h.accepted.Load() != (err == nil) {
					t.Errorf("add = %t: got error %v, want %q", add, err, want)
				}
				data, _ := os.ReadFile(file)
				if !(add && unknown) {
					if string(data) != tt.lines {
						t.Errorf("add = %t: the file was changed", add)
					}
				} else if h, _, err := readHosts(t, file, string(data)); err != nil || h.check(tt.address, &net.TCPAddr{}, tt.key) != nil {
					t.Errorf("the added line does not admit the key: file %q, error %v", data, err)
				}
			}
		})
	}
	for _, bad := range []string{"@revoked * ssh-ed25519 AAAA\n", "@revoked\n", "@Revoked *\n"} {
		if _, _, err := readHosts(t, file, line("example.org", key)+bad); err == nil || err.Error() != file+":2: malformed, so it is unclear which key is revoked" {
			t.Errorf("%q: got error %v, want one that names line 2", bad, err)
		}
	}
	if _, err := os.ReadDir(file); err == nil {
		t.Error("the test needs a file, got a folder")
	} else if err := (&hostChecker{file: dir}).read(); err == nil {
		t.Error("reading a folder as known hosts: got no error")
	}
}

// TestHostKeyAlgorithms checks that the algorithms of known keys come first, and that
// certificates are never offered.
func TestHostKeyAlgorithms(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "known_hosts")
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	rsaPublic, err := ssh.NewPublicKey(rsaKey.Public())
	if err != nil {
		t.Fatal(err)
	}
	line := func(key ssh.PublicKey) string { return knownhosts.Line([]string{"example.org"}, key) + "\n" }
	ed25519Line := line(writeKey(t, filepath.Join(dir, "key")).PublicKey())
	for lines, want := range map[string][]string{
		"":                               {"ssh-mldsa-65"},
		ed25519Line:                      {ssh.KeyAlgoED25519},
		line(rsaPublic):                  {ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256},
		line(rsaPublic) + ed25519Line:    {ssh.KeyAlgoED25519, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256},
		"@cert-authority " + ed25519Line: {},
	} {
		h, _, err := readHosts(t, file, lines)
		if err != nil {
			t.Fatal(err)
		}
		got := h.algorithms("Example.org:22")
		if lines != "" && !slices.Equal(got[:len(want)], want) {
			t.Errorf("%q: got algorithms %q, want %q first", lines, got, want)
		}
		slices.Sort(got)
		all := slices.DeleteFunc(ssh.SupportedAlgorithms().HostKeys, func(name string) bool { return strings.Contains(name, "-cert-") })
		if slices.Sort(all); !slices.Equal(got, all) {
			t.Errorf("%q: got algorithms %q, want %q in any order", lines, got, all)
		}
	}
}

// TestFirstContact connects with an empty home, without keys or known hosts.
func TestFirstContact(t *testing.T) {
	s := startSite(t)
	home := t.TempDir()
	setHome(t, home)
	line := knownhosts.Line([]string{s.address}, s.host.PublicKey())
	file := filepath.Join(home, ".ssh", "known_hosts")
	r := runWith("", "ssh", "exec", s.address, "echo in")
	r.Want(t, 255, "", "unimac ssh exec: "+s.address+" is not in "+file)
	if !strings.Contains(r.Stderr, ssh.FingerprintSHA256(s.host.PublicKey())) || !strings.Contains(r.Stderr, " "+line+"\n") || !strings.Contains(r.Stderr, "-accept-new") {
		t.Errorf("got stderr %q, want the fingerprint, the line to add and -accept-new", r.Stderr)
	}
	r = runWith("", "ssh", "exec", "-accept-new", s.address, "echo in")
	r.Want(t, 255, "", "no key to log in with")
	if data, err := os.ReadFile(file); err != nil || string(data) != line+"\n" {
		t.Errorf("got known hosts %q, error %v, want %q", data, err, line+"\n")
	}
	if info, err := os.Stat(filepath.Dir(file)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Errorf("got mode %v, error %v, want access only for the owner", info.Mode(), err)
	}
	runWith("", "ssh", "exec", "-i", s.identity, s.address, "echo in").Want(t, 0, "in", "")

	// -accept-new must never replace a key.
	other := writeKey(t, filepath.Join(home, "other")).PublicKey()
	writeFile(t, file, "x "+strings.SplitN(line, " ", 2)[1]+"\n"+knownhosts.Line([]string{s.address}, other))
	runWith("", "ssh", "exec", "-accept-new", "-i", s.identity, s.address, "echo in").Want(t, 255, "", "and not the one in")
}
