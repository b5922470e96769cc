// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package sshcmd

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// A randomSite is a server with what random configurations name.
type randomSite struct {
	*site
	dir, port string
	rng       *rand.Rand
	logins    int // that the server has printed
}

func startRandomSite(t *testing.T) *randomSite {
	s := &randomSite{site: startSite(t), dir: t.TempDir()}
	_, s.port, _ = net.SplitHostPort(s.address)
	lines := ""
	for _, name := range []string{"one", "two", "stranger"} {
		key := writeKey(t, filepath.Join(s.dir, name)).PublicKey()
		if name != "stranger" {
			lines += string(ssh.MarshalAuthorizedKey(key))
		}
	}
	writeFile(t, s.authorized, lines)
	return s
}

// known writes the files of known hosts anew, as a client may have added to one.
func (s *randomSite) known(t *testing.T) {
	right, stranger := s.host.PublicKey(), s.user.PublicKey()
	writeFile(t, filepath.Join(s.dir, "right"), knownhosts.Line([]string{s.address, "alias"}, right)+"\n")
	writeFile(t, filepath.Join(s.dir, "wrong"), knownhosts.Line([]string{s.address, "alias"}, stranger)+"\n")
	writeFile(t, filepath.Join(s.dir, "revoked"), "@revoked "+knownhosts.Line([]string{s.address, "alias"}, right)+"\n")
	writeFile(t, filepath.Join(s.dir, "empty"), "")
}

// pick returns one of some words.
func (s *randomSite) pick(words ...string) string { return words[s.rng.IntN(len(words))] }

// config returns a configuration, and whether it has followed options alone.
func (s *randomSite) config() (text string, followed bool) {
	followed = true
	var lines []string
	for _, option := range []struct {
		name   string
		values []string
	}{
		{"HostName", []string{"127.0.0.1", "127.0.0.1", "127.0.0.1", "127.0.0.1", "127.0.0.1", "\"127.0.0.1\"", "127.0.0.%%", ""}},
		{"Port", []string{s.port}},
		{"User", []string{"me", "you", "\"me too\"", ""}},
		{"IdentityFile", []string{"DIR/one", "DIR/two", "DIR/stranger", "\"DIR/one\"", "DIR/t${UNIMAC_LETTER}o", "DIR/none"}},
		{"IdentityFile", []string{"DIR/two", "DIR/%%", "DIR/%u", ""}},
		{"IdentitiesOnly", []string{"yes", "no", ""}},
		{"IdentityAgent", []string{"none", "SSH_AUTH_SOCK", "$UNIMAC_NONE", ""}},
		{"HostKeyAlias", []string{"alias", "ALIAS", "other", "", "", ""}},
		{"UserKnownHostsFile", []string{"DIR/right", "DIR/right", "DIR/right", "DIR/right", "DIR/wrong", "DIR/empty", "DIR/empty DIR/right", "DIR/right DIR/revoked"}},
		{"GlobalKnownHostsFile", []string{"none", "DIR/empty", "DIR/revoked", "DIR/right", "", "", ""}},
		{"StrictHostKeyChecking", []string{"yes", "accept-new", "ask", ""}},
		{"RequiredRSASize", []string{"2048", ""}},
		{"Ciphers", []string{"aes256-ctr", "3des-cbc,aes192-ctr,aes128-ctr", "^aes128-gcm@openssh.com", "-aes*", ""}},
		{"MACs", []string{"umac-64@openssh.com", "hmac-sha1,hmac-sha2-512", "+hmac-md5", ""}},
		{"KexAlgorithms", []string{"curve25519-sha256", "sntrup761x25519-sha512@openssh.com,ecdh-sha2-nistp256", ""}},
		{"HostKeyAlgorithms", []string{"ssh-ed25519", "rsa-sha2-256", "rsa-sha2-512,ssh-ed25519", "", ""}},
		{"PubkeyAcceptedAlgorithms", []string{"ssh-ed25519", "rsa-sha2-512", "+ssh-rsa", "", "", ""}},
	} {
		if value := s.pick(option.values...); value != "" {
			lines = append(lines, option.name+" "+value)
		}
	}
	if s.rng.IntN(4) == 0 {
		lines = append(lines, s.pick("ProxyCommand false", "RevokedHostKeys DIR/one.pub", "CheckHostIP yes", "BindAddress 127.0.0.1", "PubkeyAuthentication no"))
		followed = false
	}
	s.rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	at := s.rng.IntN(len(lines))
	head := s.pick("Host h", "Host * !x", "Match originalhost h", "Match all", "HOST=\"h\"")
	lines = append(lines[:at:at], append([]string{"Host x", "\tUser x", head}, lines[at:]...)...)
	return strings.NewReplacer("DIR", s.dir, "\tUser x", "\tUser x\n\tProxyCommand false").Replace(strings.Join(lines, "\n")) + "\n", followed
}

