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
)

// hostCertificate returns a certificate for a host's key.
func hostCertificate(t *testing.T, key ssh.PublicKey, authority ssh.Signer, host string) *ssh.Certificate {
	t.Helper()
	cert := &ssh.Certificate{Key: key, CertType: ssh.HostCert, ValidPrincipals: []string{host}, ValidBefore: ssh.CertTimeInfinity}
	if err := cert.SignCert(bytes.NewReader(make([]byte, 64)), authority); err != nil {
		t.Fatal(err)
	}
	return cert
}

// TestHostKeys checks keys and certificates against lines.
func TestHostKeys(t *testing.T) {
	dir := t.TempDir()
	key, other := writeKey(t, filepath.Join(dir, "key")).PublicKey(), writeKey(t, filepath.Join(dir, "other")).PublicKey()
	authority, stranger := writeKey(t, filepath.Join(dir, "authority")), writeKey(t, filepath.Join(dir, "stranger"))
	line := func(hosts string, key ssh.PublicKey) string {
		return hosts + " " + string(ssh.MarshalAuthorizedKey(key))
	}
	good := hostCertificate(t, key, authority, "example.org")
	expired := hostCertificate(t, key, authority, "example.org")
	expired.ValidBefore = 1
	expired.SignCert(bytes.NewReader(make([]byte, 64)), authority)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	rsaAuthority, err := ssh.NewSignerFromKey(rsaKey)
	if err != nil {
		t.Fatal(err)
	}
	old, err := ssh.NewSignerWithAlgorithms(rsaAuthority.(ssh.AlgorithmSigner), []string{ssh.KeyAlgoRSA})
	if err != nil {
		t.Fatal(err)
	}
	sha1 := hostCertificate(t, key, old, "example.org")
	for _, tt := range []struct {
		name, lines, address string
		key                  ssh.PublicKey
		want                 string // in the error; "" for none
		warnings             int
	}{
		{"known", line("example.org", key), "example.org:22", key, "", 0},
		{"another key", line("example.org", other), "example.org:22", key, "and not the one in FILE:1: the server has a new key", 0},
		{"one of several", line("example.org", other) + line("example.org", key), "example.org:22", key, "", 0},
		{"no line", "", "example.org:22", key, "add the line\nexample.org ssh-ed25519 ", 0},
		{"another host", line("example.com", key), "example.org:22", key, "If its key should have the fingerprint " + ssh.FingerprintSHA256(key), 0},
		{"upper case in the line", line("Example.ORG", key), "example.org:22", key, "", 0},
		{"upper case given", line("example.org", key), "EXAMPLE.org:22", key, "", 0},
		{"of the host, without a port", line("example.org", key), "example.org:2222", key, "", 0},
		{"another key of the host, without a port", line("example.org", other), "example.org:2222", key, "is not in FILE", 0},
		{"of another port", line("[example.org]:2223", key), "example.org:2222", key, "is not in FILE", 0},
		{"of another port than 22", line("[example.org]:2223", key), "example.org:22", key, "is not in FILE", 0},
		{"another key on its port", line("example.org", key) + line("[example.org]:2222", other), "example.org:2222", key, "and not the one in FILE:2", 0},
		{"revoked without a port", line("[example.org]:2222", key) + "@revoked " + line("example.org", key), "example.org:2222", key, "is revoked by FILE:2", 0},
		{"its port", line("[example.org]:2222", key), "Example.org:2222", key, "", 0},
		{"wildcards", line("a,*.ORG,!no.org", key), "x.org:22", key, "", 0},
		{"excluded", line("a,*.org,!No.org", key), "no.org:22", key, "is not in", 0},
		{"excluded before", line("!no.org,*", key), "no.org:22", key, "is not in", 0},
		{"excluded before, another", line("!no.org,*", key), "yes.org:22", key, "", 0},
		{"excluded alone", line("!no.org", key), "yes.org:22", key, "is not in", 0},
		{"question mark", line("e?ample.org", key), "example.org:22", key, "", 0},
		{"hashed", line(knownhosts.HashHostname("example.org"), key), "Example.org:22", key, "", 0},
		{"hashed with a port", line(knownhosts.HashHostname("[example.org]:2222"), key), "example.org:2222", key, "", 0},
		{"bad lines", "nonsense\n@what a b c\nexample.org ssh-ed25519 AAAA\n# comment\n" + line("example.org", key), "example.org:22", key, "", 3},
		{"revoked", line("example.org", key) + "@revoked " + line("*", key), "example.org:22", key, "is revoked by FILE:2", 0},
		{"another revoked", line("example.org", key) + "@revoked " + line("*", other), "example.org:22", key, "", 0},
		{"authority of the key's type as well", "@cert-authority " + line("*.org,example.org", authority.PublicKey()) + line("example.org", key), "example.org:22", key, "", 0},
		{"authority, and no certificate", "@cert-authority " + line("example.org", authority.PublicKey()), "example.org:22", key, "FILE:1 wants a certificate of an authority, which is not followed here", 0},
		{"authority of another port, and no certificate", "@cert-authority " + line("example.org", authority.PublicKey()), "example.org:2222", key, "is not in FILE", 0},
		{"certificate, another port", "@cert-authority " + line("*.org", authority.PublicKey()), "EXAMPLE.org:2222", good, "is not in FILE", 0},
		{"certificate signed with SHA-1", "@cert-authority " + line("example.org", sha1.SignatureKey), "example.org:22", sha1, "FILE:1 wants a certificate of an authority, which is not followed here", 0},
		{"certificate signed with SHA-1, known key", "@cert-authority " + line("example.com", sha1.SignatureKey) + line("example.org", key), "example.org:22", sha1, "", 0},
		{"certificate, its port", "@cert-authority " + line("example.org", authority.PublicKey()), "EXAMPLE.org:22", good, "FILE:1 wants a certificate of an authority, which is not followed here", 0},
		{"of an unknown authority", "@cert-authority " + line("example.org", stranger.PublicKey()), "example.org:22", good, "FILE:1 wants a certificate of an authority, which is not followed here", 0},
		{"of an unknown authority, known key", line("example.org", key), "example.org:22", good, "", 0},
		{"expired", "@cert-authority " + line("example.org", authority.PublicKey()), "example.org:22", expired, "FILE:1 wants a certificate of an authority, which is not followed here", 0},
		{"for another host", "@cert-authority " + line("example.com", authority.PublicKey()), "example.com:22", good, "FILE:1 wants a certificate of an authority, which is not followed here", 0},
		{"authority revoked", "@cert-authority " + line("example.org", authority.PublicKey()) + "@revoked " + line("*", authority.PublicKey()), "example.org:22", good, "FILE:1 wants a certificate of an authority, which is not followed here", 0},
		{"certificate of a revoked key", "@cert-authority " + line("example.org", authority.PublicKey()) + "@revoked " + line("*", key), "example.org:22", good, "is revoked by FILE:2", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lines := tt.lines
			file := writeFile(t, filepath.Join(dir, "known_hosts"), lines)
			warnings := 0
			known, err := readKnownHosts([]string{file}, func(string, ...any) { warnings++ })
			if err != nil {
				t.Fatal(err)
			}
			for _, add := range []bool{false, true} {
				h := &hostChecker{known: known, add: add, addTo: file, tell: func(string, ...any) {}}
				err = h.check(tt.address, &net.TCPAddr{}, tt.key)
				want := strings.ReplaceAll(tt.want, "FILE", file)
				unknown := strings.Contains(want, "is not in") || strings.Contains(want, "add the line") || strings.Contains(want, "If its key")
				if add && unknown {
					want = ""
				}
				if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
					t.Errorf("add %t: %v, want %q", add, err, want)
				}
				if data, _ := os.ReadFile(file); !(add && unknown) && string(data) != lines {
					t.Errorf("add %t: the file was changed", add)
				}
			}
			if warnings != tt.warnings {
				t.Errorf("%d warnings, want %d", warnings, tt.warnings)
			}
		})
	}
}

