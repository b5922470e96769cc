// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/cmd/unimac/internal/cli/clitest"
	"github.com/unimac/unimac/sshpatch"
)

// root returns a command tree that contains only ssh.
func root() *cli.Command { return &cli.Command{Name: "unimac", Sub: []*cli.Command{Command()}} }

// TestMain runs the tests with an empty home, which also contains temporary files, with
// a shell, and without an agent. Tests that need another environment do not run in
// parallel.
func TestMain(m *testing.M) {
	clitest.BeProgram(root())
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		log.Fatal(err)
	}
	for name, value := range map[string]string{
		"HOME": home, "USERPROFILE": home, "TMPDIR": home, "XDG_CONFIG_HOME": "", "SHELL": "/bin/sh", "SSH_AUTH_SOCK": "",
	} {
		if err := os.Setenv(name, value); err != nil {
			log.Fatal(err)
		}
	}
	// Most tests wait rather than compute, except in an emulator, where key exchanges
	// are slow. -parallel overrides this value.
	parallel := "8"
	if os.Getenv("UNIMAC_TEST_EMULATOR") != "" {
		parallel = "1"
	}
	if err := flag.Set("test.parallel", parallel); err != nil {
		log.Fatal(err)
	}
	status := m.Run()
	if err := os.RemoveAll(home); err != nil {
		log.Print(err)
	}
	os.Exit(status)
}

// setHome changes the home until the test ends.
func setHome(t *testing.T, dir string) {
	t.Helper()
	t.Setenv("HOME", dir)
	t.Setenv("USERPROFILE", dir)
}

var writeFile = clitest.WriteFile

type result = clitest.Result

func runWith(stdin string, args ...string) result {
	return runReader(strings.NewReader(stdin), args...)
}

func runReader(stdin io.Reader, args ...string) result { return clitest.Run(root(), stdin, args...) }

func TestExec(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	s.exec("", s.address, "echo", "out").Want(t, 0, "out", "")
	s.exec("", "somebody@"+s.address, "exit 7").Want(t, 7, "", "says: everything runs as ")
	if !s.prints(` logged in as "somebody": umac-128-etm@openssh.com, aes128-ctr`) {
		t.Errorf("server: got stdout %q, want a login of somebody", s.stdout)
	}
	for _, mac := range allMACs() {
		for _, cipher := range allCiphers() {
			r := s.exec("", "-v", "-mac", mac, "-cipher", cipher, s.address, "echo out")
			negotiated := mac + ", " + cipher
			if strings.Contains(cipher, "@") { // needs no MAC
				negotiated = cipher
			}
			r.Want(t, 0, "out", fmt.Sprintf("unimac ssh exec: %s: %s\n", s.address, negotiated))
			if !s.prints(": " + negotiated + ", key ") {
				t.Errorf("server: got stdout %q, want %s", s.stdout, negotiated)
			}
		}
	}
	r := s.exec("", "-v", "-mac", "hmac-sha2-512,"+sshpatch.UMAC64, "-cipher", "aes256-ctr,aes128-ctr", s.address, "echo out")
	r.Want(t, 0, "out", fmt.Sprintf("unimac ssh exec: %s: hmac-sha2-512, aes256-ctr\n", s.address))
	if s.stderr.String() != "" {
		t.Errorf("server: got stderr %q, want no message", s.stderr)
	}
}

