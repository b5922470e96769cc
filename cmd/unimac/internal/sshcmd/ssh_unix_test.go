// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package sshcmd

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/unimac/unimac/cmd/unimac/internal/cli/clitest"
	"github.com/unimac/unimac/sshpatch"
)

// randomBytes returns pseudo-random data that is the same in every run.
func randomBytes(n int) string {
	data := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(data)
	return string(data)
}

func TestExecStreams(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	data := randomBytes(5 << 20)
	for _, tt := range []struct {
		name, stdin, command string
		status               int
		stdout, stderr       string
	}{
		{"streams", "", "echo out; echo err >&2; exit 3", 3, "out\n", "err\n"},
		{"echo on stdout", data, "cat", 0, data, ""},
		{"echo on stderr", data, "cat >&2", 0, "", data},
		{"empty stdin", "", "cat", 0, "", ""},
		{"unread stdin", data, "true", 0, "", ""},
		{"partially read stdin", data, "head -c 1000000; exit 9", 9, data[:1000000], ""},
		{"SIGTERM", "", "kill -TERM $$", 128 + 15, "", ""},
		{"SIGKILL", "", "kill -KILL $$", 128 + 9, "", ""},
		{"signal without a name", "", "kill -XCPU $$", 128 + int(syscall.SIGXCPU), "", ""},
		{"largest status", "", "exit 255", 255, "", ""},
		{"no such command", "", "/no/such/command 2>/dev/null", 127, "", ""},
		{"home", "", "pwd", 0, os.Getenv("HOME") + "\n", ""},
		{"quotes", "", `printf '%s|' 'a b' "c	d" '*'`, 0, "a b|c\td|*|", ""},
		{"connection", "", `set -- $SSH_CONNECTION; echo $# $1 $3:$4`, 0, "4 127.0.0.1 " + s.address + "\n", ""},
		{"no terminal", "", "test -t 0 || test -t 1 || test -t 2 || echo none", 0, "none\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := s.exec(tt.stdin, s.address, tt.command)
			if r.Status != tt.status || r.Stdout != tt.stdout || r.Stderr != tt.stderr {
				t.Errorf("got status %d, %d bytes of output, %d bytes of errors, want %d, %d, %d", r.Status, len(r.Stdout), len(r.Stderr), tt.status, len(tt.stdout), len(tt.stderr))
			}
		})
	}
}

func TestExecStdinFails(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	r := runReader(clitest.BrokenReader("data"), "ssh", "exec", "-i", s.identity, "-known-hosts", s.known, s.address, "cat")
	r.Want(t, 255, r.Stdout, "unimac ssh exec: standard input: broken\n")
}

// TestExecDefaults checks the default files of exec, and an agent.
func TestExecDefaults(t *testing.T) {
	s := startSite(t)
	home := filepath.Dir(s.identity)
	setHome(t, home)
	dot := filepath.Join(home, ".ssh")
	if err := os.Mkdir(dot, 0o700); err != nil {
		t.Fatal(err)
	}
	run := func() result { return runWith("", "ssh", "exec", s.address, "echo in") }
	if r := run(); r.Status != 255 {
		t.Errorf("exec without files: got status %d, want 255", r.Status)
	}
	if err := os.Rename(s.known, filepath.Join(dot, "known_hosts")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(s.identity, filepath.Join(dot, "id_ed25519")); err != nil {
		t.Fatal(err)
	}
	run().Want(t, 0, "in\n", "")
	// exec must not read this configuration.
	writeFile(t, filepath.Join(dot, "config"), "Host *\nPort 1\nUser somebody\nIdentityFile none\nProxyCommand false\n")
	run().Want(t, 0, "in\n", "")
	if err := os.Chmod(filepath.Join(dot, "id_ed25519"), 0o644); err != nil {
		t.Fatal(err)
	}
	run().Want(t, 255, "", "id_ed25519: mode 0644 lets others use the key; run chmod 600")
}

// TestServeProcess runs the server from the command line and interrupts it.
func TestServeProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeKey(t, filepath.Join(dir, "id"))
	hostPath := filepath.Join(dir, "config", "host_key")
	server := program(t, "ssh", "serve", "-listen", "127.0.0.1:0", "-mac", sshpatch.UMAC64ETM,
		"-authorized-keys", filepath.Join(dir, "id.pub"), "-host-key", hostPath)
	stdout, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := new(lockedBuffer)
	server.Stderr = stderr
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer server.Process.Kill()
	lines := bufio.NewReader(stdout)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var address, fingerprint string
	if _, err := fmt.Sscanf(line, "listening on %s with host key %s\n", &address, &fingerprint); err != nil {
		t.Fatalf("got first line %q, want the address and the host key: %v", line, err)
	}
	host, err := readSigner(hostPath)
	if err != nil || ssh.FingerprintSHA256(host.PublicKey()) != fingerprint {
		t.Fatalf("got a host key other than %s, error %v", fingerprint, err)
	}
	if info, err := os.Stat(hostPath); err != nil || info.Mode() != 0o600 {
		t.Errorf("host key: got mode %v, error %v, want 0600", info.Mode(), err)
	}
	known := writeFile(t, filepath.Join(dir, "known_hosts"), knownhosts.Line([]string{address}, host.PublicKey())+"\n")
	args := []string{"ssh", "exec", "-i", filepath.Join(dir, "id"), "-known-hosts", known, "-v"}
	runWith("", append(args, "-mac", sshpatch.UMAC64ETM, address, "echo in")...).Want(t, 0, "in\n", fmt.Sprintf("unimac ssh exec: %s: umac-64-etm@openssh.com, aes128-ctr\n", address))
	runWith("", append(args, "-mac", sshpatch.UMAC128, "-cipher", "aes128-ctr", address, "echo in")...).Want(t, 255, "", "no common algorithm")
	if !eventually(func() bool { return strings.Contains(stderr.String(), "no common algorithm") }) {
		t.Errorf("server: got stderr %q, want no common algorithm", stderr.String())
	}
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(lines)
	if err != nil || !strings.Contains(string(rest), sshpatch.UMAC64ETM) {
		t.Errorf("server: got output %q, error %v, want the MAC of the login", rest, err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("server: got %v after SIGINT, want success", err)
	}
	if got := stderr.String(); !strings.HasPrefix(got, "unimac ssh serve: 20") || strings.Count(got, "\n") != 1 || !strings.Contains(got, "no common algorithm") {
		t.Errorf("server: got stderr %q, want one line", got)
	}
}
