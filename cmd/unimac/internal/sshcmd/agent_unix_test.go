// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package sshcmd

import (
	"crypto/rand"
	"encoding/pem"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// listen calls serve for each connection until the test ends.
func listen(t *testing.T, network, address string, serve func(net.Conn)) net.Addr {
	t.Helper()
	listener, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(conn)
		}
	}()
	return listener.Addr()
}

// startAgent starts an agent that calls serve for each connection, and sets
// SSH_AUTH_SOCK to its socket.
func startAgent(t *testing.T, serve func(net.Conn)) {
	t.Helper()
	dir, err := os.MkdirTemp("", "a") // socket names must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("SSH_AUTH_SOCK", listen(t, "unix", filepath.Join(dir, "s"), serve).String())
}

// A deafAgent has a key, but never answers requests to sign.
type deafAgent struct {
	agent.ExtendedAgent
}

func (deafAgent) SignWithFlags(ssh.PublicKey, []byte, agent.SignatureFlags) (*ssh.Signature, error) {
	select {}
}

// TestAgentHangs uses agents that never answer. If the request for keys has no answer,
// exec tries the keys in files. If the request to sign has no answer, exec ends at the
// timeout.
func TestAgentHangs(t *testing.T) {
	s := startSite(t)
	home := t.TempDir()
	setHome(t, home)
	data, err := os.ReadFile(s.identity)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := writeFile(t, filepath.Join(home, ".ssh", "id_ed25519"), string(data))
	startAgent(t, func(conn net.Conn) { io.Copy(io.Discard, conn) })
	begin := time.Now()
	runWith("", "ssh", "exec", "-i", file, "-known-hosts", s.known, s.address, "echo in").Want(t, 0, "in\n", "")
	timeout := max(time.Second, 10*time.Since(begin)) // allow for slow machines
	runWith("", "ssh", "exec", "-known-hosts", s.known, "-timeout", timeout.String(), s.address, "echo in").Want(t, 0, "in\n", "")

	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	runWith("", "ssh", "exec", "-known-hosts", s.known, "-timeout", timeout.String(), s.address, "echo in").Want(t, 255, "", "; agent: ")
	keyring := agent.NewKeyring().(agent.ExtendedAgent)
	addKey(t, keyring, s.identity)
	startAgent(t, func(conn net.Conn) { agent.ServeAgent(deafAgent{keyring}, conn) })
	begin = time.Now()
	runWith("", "ssh", "exec", "-known-hosts", s.known, "-timeout", timeout.String(), s.address, "echo in").Want(t, 255, "", "unimac ssh exec: ")
	if took := time.Since(begin); took < timeout {
		t.Errorf("exec ended after %v, want at least the timeout of %v", took, timeout)
	}
}

