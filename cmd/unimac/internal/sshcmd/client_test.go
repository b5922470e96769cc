// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"crypto/ed25519"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// TestClientConfig reads ~/.ssh/config.
func TestClientConfig(t *testing.T) {
	inner := startSite(t)
	host, port, _ := net.SplitHostPort(inner.address)
	home := t.TempDir()
	setHome(t, home)
	dot := filepath.Join(home, ".ssh")
	if err := os.Mkdir(dot, 0o700); err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(inner.identity)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dot, "inner key"), string(key))
	writeFile(t, filepath.Join(dot, "known_hosts"), knownhosts.Line([]string{inner.address}, inner.host.PublicKey())+"\n")
	writeFile(t, filepath.Join(dot, "config"), `
Host inner direct
	HostName `+host+`
	User somebody
	IdentityFile "~/.ssh/inner key"

Host inner
	Port `+port+`
	IdentitiesOnly yes
`)
	runWith("", "ssh", "exec", "inner", "echo in").Want(t, 0, "in", "says: all that you do here is done as ")
	if !inner.prints(`logged in as "somebody"`) {
		t.Errorf("%s", inner.stdout)
	}
	runWith("", "ssh", "exec", "-p", port, "direct", "echo in").Want(t, 0, "in", "says: all that you do here is done as ")
	runWith("", "ssh", "exec", "me@direct:"+port, "echo in").Want(t, 0, "in", "says: all that you do here is done as ")
	if !inner.prints(`logged in as "me"`) {
		t.Errorf("%s", inner.stdout)
	}
	// What comes before a Match is used, and the Match is told of.
	writeFile(t, filepath.Join(dot, "config"), `
Host direct
	HostName `+host+`
	Port `+port+`
	IdentityFile "~/.ssh/inner key"
  match exec "touch `+filepath.Join(home, "executed")+`"
	Port 1
`)
	r := runWith("", "ssh", "exec", "somebody@direct", "echo in")
	if r.Status != 0 || strings.TrimSpace(r.Stdout) != "in" || strings.Count(r.Stderr, "config:6: Match is not followed: this line and those after it are left out\n") != 1 {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(filepath.Join(home, "executed")); err == nil {
		t.Error("a command was executed")
	}
	// Never is there a direct connection where another way is asked for.
	writeFile(t, filepath.Join(dot, "config"), "Host direct\n\tHostName "+host+"\n\tPort "+port+"\n\tProxyCommand false\n")
	runWith("", "ssh", "exec", "-i", inner.identity, "direct", "echo in").Want(t, 255, "", "config:4: proxycommand is not followed here")
	runWith("", "ssh", "exec", "-F", "none", "-i", inner.identity, inner.address, "echo in").Want(t, 0, "in", "")
	if runtime.GOOS != "windows" {
		if err := os.Chmod(filepath.Join(dot, "config"), 0o620); err != nil {
			t.Fatal(err)
		}
		runWith("", "ssh", "exec", "-i", inner.identity, inner.address, "echo in").Want(t, 255, "", "config: mode 0620 lets others change it")
		if err := os.Chmod(filepath.Join(dot, "config"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(dot, "config"), "Host \x1b[2J\nnonsense = = \n\tHostName")
	r = runWith("", "ssh", "exec", "-i", inner.identity, inner.address, "echo in")
	if r.Status != 0 || strings.Contains(r.Stderr, "\x1b") {
		t.Errorf("%+v", r)
	}
}

// TestConfigLines reads files as ssh does, or does not use them.
func TestConfigLines(t *testing.T) {
	home := t.TempDir()
	setHome(t, home)
	if err := os.Mkdir(filepath.Join(home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	// afterFile returns LINE: TEXT of FILE:LINE: TEXT.
	afterFile := func(text string) string {
		_, rest, _ := strings.Cut(strings.TrimPrefix(text, filepath.VolumeName(home)), ":")
		return rest
	}
	writeFile(t, filepath.Join(home, ".ssh", "way"), "Host gate\n\tProxyCommand nc\nHost h\n\tPort 7\n")
	writeFile(t, filepath.Join(home, ".ssh", "loop"), "Include loop\n")
	for _, tt := range []struct{ host, file, want string }{
		{"h", "", "h:22"},
		{"h", "Port 1\nHost h\nPort 2\n", "h:1"}, // the first counts
		{"H", "Host h\nhostname=\"a b\" # a comment\nPORT = 3\n", "a b:3"},
		{"h", "Host * !h\nPort 1\nHost other h?\nPort 2\nHost \"h\"\nPort 3\n", "h:3"},
		{"h", "Host h\nHostName %h.org%%\nMatch all\nPort 4\n", "h.org%:4"},
		{"h", "Host h\nPort 1\nMatch host h\nHostName x\nHost *\nHostName y\n", "h:1 3"},
		{"h", "Host h\nPort 1\nMatch user x\nProxyCommand nc\n", "4: proxycommand"},
		{"h", "Match user x\nHost h\nProxyJump gate\n", "3: proxyjump"},
		{"h", "Match user x\nHost other\nProxyJump gate\n", "h:22 1"},
		{"h", "Host h\nProxyJump gate\nProxyCommand none\n", "2: proxyjump"}, // the first counts
		{"h", "ProxyJump none\nMatch user x\nProxyCommand nc\n", "h:22 2"},
		{"h", "Ciphers aes128-ctr\n", "1: ciphers"},
		{"h", "Host h\nMACs hmac-sha2-512\n", "2: macs"},
		{"h", "Host other\nMACs hmac-sha2-512\n", "h:22"},
		{"h", "KexAlgorithms x\n", "1: kexalgorithms"},
		{"h", "UserKnownHostsFile x\n", "1: userknownhostsfile"},
		{"h", "GlobalKnownHostsFile x\n", "1: globalknownhostsfile"},
		{"h", "AddressFamily any\nAddressFamily inet6\n", "h:22"},
		{"h", "AddressFamily inet6\n", "1: addressfamily"},
		{"h", "IdentitiesOnly yes\nIdentitiesOnly no\n", "h:22 only"},
		{"h", "Host *\nProxyCommand none\nProxyCommand nc\nProxyJump gate\nRevokedHostKeys none\nCanonicalizeHostname no\n", "h:22"},
		{"h", "Host other\nProxyCommand nc\nRevokedHostKeys file\n", "h:22"},
		{"h", "RevokedHostKeys file\n", "1: revokedhostkeys"},
		{"h", "KnownHostsCommand x\n", "1: knownhostscommand"},
		{"h", "CanonicalizeHostname always\n", "1: canonicalizehostname"},
		{"h", "BindAddress 10.0.0.1\n", "1: bindaddress"},
		{"h", "Host h\nPort \"1\nHostName x\n", "h:22 2"},
		{"h", "Host h\nHostName a\\b\nPort 3\n", `a\b:3`}, // as ssh does
		{"h", "Host h\nHostName \"a\\b\"\nPort 3\n", `a\b:3`},
		{"h", "Host h\nHostName a\\\\b\nPort 3\n", "h:22 2"},
		{"h", "Host h\nHostName a\\ b\nPort 3\n", "h:22 2"},
		{"h", "Host h\nHostName \"a\\\"b\"\nPort 3\n", "h:22 2"},
		{"h", "HostName \"x\"y\n", "h:22 1"},
		{"h", "HostName x\\ y\n", "h:22 1"},
		{"h", "HostName 'x'\n", "h:22 1"},
		{"h", "Host \"a b\" \"h\" # \"\nPort 1\n", "h:1"},
		{"h", "Include way\nHostName x\n", "x:7"},
		{"gate", "Include way\n", "2: proxycommand"},
		{"gate", "Host h\nInclude way\n", "gate:22"},
		{"gate", "Include none ~/.ssh/w?y\n", "2: proxycommand"},
		{"h", "Include loop\n", "1: too many files"},
		{"h", "Include way\nHost other\nPort 9\n", "h:7"},
	} {
		var warnings []string
		file := writeFile(t, filepath.Join(home, "config"), tt.file)
		c := readConfig(file, func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) })
		d, err := c.resolve(target{login: "me", host: tt.host})
		got := ""
		if err != nil {
			got = afterFile(err.Error())
		} else {
			got = strings.Trim(strings.TrimSuffix(d.address, "]"), "[")
			if d.identitiesOnly {
				got += " only"
			}
		}
		for _, warning := range warnings {
			number, _, _ := strings.Cut(afterFile(warning), ":")
			got += " " + number
		}
		if got != tt.want && !(err != nil && strings.HasPrefix(got, tt.want)) {
			t.Errorf("%s: %q: %q, want %q", tt.host, tt.file, got, tt.want)
		}
	}
	if _, err := readConfig(filepath.Join(home, "none"), nil).of("h"); err == nil {
		t.Error("a file that is named and not there is no error")
	}
}

// FuzzConfig reads any file. What it says of a host may be an error, and no more.
func FuzzConfig(f *testing.F) {
	f.Add([]byte("Host a !b *\n\tHostName=\"%h\\\" x\" 'y' # z\nMatch all\nPort\n"))
	f.Add([]byte("\ufeffMATCH exec x\nproxyjump a,b\nIdentityFile ~/%d%%\n\x00=\"\n"))
	write := fuzzFile(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		readConfig(write(t, data), func(string, ...any) {}).resolve(target{host: "a"})
		for line := range strings.Lines(string(data)) {
			if keyword, args, err := splitConfig(line); err != nil && (keyword != "" || args != nil) {
				t.Errorf("%q: %q, %q, %v", line, keyword, args, err)
			}
		}
	})
}

// answerWith serves one client, whose command it answers with a payload of a request.
func answerWith(t *testing.T, kind string, payload []byte) (address string, host ssh.Signer) {
	t.Helper()
	host, err := newTestSigner()
	if err != nil {
		t.Fatal(err)
	}
	config := &ssh.ServerConfig{PublicKeyCallback: func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) { return nil, nil }}
	if config.Config, err = Config(allMACs(), allCiphers()); err != nil {
		t.Fatal(err)
	}
	config.AddHostKey(host)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		netConn, err := listener.Accept()
		if err != nil {
			return
		}
		_, channels, requests, err := ssh.NewServerConn(netConn, config)
		if err != nil {
			return
		}
		go ssh.DiscardRequests(requests)
		for newChannel := range channels {
			channel, requests, err := newChannel.Accept()
			if err != nil {
				return
			}
			for request := range requests {
				if request.WantReply {
					request.Reply(true, nil)
				}
				if request.Type == "exec" {
					channel.SendRequest(kind, false, payload)
					channel.Close()
				}
			}
		}
	}()
	return listener.Addr().String(), host
}

