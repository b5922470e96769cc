// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"crypto/ed25519"
	"fmt"
	"io"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// TestClientConfig reads files of ssh's configuration, which ssh explains.
func TestClientConfig(t *testing.T) {
	find(t, "ssh")
	s := startSite(t)
	host, port, _ := net.SplitHostPort(s.address)
	dir := t.TempDir()
	file := filepath.Join(dir, "config")
	run := func(content string, args ...string) result {
		t.Helper()
		writeFile(t, file, "UserKnownHostsFile "+s.known+"\nIdentityFile "+s.identity+"\n"+content)
		return runWith("", append([]string{"ssh", "exec", "-F", file}, args...)...)
	}
	there := "Host inner\n\tHostName " + host + "\n\tPort " + port + "\n"
	const says = "says: all that you do here is done as "
	run(there+"\tUser somebody\n", "inner", "echo in").Want(t, 0, "in", says)
	if !s.prints(`logged in as "somebody"`) {
		t.Errorf("%s", s.stdout)
	}
	run(there+"\tUser somebody\n", "me@inner", "echo in").Want(t, 0, "in", says)
	if !s.prints(`logged in as "me"`) {
		t.Errorf("%s", s.stdout)
	}
	run("User me\nMatch host inner\n\tHostName "+host+"\n", "inner:"+port, "echo in").Want(t, 0, "in", says)
	// Never is there a direct connection where another way is asked for.
	run(there+"\tProxyCommand false\n", "inner", "echo in").Want(t, 255, "", "the option proxycommand of ssh's configuration is not followed here; with -F none no file is read")
	run(there+"\tSetEnv A=b\n", "inner", "exit 3").Want(t, 3, "", "unimac ssh exec: the option setenv of ssh's configuration has no effect here\n")
	run("nonsense\n", "inner", "echo in").Want(t, 255, "", "unimac ssh exec: ssh does not take its configuration: ")
	run(there+"\tHostKeyAlias another\n", "inner", "echo in").Want(t, 255, "", "unimac ssh exec: another:22 is not in "+s.known)
	run(there+"\tCiphers 3des-cbc\n", "inner", "echo in").Want(t, 255, "", "none of the Ciphers of ssh's configuration is there")
	run(there+"\tCiphers aes256-ctr,3des-cbc\n", "-v", "inner", "echo in").Want(t, 0, "in\n", ", aes256-ctr")
	run(there+"\tPubkeyAcceptedAlgorithms rsa-sha2-256\n", "inner", "echo in").Want(t, 255, "", "are not among the PubkeyAcceptedAlgorithms")
	runWith("", "ssh", "exec", "-F", "none", "-known-hosts", s.known, "-i", s.identity, s.address, "echo in").Want(t, 0, "in\n", "")
	runWith("", "ssh", "exec", "-F", filepath.Join(dir, "none"), s.address, "echo in").Want(t, 255, "", "ssh does not take its configuration: ")
}

// TestWithoutSSH has no ssh program: no file is read, and nobody believes that one is.
func TestWithoutSSH(t *testing.T) {
	home := t.TempDir()
	setHome(t, home)
	t.Setenv("PATH", home)
	var warnings []string
	warnf := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	if err := os.Mkdir(filepath.Join(home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := writeFile(t, filepath.Join(home, ".ssh", "config"), "Host h\nProxyCommand nc\n")
	d, err := (&clientConfig{warnf: warnf}).resolve(target{login: "me", host: "h"})
	if err != nil || d.address != "h:22" || d.login != "me" || len(warnings) == 0 || !strings.Contains(warnings[0], "not read, as there is no ssh program") {
		t.Errorf("%+v, %v, %q", d, err, warnings)
	}
	if _, err := (&clientConfig{path: file, warnf: warnf}).resolve(target{host: "h"}); err == nil {
		t.Error("a file that is named and cannot be read is no error")
	}
	warnings = nil
	if d, err := (&clientConfig{path: "none", warnf: warnf}).resolve(target{host: "h", port: "7"}); err != nil || d.address != "h:7" || warnings != nil {
		t.Errorf("%+v, %v, %q", d, err, warnings)
	}
}

// TestSettings has what ssh -G prints.
func TestSettings(t *testing.T) {
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("UNIMAC_KEY", "a key")
	for _, tt := range []struct{ name, value, want string }{
		{"identityfile", "~/k", filepath.Join(me.HomeDir, "k")},
		{"identityfile", "%d/%h %r %u %%h/${UNIMAC_KEY}", filepath.FromSlash(me.HomeDir + "/host login " + me.Username + " %h/a key")},
		{"identityfile", "none", ""},
		{"identityfile", "/%C", "error"},
		{"identityfile", "/%", "error"},
		{"identityfile", "/${UNIMAC_NONE}", "error"},
		{"identityfile", "~other/k", "error"},
		{"user", "%u", "error"},
		{"hostkeyalias", "a%%", "error"},
		{"userknownhostsfile", "/a b", "error"},
		{"globalknownhostsfile", "a", "error"},
		{"proxyjump", "gate", "error"},
		{"revokedhostkeys", "none", ""},
		{"preferredauthentications", "password", "error"},
		{"preferredauthentications", "password,publickey", ""},
	} {
		set := settings{tt.name: {tt.value}}
		d := &destination{login: "login", address: "host:22"}
		err := (&clientConfig{warnf: t.Logf}).refuse(set)
		if err == nil {
			err = d.follow(set)
		}
		got := strings.Join(d.identities, " ")
		if err != nil {
			got = "error"
		}
		if got != tt.want {
			t.Errorf("%s %s: %q, %v, want %q", tt.name, tt.value, got, err, tt.want)
		}
	}
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
	quits, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer quits.Close()
	go func() {
		if conn, err := quits.Accept(); err == nil {
			io.CopyN(io.Discard, conn, 1) // else it is a reset
			io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\n\r\n")
			conn.(*net.TCPConn).CloseWrite()
			io.Copy(io.Discard, conn)
			conn.Close()
		}
	}()
	if r := runWith("", "ssh", "exec", quits.Addr().String(), "x"); r.Status != 255 || r.Stderr != "unimac ssh exec: "+quits.Addr().String()+" closed the connection before the login; it may be no SSH server\n" {
		t.Errorf("%+v", r)
	}
	greeting <- "SSH-2.0-x\r\n" + string(hostileKexInit("\x1b[2J\nunimac ssh exec: all is well"))
	if r := runWith("", "ssh", "exec", listener.Addr().String(), "x"); r.Status != 255 || strings.Contains(r.Stderr, "\x1b") || strings.Count(r.Stderr, "\n") != 1 {
		t.Errorf("%+v", r)
	}
}