// rawKey returns the unencrypted private key in a file.
func rawKey(t *testing.T, file string) any {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.ParseRawPrivateKey(data)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// addKey adds the key in a file to an agent.
func addKey(t *testing.T, keyring agent.Agent, file string) {
	t.Helper()
	if err := keyring.Add(agent.AddedKey{PrivateKey: rawKey(t, file)}); err != nil {
		t.Fatal(err)
	}
}

// TestWhichKeys checks which keys exec tries, in files and in the agent.
func TestWhichKeys(t *testing.T) {
	s := startSite(t)
	home := t.TempDir()
	setHome(t, home)
	dot := filepath.Join(home, ".ssh")
	if err := os.Mkdir(dot, 0o700); err != nil {
		t.Fatal(err)
	}
	raw := rawKey(t, s.identity)
	block, err := ssh.MarshalPrivateKeyWithPassphrase(raw, "", []byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	encrypted := writeFile(t, filepath.Join(home, "encrypted"), string(pem.EncodeToMemory(block)))
	stranger, right := filepath.Join(home, "stranger"), s.identity
	writeKey(t, stranger)
	agents := make(map[string]agent.Agent)
	for name, files := range map[string][]string{"right": {right}, "strangers": {stranger, stranger, stranger, stranger, stranger, stranger, stranger}} {
		agents[name] = agent.NewKeyring()
		for i, file := range files {
			if i > 0 {
				writeKey(t, file) // a different key
			}
			addKey(t, agents[name], file)
		}
	}
	socketOf := map[string]string{"none": "", "gone": filepath.Join(home, "gone")}
	for name, ring := range agents {
		startAgent(t, func(conn net.Conn) { agent.ServeAgent(ring, conn) })
		socketOf[name] = os.Getenv("SSH_AUTH_SOCK")
	}
	for _, tt := range []struct {
		name, agent, usual string
		args               []string
		status             int
		stderr             string
	}{
		{"no key", "none", "", nil, 255, "no key to log in with: name one with -i, or start an agent\n"},
		{"agent", "right", "", nil, 0, ""},
		{"agent with -agent", "right", "", []string{"-agent"}, 0, ""},
		{"missing agent with -agent", "none", right, []string{"-agent"}, 255, "; agent: dial unix"},
		{"unreachable agent and default file", "gone", right, nil, 0, ""},
		{"default file", "none", right, nil, 0, ""},
		{"default file and wrong agent with -agent", "strangers", right, []string{"-agent"}, 255, "tried agent"},
		{"named file and wrong agent with -agent", "strangers", "", []string{"-agent", "-i", right}, 0, ""},
		{"named file and wrong agent", "strangers", "", []string{"-i", right}, 0, ""},
		{"wrong named file, default file and agent", "right", right, []string{"-i", stranger}, 255, "no supported methods remain; tried " + stranger + "\n"},
		{"wrong named file and agent with -agent", "right", "", []string{"-i", stranger, "-agent"}, 0, ""},
		{"two named files", "none", "", []string{"-i", stranger, "-i", right}, 0, ""},
		{"missing file and named file", "none", "", []string{"-i", filepath.Join(home, "none"), "-i", right}, 0, ""},
		{"missing file", "none", right, []string{"-i", filepath.Join(home, "none")}, 255, "none: no such file or directory"},
		{"encrypted named file", "none", "", []string{"-i", encrypted}, 255, "encrypted: is encrypted, but unimac ssh does not ask for a passphrase"},
		{"encrypted default file", "none", encrypted, nil, 255, "id_rsa: is encrypted, but unimac ssh does not ask for a passphrase"},
		{"encrypted default file and agent", "right", encrypted, nil, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("SSH_AUTH_SOCK", socketOf[tt.agent])
			os.Remove(filepath.Join(dot, "id_rsa"))
			if tt.usual != "" {
				if err := os.Link(tt.usual, filepath.Join(dot, "id_rsa")); err != nil {
					t.Fatal(err)
				}
			}
			args := append([]string{"ssh", "exec", "-known-hosts", s.known}, tt.args...)
			stdout := "in\n"
			if tt.status != 0 {
				stdout = ""
			}
			r := runWith("", append(args, s.address, "echo in")...)
			if r.Status != tt.status || r.Stdout != stdout || !strings.Contains(r.Stderr, tt.stderr) || tt.stderr == "" && r.Stderr != "" {
				t.Errorf("got status %d, stdout %q, stderr %q, want %d, %q, %q", r.Status, r.Stdout, r.Stderr, tt.status, stdout, tt.stderr)
			}
		})
	}
}

// TestCertificatesReported checks the messages about certificates next to a key file
// and in the agent.
func TestCertificatesReported(t *testing.T) {
	s := startSite(t)
	cert := &ssh.Certificate{Key: s.user.PublicKey(), CertType: ssh.UserCert, ValidPrincipals: []string{"anybody"}, ValidBefore: ssh.CertTimeInfinity}
	if err := cert.SignCert(rand.Reader, s.user); err != nil {
		t.Fatal(err)
	}
	file := writeFile(t, s.identity+"-cert.pub", string(ssh.MarshalAuthorizedKey(cert)))
	s.exec("", s.address, "echo in").Want(t, 0, "in\n", "unimac ssh exec: "+file+": not used, because exec supports no certificates\n")
	os.Remove(file)
	raw := rawKey(t, s.identity)
	keyring := agent.NewKeyring()
	if err := keyring.Add(agent.AddedKey{PrivateKey: raw, Certificate: cert}); err != nil {
		t.Fatal(err)
	}
	startAgent(t, func(conn net.Conn) { agent.ServeAgent(keyring, conn) })
	runWith("", "ssh", "exec", "-agent", "-known-hosts", s.known, s.address, "echo in").Want(t, 255, "",
		"unimac ssh exec: agent: a certificate is not used, because exec supports none\n"+
			"unimac ssh exec: no key to log in with: name one with -i, or start an agent; tried agent\n")
}