func newTestSigner() (ssh.Signer, error) {
	return ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))
}

// TestRemoteStatus has servers send what no process ends with.
func TestRemoteStatus(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	identity := filepath.Join(dir, "id")
	writeKey(t, identity)
	for status, want := range map[uint32]int{0: 0, 1: 1, 255: 255, 256: 255, 512: 255, 1<<31 + 256: 255, 1<<32 - 1: 255} {
		address, host := answerWith(t, "exit-status", ssh.Marshal(&struct{ Status uint32 }{status}))
		known := writeFile(t, filepath.Join(dir, "known"), knownhosts.Line([]string{address}, host.PublicKey())+"\n")
		if r := runWith("", "ssh", "exec", "-i", identity, "-known-hosts", known, address, "x"); r.Status != want {
			t.Errorf("%d: %d, %s", status, r.Status, r.Stderr)
		}
	}
	address, host := answerWith(t, "exit-signal", ssh.Marshal(&struct {
		Signal     string
		CoreDumped bool
		Message    string
		Language   string
	}{"\x1b[2J", false, "\x1b[2J\nforged", ""}))
	known := writeFile(t, filepath.Join(dir, "known"), knownhosts.Line([]string{address}, host.PublicKey())+"\n")
	if r := runWith("", "ssh", "exec", "-i", identity, "-known-hosts", known, address, "x"); r.Status == 0 || strings.Contains(r.Stderr, "\x1b") {
		t.Errorf("%+v", r)
	}
}

// TestSilentServer has a server that takes the connection and says nothing, or
// something hostile.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	greeting := make(chan string, 1)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conn.Write([]byte(<-greeting))
			defer conn.Close()
		}
	}()
	greeting <- ""
	start := time.Now()
	r := runWith("", "ssh", "exec", "-timeout", "300ms", listener.Addr().String(), "x")
	if r.Status != 255 || r.Stderr != "unimac ssh exec: "+listener.Addr().String()+" does not answer: nothing came for 300ms\n" {
		t.Errorf("%s after %v", r.Stderr, time.Since(start))
	}
	greeting <- "SSH-2.0-x\r\n" + string(hostileKexInit("\x1b[2J\nunimac ssh exec: all is well"))
	if r := runWith("", "ssh", "exec", listener.Addr().String(), "x"); r.Status != 255 || strings.Contains(r.Stderr, "\x1b") || strings.Count(r.Stderr, "\n") != 1 {
		t.Errorf("%+v", r)
	}
}