func TestExecRefused(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	dir := filepath.Dir(s.identity)
	other := writeKey(t, filepath.Join(dir, "other"))
	otherHost := writeFile(t, filepath.Join(dir, "other_known_hosts"), knownhosts.Line([]string{s.address}, other.PublicKey())+"\n")
	noHost := writeFile(t, filepath.Join(dir, "empty_known_hosts"), "")
	garbage := writeFile(t, filepath.Join(dir, "garbage"), "garbage")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := listener.Addr().String()
	listener.Close()

	for _, tt := range []struct {
		name   string
		args   []string
		status int
		stderr string
	}{
		{"other key", []string{"-i", filepath.Join(dir, "other"), s.address, "echo"}, 255, "unable to authenticate"},
		{"missing key file", []string{"-i", filepath.Join(dir, "none"), s.address, "echo"}, 255, "none: "},
		{"malformed key file", []string{"-i", garbage, s.address, "echo"}, 255, "garbage: "},
		{"public key", []string{"-i", filepath.Join(dir, "other.pub"), s.address, "echo"}, 255, "other.pub: is a public key or a certificate; want the private key, without .pub"},
		{"no key at all", []string{"-i", "", s.address, "echo"}, 255, "no key to log in with: name one with -i"},
		{"certificate", []string{"-i", filepath.Join(dir, "other-cert.pub"), s.address, "echo"}, 255, "is a public key or a certificate"},
		{"unsupported -t", []string{"-t", s.address, "echo"}, 2, "flag provided but not defined: -t"},
		{"unsupported -F", []string{"-F", "none", s.address, "echo"}, 2, "flag provided but not defined: -F"},
		{"no command", []string{s.address}, 2, "want a server, as [USER@]HOST[:PORT], and a command; for a shell or a terminal, use ssh\n"},
		{"other host key", []string{"-known-hosts", otherHost, s.address, "echo"}, 255, "and not the one in " + otherHost + ":1"},
		{"unknown host", []string{"-known-hosts", noHost, s.address, "echo"}, 255,
			ssh.FingerprintSHA256(s.host.PublicKey()) + ", add this line, which -accept-new does: " + knownhosts.Line([]string{s.address}, s.host.PublicKey()) + "\n"},
		{"missing known hosts", []string{"-known-hosts", filepath.Join(dir, "none"), s.address, "echo"}, 255, "none"},
		{"no listener", []string{nobody, "echo"}, 255, nobody},
		{"two ports", []string{"-p", "22", s.address, "echo"}, 2, "the port is given twice"},
		{"zero timeout", []string{"-timeout", "0s", s.address, "echo"}, 2, `invalid value "0s" for flag -timeout: want a time above zero, such as 500ms or 30s`},
		{"no server", nil, 2, "want a server, as [USER@]HOST[:PORT], and a command"},
		{"no user", []string{"@" + s.address, "echo"}, 2, ", want a server, as [USER@]HOST[:PORT]"},
		{"unknown MAC", []string{"-mac", "umac-32@openssh.com", s.address, "echo"}, 2, `no MAC "umac-32@openssh.com"; there are umac-128-etm@openssh.com, `},
		{"empty MAC", []string{"-mac", "", s.address, "echo"}, 2, `no MAC ""`},
		{"unknown cipher", []string{"-cipher", "rot13", s.address, "echo"}, 2, `no cipher "rot13"; there are aes128-ctr, chacha20-poly1305@openssh.com, aes128-gcm@openssh.com, `},
		{"broken cipher", []string{"-cipher", "aes128-cbc", s.address, "echo"}, 2, `no cipher "aes128-cbc"; there are `},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := append([]string{"ssh", "exec", "-known-hosts", s.known}, tt.args...)
			r := runWith("", args...)
			if r.Status != tt.status || r.Stdout != "" || !strings.Contains(r.Stderr, tt.stderr) || !strings.HasPrefix(r.Stderr, "unimac ssh exec: ") {
				t.Errorf("got status %d, stdout %q, stderr %q, want %d, no output, %q", r.Status, r.Stdout, r.Stderr, tt.status, tt.stderr)
			}
		})
	}
}