// login returns what the server prints of a client that has logged in, from the name on, without
// what a client chooses for itself where the configuration is silent.
func (s *randomSite) login(t *testing.T, config string, ok bool) string {
	if !ok {
		return "none"
	}
	s.logins++
	if !eventually(func() bool { return strings.Count(s.stdout.String(), " logged in as ") >= s.logins }) {
		t.Fatal("the server does not print a login")
	}
	line := strings.Split(s.stdout.String(), " logged in as ")[s.logins]
	line, _, _ = strings.Cut(line, "\n")
	name, rest, _ := strings.Cut(line, ": ")
	algorithms, key, _ := strings.Cut(rest, ", key ")
	words := strings.Split(algorithms, ", ")
	cipher := words[len(words)-1]
	if !strings.Contains(config, "Ciphers ") {
		cipher = ""
	}
	mac := words[0]
	if len(words) == 1 || !strings.Contains(config, "MACs ") || cipher == "" { // or it belongs to another cipher
		mac = ""
	}
	return fmt.Sprintf("%s key %s cipher %s MAC %s", name, key, cipher, mac)
}

// TestRandomConfigurations has ssh and this client connect by random configurations. This client
// connects as ssh does, or not at all; and where all options are followed, it nearly always does.
func TestRandomConfigurations(t *testing.T) {
	program := find(t, "ssh")
	t.Setenv("UNIMAC_LETTER", "w")
	t.Setenv("SSH_AUTH_SOCK", "")
	rounds := 60
	switch {
	case os.Getenv("UNIMAC_TEST") == "whole":
		rounds = 1000
	case testing.Short():
		rounds = 15
	}
	seed := uint64(time.Now().UnixNano())
	s := startRandomSite(t)
	s.rng = rand.New(rand.NewPCG(seed, 0))
	file := filepath.Join(s.dir, "config")
	reached, both, neither := 0, 0, 0
	// About one in seven has options that are followed alone. A few rounds may have none.
	for round := 0; round < rounds || reached == 0 && round < 20*rounds; round++ {
		config, followed := s.config()
		writeFile(t, file, config)
		s.known(t)
		theirs := exec.Command(program, "-F", file, "-o", "BatchMode=yes", "-o", "LogLevel=ERROR", "h", "true")
		out, err := theirs.CombinedOutput()
		want := s.login(t, config, err == nil)
		s.known(t)
		r := runWith("", "ssh", "exec", "-F", file, "h", "true")
		got := s.login(t, config, r.Status == 0)
		switch {
		case got != want && got != "none":
			t.Errorf("seed %d, round %d: %s\nand ssh: %s %s\n%s", seed, round, got, want, out, config)
		case want == "none":
			neither++
		case followed:
			if reached++; got == want {
				both++
			} else {
				t.Logf("ssh alone: %s\n%s", r.Stderr, config)
			}
		}
	}
	t.Logf("of %d configurations or more ssh connects by %d with followed options alone, and this client by %d of them; neither by %d", rounds, reached, both, neither)
	if reached == 0 || both*100 < reached*80 {
		t.Errorf("seed %d: this client connects by %d of %d configurations", seed, both, reached)
	}
}
