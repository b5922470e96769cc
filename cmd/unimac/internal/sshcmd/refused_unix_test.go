// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package sshcmd

import (
	"crypto/ed25519"
	"encoding/pem"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/crypto/ssh/knownhosts"
)

// TestRefused logs in to servers that reject every key. The user has a key in a file,
// an encrypted key in another file, and two keys in the agent.
func TestRefused(t *testing.T) {
	home := t.TempDir()
	setHome(t, home)
	if err := os.Mkdir(filepath.Join(home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	file, locked := filepath.Join(home, ".ssh", "id_ed25519"), filepath.Join(home, ".ssh", "id_rsa")
	writeKey(t, file)
	keyring := agent.NewKeyring()
	for i := range 3 { // the last key is not in the agent
		_, key, err := ed25519.GenerateKey(nil)
		if err != nil {
			t.Fatal(err)
		}
		block, err := ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte("secret"))
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, locked, string(pem.EncodeToMemory(block)))
		if i < 2 {
			if err := keyring.Add(agent.AddedKey{PrivateKey: key}); err != nil {
				t.Fatal(err)
			}
		}
	}
	startAgent(t, func(conn net.Conn) { agent.ServeAgent(keyring, conn) })

	refuse := func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) { return nil, errors.New("no") }
	password := func(ssh.ConnMetadata, []byte) (*ssh.Permissions, error) { return nil, nil }
	accept := func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) {
		return nil, &ssh.PartialSuccessError{Next: ssh.ServerAuthCallbacks{PasswordCallback: password}}
	}
	const unable = "ssh: handshake failed: ssh: unable to authenticate, attempted methods "
	const none = ", no supported methods remain"
	tried := "; tried " + file
	all := "; tried agent" + tried + "; " + locked + ": is encrypted, but unimac ssh does not ask for a passphrase\n"
	for _, tt := range []struct {
		server ssh.ServerConfig
		args   []string
		want   string
	}{
		{ssh.ServerConfig{PublicKeyCallback: refuse}, nil, unable + "[none publickey]" + none + all},
		{ssh.ServerConfig{PublicKeyCallback: refuse, PasswordCallback: password}, []string{"-i", file}, unable + "[none publickey]" + none + tried + "\n"},
		{ssh.ServerConfig{PublicKeyCallback: refuse, MaxAuthTries: 1}, nil, `ssh: handshake failed: ssh: disconnect, reason 2: "too many authentication failures"` + all},
		{ssh.ServerConfig{PublicKeyCallback: accept}, []string{"-i", file}, unable + "[none]" + none + tried + "\n"},
		{ssh.ServerConfig{PasswordCallback: password}, nil, unable + "[none]" + none + "\n"},
	} {
		host, err := newTestSigner()
		if err != nil {
			t.Fatal(err)
		}
		tt.server.AddHostKey(host)
		address := listen(t, "tcp", "127.0.0.1:0", func(conn net.Conn) {
			ssh.NewServerConn(conn, &tt.server)
			conn.Close()
		}).String()
		known := writeFile(t, filepath.Join(home, "known"), knownhosts.Line([]string{address}, host.PublicKey())+"\n")
		args := append([]string{"ssh", "exec", "-known-hosts", known}, tt.args...)
		if r := runWith("", append(args, "me@"+address, "x")...); r.Status != 255 || r.Stderr != "unimac ssh exec: "+address+` as "me": `+tt.want {
			t.Errorf("got status %d, stderr %q, want 255 and %q", r.Status, r.Stderr, tt.want)
		}
	}
}