// TestAuthorizedKeys changes the file while a server runs.
func TestAuthorizedKeys(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	line := string(ssh.MarshalAuthorizedKey(s.user.PublicKey()))
	other := string(ssh.MarshalAuthorizedKey(writeKey(t, s.identity+"2").PublicKey()))
	cert := &ssh.Certificate{Key: s.user.PublicKey(), CertType: ssh.UserCert, ValidPrincipals: []string{"user"}, ValidBefore: ssh.CertTimeInfinity}
	if err := cert.SignCert(bytes.NewReader(make([]byte, 64)), s.user); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, content string
		ok            bool
		unusable      int
	}{
		{"alone", line, true, 0},
		{"no newline", strings.TrimSpace(line), true, 0},
		{"with a comment", strings.TrimSpace(line) + " me@home\n", true, 0},
		{"after others", "# c\n" + other + "garbage\n\n" + line, true, 1},
		{"CRLF", strings.TrimSpace(other) + "\r\n" + strings.TrimSpace(line) + "\r\n", true, 0},
		{"empty", "", false, 0},
		{"another", other, false, 0},
		{"in a comment", "#" + line, false, 0},
		{"command", `command="echo forced" ` + line, false, 1},
		{"restrict", "restrict " + line + other, true, 0},
		{"known options", "NO-PTY,no-port-forwarding " + line, true, 0},
		{"forwarding to some", `permitopen="a:1" ` + line, false, 1},
		{"expired", `expiry-time="20000101" ` + line, false, 1},
		{"restricted before", `from="192.0.2.1" ` + line + line, false, 1},
		{"restricted after", line + `command="true" ` + line, false, 1},
		{"authority", "cert-authority " + line, false, 1},
		{"certificate", string(ssh.MarshalAuthorizedKey(cert)), false, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			writeFile(t, s.authorized, tt.content)
			if list, err := authorizedKeys(s.authorized).read(); err != nil || list.unusable != tt.unusable {
				t.Errorf("got %+v, error %v, want %d unusable lines", list, err, tt.unusable)
			}
			r := s.exec("", s.address, "echo in")
			if ok := r.Status == 0; ok != tt.ok || r.Status != 0 && r.Status != 255 {
				t.Errorf("got status %d, stderr %q, want success %t", r.Status, r.Stderr, tt.ok)
			}
		})
	}
	os.Remove(s.authorized)
	s.exec("", s.address, "echo in").Want(t, 255, "", "unable to authenticate")
}

