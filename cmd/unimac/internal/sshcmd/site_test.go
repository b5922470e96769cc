// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"context"
	"crypto/ed25519"
	"encoding/pem"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/unimac/unimac/cmd/unimac/internal/cli/clitest"
	"github.com/unimac/unimac/sshpatch"
)

type lockedBuffer = clitest.Buffer

// writeKey writes a new key to a file, and its public key next to it.
func writeKey(t *testing.T, path string) ssh.Signer {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(key, "")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, string(pem.EncodeToMemory(block)))
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, path+".pub", string(ssh.MarshalAuthorizedKey(signer.PublicKey())))
	return signer
}

// find returns the path of a program of OpenSSH. If the program is missing, the test is
// skipped, except in CI, where it fails.
func find(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		path, err = exec.LookPath("/usr/sbin/" + name)
	}
	if err == nil {
		return path
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not installed, which CI requires", name)
	}
	t.Skipf("%s is not installed", name)
	return ""
}

// A site is a running server with the files that its clients need.
type site struct {
	address        string
	user           ssh.Signer
	host           ssh.Signer
	identity       string // path of the user's key file
	authorized     string
	known          string
	stdout, stderr *lockedBuffer
}

// startSite starts a server in this process that accepts every MAC and cipher.
func startSite(t *testing.T) *site { return startSiteWith(t, serveOptions{}) }

func startSiteWith(t *testing.T, options serveOptions) *site {
	t.Helper()
	dir := t.TempDir()
	s := &site{
		identity:   filepath.Join(dir, "id"),
		authorized: filepath.Join(dir, "authorized_keys"),
		known:      filepath.Join(dir, "known_hosts"),
		stdout:     new(lockedBuffer),
		stderr:     new(lockedBuffer),
	}
	s.user = writeKey(t, s.identity)
	writeFile(t, s.authorized, "# a comment\n\n"+string(ssh.MarshalAuthorizedKey(s.user.PublicKey())))
	var err error
	if s.host, err = hostKey(filepath.Join(dir, "etc", "host_key")); err != nil {
		t.Fatal(err)
	}
	config, err := Config(allMACs(), allCiphers())
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.address = listener.Addr().String()
	writeFile(t, s.known, knownhosts.Line([]string{s.address}, s.host.PublicKey())+"\n")

	server := newServer(config, s.host, authorizedKeys(s.authorized), options, newJournal(s.stdout, s.stderr, ""))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- server.serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return s
}

// exec runs "unimac ssh exec" with the site's files.
func (s *site) exec(stdin string, args ...string) result {
	return runWith(stdin, append([]string{"ssh", "exec", "-i", s.identity, "-known-hosts", s.known}, args...)...)
}

// prints waits until the server's standard output contains text. The journal writes
// asynchronously.
func (s *site) prints(text string) bool {
	return eventually(func() bool { return strings.Contains(s.stdout.String(), text) })
}

// dial connects a client of x/crypto/ssh with the site's key.
func (s *site) dial(t *testing.T) *ssh.Client {
	t.Helper()
	config, err := Config([]string{sshpatch.UMAC128ETM}, []string{ssh.CipherAES128CTR})
	if err != nil {
		t.Fatal(err)
	}
	client, err := ssh.Dial("tcp", s.address, &ssh.ClientConfig{
		Config:          config,
		User:            "anybody",
		Auth:            []ssh.AuthMethod{ssh.PublicKeys(s.user)},
		HostKeyCallback: ssh.FixedHostKey(s.host.PublicKey()),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// soon is the timeout after which a test fails.
const soon = clitest.Patience

var eventually = clitest.Eventually