// TestWildcard has patterns that a matcher which tries all ways would never end with.
func TestWildcard(t *testing.T) {
	name := strings.Repeat("a", 5000)
	if wildcard(strings.Repeat("*a", 2000)+"b", name) || !wildcard(strings.Repeat("*a", 2000), name) {
		t.Error("wrong")
	}
	for pattern, want := range map[string]bool{"*": true, "": false, "abc": true, "a*c": true, "?b?": true, "a*b": false, "*bc*": true, "abcd": false, "ab": false, "**c": true, "[a-c]*": false, `\abc`: false} {
		if wildcard(pattern, "abc") != want {
			t.Errorf("%s: %t", pattern, !want)
		}
	}
}

// TestFirstContact has an empty home: no keys, no files.
func TestFirstContact(t *testing.T) {
	s := startSite(t)
	home := t.TempDir()
	setHome(t, home)
	line := knownhosts.Line([]string{s.address}, s.host.PublicKey())
	file := filepath.Join(home, ".ssh", "known_hosts")
	r := runWith("", "ssh", "exec", s.address, "echo in")
	r.Want(t, 255, "", "unimac ssh exec: "+s.address+" is not in "+file)
	if !strings.Contains(r.Stderr, ssh.FingerprintSHA256(s.host.PublicKey())) || !strings.Contains(r.Stderr, "\n"+line+"\n") || !strings.Contains(r.Stderr, "-accept-new") {
		t.Errorf("%s", r.Stderr)
	}
	r = runWith("", "ssh", "exec", "-accept-new", s.address, "echo in")
	r.Want(t, 255, "", "no key to log in with")
	if data, err := os.ReadFile(file); err != nil || string(data) != line+"\n" {
		t.Errorf("%q, %v", data, err)
	}
	if info, err := os.Stat(filepath.Dir(file)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	runWith("", "ssh", "exec", "-i", s.identity, s.address, "echo in").Want(t, 0, "in", "")

	// It never replaces a key.
	other := writeKey(t, filepath.Join(home, "other")).PublicKey()
	writeFile(t, file, "x "+strings.SplitN(line, " ", 2)[1]+"\n"+knownhosts.Line([]string{s.address}, other))
	runWith("", "ssh", "exec", "-accept-new", "-i", s.identity, s.address, "echo in").Want(t, 255, "", "and not the one in")
}

// TestSystemKnownHosts checks that Windows has files of its own.
func TestSystemKnownHosts(t *testing.T) {
	t.Setenv("ProgramData", "data")
	for goos, want := range map[string]string{"linux": "/etc/ssh/ssh_known_hosts", "windows": filepath.Join("data", "ssh", "ssh_known_hosts")} {
		if got := systemKnownHosts(goos); !slices.Equal(got, []string{want, want + "2"}) {
			t.Errorf("%s: %q, want %s", goos, got, want)
		}
	}
}

// TestKnownHosts2 has a key in the user's first file, and says in the second that it is revoked.
func TestKnownHosts2(t *testing.T) {
	home := t.TempDir()
	setHome(t, home)
	key := writeKey(t, filepath.Join(home, "key")).PublicKey()
	if err := os.Mkdir(filepath.Join(home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	line := knownhosts.Line([]string{"example.org"}, key) + "\n"
	check := func() error {
		d, err := (&clientConfig{path: "none"}).resolve(target{host: "example.org"})
		if err != nil {
			t.Fatal(err)
		}
		known, err := readKnownHosts(slices.Concat(d.user, d.system), t.Logf)
		if err != nil {
			t.Fatal(err)
		}
		return (&hostChecker{known: known}).check("example.org:22", &net.TCPAddr{}, key)
	}
	second := writeFile(t, filepath.Join(home, ".ssh", "known_hosts2"), line)
	if err := check(); err != nil {
		t.Errorf("the key is in the second file: %v", err)
	}
	writeFile(t, filepath.Join(home, ".ssh", "known_hosts"), line)
	writeFile(t, second, "@revoked "+line)
	if err := check(); err == nil || !strings.Contains(err.Error(), "is revoked by "+second+":1") {
		t.Errorf("the second file revokes the key: %v", err)
	}
}