func TestHostKey(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "folder", "key")
	var wg sync.WaitGroup
	keys := make([]ssh.Signer, 4)
	for i := range keys {
		wg.Go(func() {
			var err error
			if keys[i], err = hostKey(path); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	again, err := hostKey(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if key != nil && !bytes.Equal(key.PublicKey().Marshal(), again.PublicKey().Marshal()) {
			t.Error("hostKey returned different keys for the same file")
		}
	}
	writeFile(t, path, "garbage")
	if _, err := hostKey(path); err == nil {
		t.Error("hostKey of a malformed file: got no error")
	}
}

func TestParseTarget(t *testing.T) {
	for _, tt := range []struct{ text, port, login, address string }{
		{"host", "", "", "host:22"},
		{"host", "7", "", "host:7"},
		{"host:2222", "", "", "host:2222"},
		{"user@host", "", "user", "host:22"},
		{"user@host:2222", "", "user", "host:2222"},
		{"user@realm@host", "", "user@realm", "host:22"},
		{"::1", "", "", "[::1]:22"},
		{"user@fe80::1%eth0", "7", "user", "[fe80::1%eth0]:7"},
		{"[::1]", "", "", "[::1]:22"},
		{"user@[::1]:2222", "", "user", "[::1]:2222"},
		{"host:2222", "2222", "", ""},
		{"", "", "", ""},
		{"@host", "", "", ""},
		{"user@", "", "", ""},
		{"host:", "", "", ""},
		{":22", "", "", ""},
		{"[::1", "", "", ""},
		{"[::1]x", "", "", ""},
		{"ssh://host", "", "", ""},
	} {
		login, address, err := parseTarget(tt.text, tt.port)
		if login != tt.login || address != tt.address || (err == nil) != (tt.address != "") {
			t.Errorf("parseTarget(%q, %q) = %q, %q, %v, want %q, %q", tt.text, tt.port, login, address, err, tt.login, tt.address)
		}
	}
}

func TestServeUsage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keys := filepath.Join(dir, "keys")
	empty := writeFile(t, filepath.Join(dir, "empty"), "# nothing\n")
	options := writeFile(t, filepath.Join(dir, "options"), "")
	user := writeKey(t, filepath.Join(dir, "user"))
	writeFile(t, options, `command="true" `+string(ssh.MarshalAuthorizedKey(user.PublicKey())))
	for _, tt := range []struct {
		args   string
		status int
		stderr string
	}{
		{"now", 2, "1 argument, want none"},
		{"-mac x", 2, `no MAC "x"`},
		{"-authorized-keys " + keys, 1, cli.Name(keys) + ": "},
		{"-authorized-keys " + empty, 1, cli.Name(empty) + ": contains no key that may log in\n"},
		{"-authorized-keys " + options, 1, cli.Name(options) + ": contains no key that may log in\n"},
		{"-authorized-keys " + filepath.Join(dir, "user.pub") + " -host-key " + empty, 1, cli.Name(empty) + ": "},
		{"-authorized-keys " + filepath.Join(dir, "user.pub") + " -listen nowhere:x -host-key " + filepath.Join(dir, "host"), 1, "listen tcp"},
	} {
		r := runWith("", append([]string{"ssh", "serve"}, strings.Fields(tt.args)...)...)
		if r.Status != tt.status || r.Stdout != "" || !strings.Contains(r.Stderr, tt.stderr) || !strings.HasPrefix(r.Stderr, "unimac ssh serve: ") {
			t.Errorf("%s: got status %d, stdout %q, stderr %q, want %d, no output, %q", tt.args, r.Status, r.Stdout, r.Stderr, tt.status, tt.stderr)
		}
	}
}

// TestIdleConnections checks that clients that never log in do not keep others out.
func TestIdleConnections(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	var conns []net.Conn
	for range maxWaiting {
		conn, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conns = append(conns, conn)
		io.ReadFull(conn, make([]byte, 4)) // start of the server's version, sent after it accepted the connection
	}
	s.exec("", s.address, "echo in").Want(t, 0, "in", "")
	if !strings.Contains(s.stderr.String(), "dropped because too many clients are logging in") {
		t.Errorf("server: got stderr %q, want a message about a dropped client", s.stderr)
	}
	var dropped atomic.Int32
	var reads sync.WaitGroup
	for _, conn := range conns {
		reads.Go(func() {
			conn.SetReadDeadline(time.Now().Add(time.Second))
			if _, err := io.Copy(io.Discard, conn); !errors.Is(err, os.ErrDeadlineExceeded) {
				dropped.Add(1)
			}
		})
	}
	if reads.Wait(); dropped.Load() != 1 {
		t.Errorf("%d clients were dropped, want 1", dropped.Load())
	}
}

func TestServerRefuses(t *testing.T) {
	t.Parallel()
	client := startSite(t).dial(t)
	for kind, want := range map[string]string{"direct-tcpip": "not allowed", "x11": "no channels of this type"} {
		if _, _, err := client.OpenChannel(kind, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("channel %s: got error %v, want %q", kind, err, want)
		}
	}
	session, err := client.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if err := session.RequestSubsystem("netconf"); err == nil {
		t.Error("subsystem netconf: got no error")
	}
	for _, payload := range []string{"", "x"} {
		for _, kind := range []string{"exec", "env", "pty-req", "window-change", "signal", "subsystem"} {
			if ok, err := session.SendRequest(kind, true, []byte(payload)); ok || err != nil {
				t.Errorf("%s with payload %q: got %t, error %v, want a rejection", kind, payload, ok, err)
			}
		}
	}
	if err := session.Setenv("A=B", "c"); err == nil {
		t.Error("setting variable A=B: got no error")
	}
	if err := session.Run("exit 3"); err == nil || err.Error() != "Process exited with status 3" {
		t.Errorf("command after rejected requests: got error %v, want status 3", err)
	}
}

// hostileKexInit returns a packet that offers a key exchange called name.
func hostileKexInit(name string) []byte {
	var p bytes.Buffer
	p.WriteByte(20)
	p.Write(make([]byte, 16))
	for range 10 {
		p.Write(ssh.Marshal(&struct{ Name string }{name}))
	}
	p.Write(make([]byte, 5))
	padding := 8 - (p.Len()+5)%8 + 8
	packet := binaryUint32(uint32(p.Len() + padding + 1))
	packet = append(packet, byte(padding))
	packet = append(packet, p.Bytes()...)
	return append(packet, make([]byte, padding)...)
}

func binaryUint32(n uint32) []byte {
	return []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
}
