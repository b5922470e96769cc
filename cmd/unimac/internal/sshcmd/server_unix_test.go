// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package sshcmd

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/unimac/unimac/cmd/unimac/internal/cli/clitest"
	"github.com/unimac/unimac/internal/mactest"
)

var program = clitest.Program

// A serverProcess is a server in a new process, with the files of a site.
type serverProcess struct {
	site
	cmd *exec.Cmd
}

// startServer starts a server from the command line. If stderr is nil, its output after
// the first line is discarded.
func startServer(t *testing.T, stderr io.Writer, args ...string) *serverProcess {
	t.Helper()
	return startServerFrom(t, `exec "$@"`, stderr, args...)
}

// startServerFrom is like startServer with a shell script, in which "$@" is the server.
func startServerFrom(t *testing.T, script string, stderr io.Writer, args ...string) *serverProcess {
	t.Helper()
	dir := t.TempDir()
	s := &serverProcess{site: site{
		identity: filepath.Join(dir, "id"), authorized: filepath.Join(dir, "id.pub"), known: filepath.Join(dir, "known_hosts"),
	}}
	s.user = writeKey(t, s.identity)
	hostPath := filepath.Join(dir, "host_key")
	s.cmd = clitest.ViaShell(t, script, append([]string{"ssh", "serve", "-listen", "127.0.0.1:0", "-authorized-keys", s.authorized, "-host-key", hostPath}, args...)...)
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.cmd.Stderr = stderr
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		s.cmd.Wait()
	})
	lines := bufio.NewReader(stdout)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(line, "listening on %s with", &s.address); err != nil {
		t.Fatalf("got first line %q, want the address: %v", line, err)
	}
	go io.Copy(io.Discard, lines)
	if s.host, err = readSigner(hostPath); err != nil {
		t.Fatal(err)
	}
	writeFile(t, s.known, knownhosts.Line([]string{s.address}, s.host.PublicKey())+"\n")
	return s
}

// end sends a signal to the server and fails the test if the server does not end.
func (s *serverProcess) end(t *testing.T, sig os.Signal) {
	t.Helper()
	s.cmd.Process.Signal(sig)
	ended := make(chan struct{})
	go func() {
		s.cmd.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(soon):
		t.Errorf("the server did not end on %v", sig)
	}
}

// TestOutputUnread makes many connections to a server whose standard error is a full
// pipe.
func TestOutputUnread(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s := startServer(t, w)
	w.Close()
	rounds := 3000
	if testing.Short() {
		rounds = 700 // each causes a line of more than 100 bytes; a pipe holds 64 KiB
	}
	for range rounds {
		conn, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		conn.Write([]byte("no SSH\r\n\r\n"))
		conn.Close()
	}
	s.exec("", s.address, "echo in").Want(t, 0, "in\n", "")
	s.end(t, syscall.SIGTERM)
}

// TestManyHalfOpen measures the memory of a server with 1000 clients that are idle or
// in the middle of the handshake.
func TestManyHalfOpen(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("/proc is missing")
	}
	s := startServer(t, nil)
	for i := range 1000 {
		conn, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if i%2 == 0 {
			io.WriteString(conn, "SSH-2.0-half\r\n")
		}
	}
	s.exec("", s.address, "echo in").Want(t, 0, "in\n", "")
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if m == nil {
		t.Fatalf("/proc/PID/status has no VmHWM:\n%s", status)
	}
	peak, err := strconv.Atoi(string(m[1]))
	if err != nil || peak >= 64<<10 && !mactest.RaceDetector {
		t.Errorf("the server used %d KiB, error %v, want less than 64 MiB", peak, err)
	}
	t.Logf("the server used %d KiB", peak)
}

// TestCommandsEndWithServer ends the server by each signal while commands run with and
// without a terminal.
func TestCommandsEndWithServer(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		s := startServer(t, nil)
		var pids []int
		for _, terminal := range []bool{false, true} {
			pids = append(pids, startPrintingPID(t, s.dial(t), terminal, "echo $$; exec sleep 1000"))
		}
		s.end(t, sig)
		for _, pid := range pids {
			if !eventually(func() bool { return !alive(pid) }) {
				t.Errorf("%v: a command continues after the server's end", sig)
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
}

// TestOwnSession checks that a command runs in its own session and cannot access the
// server's terminal.
func TestOwnSession(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	r := s.exec("", s.address, "set -- $(cut -d ' ' -f 1,6 /proc/$$/stat); [ $1 = $2 ] && ! (: </dev/tty) 2>/dev/null && echo own")
	r.Want(t, 0, "own\n", "")
}

// TestVariables checks which of the client's variables a command receives.
func TestVariables(t *testing.T) {
	me, err := currentUser()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"TMUX", "SSH_ASKPASS", "NOTIFY_SOCKET", "COLUMNS", "LINES", "TERM", "LD_PRELOAD_", "SSH_X"} {
		t.Setenv(name, "the server's own")
	}
	for _, name := range []string{"TZ", "MAIL", "LC_X", "LC_Y", "LANG"} {
		t.Setenv(name, "kept")
	}
	os.Unsetenv("USER")
	t.Setenv("LOGNAME", "kept")
	for _, name := range []string{"SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "SSH_ORIGINAL_COMMAND", "SSH_AUTH_SOCK", "SSH_AGENT_PID"} {
		t.Setenv(name, "the server's own")
	}
	s := startSite(t)
	session, err := s.dial(t).NewSession()
	if err != nil {
		t.Fatal(err)
	}
	for name, ok := range map[string]bool{
		"LANG": true, "LC_ALL": true, "LC_X": true, "COLORTERM": true, "TERM": true,
		"LD_PRELOAD": false, "PATH": false, "BASH_ENV": false, "ENV": false, "SSH_CONNECTION": false, "SSH_AUTH_SOCK": false,
		"LC_=": false, "": false, "lang": false, "LANGUAGE": false,
	} {
		if err := session.Setenv(name, "of the client"); (err == nil) != ok {
			t.Errorf("setting %q: got error %v, want success %t", name, err, ok)
		}
	}
	out, err := session.Output("env")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"LANG=of the client\n", "LC_X=of the client\n", "TERM=of the client\n", "LC_Y=kept\n", "TZ=kept\n", "MAIL=kept\n", "LOGNAME=kept\n",
		"USER=" + me + "\n", "SHELL=/bin/sh\n", "HOME=" + os.Getenv("HOME") + "\n", "PATH=" + os.Getenv("PATH") + "\n",
	} {
		if !strings.Contains(string(out), line) {
			t.Errorf("the environment lacks %q:\n%s", line, out)
		}
	}
	if strings.Contains(string(out), "own\n") || strings.Count(string(out), "SSH_CONNECTION=") != 1 || !strings.Contains(string(out), "\nSSH_CLIENT=127.0.0.1 ") {
		t.Errorf("got the client's values of variables that describe the connection:\n%s", out)
	}

	// Variables that describe the connection come last and override others.
	e := &environment{client: []string{"SSH_CONNECTION=client"}, connection: []string{"SSH_CONNECTION=server"}}
	if all := e.all(); all[len(all)-1] != "SSH_CONNECTION=server" {
		t.Errorf("got variables %q, want the server's SSH_CONNECTION last", all)
	}
	e = newEnvironment(&net.TCPAddr{}, &net.TCPAddr{})
	for i := range maxVariables/64 + 1 {
		if err := e.set("LC_ALL", strings.Repeat("x", 64-len("LC_ALL"))); (err == nil) != (i < maxVariables/64) {
			t.Errorf("variable %d: got error %v, want one only above the limit", i, err)
		}
	}
	e = newEnvironment(&net.TCPAddr{}, &net.TCPAddr{})
	if e.set("LANG", strings.Repeat("x", maxVariables)) == nil || e.set("LANG", "a\x00b") == nil {
		t.Error("setting a variable with a long value or a zero byte: got no error")
	}
}

// TestBackgroundServer starts the server like a script's background process, which
// ignores SIGINT and SIGQUIT. The server's commands must not ignore these signals.
func TestBackgroundServer(t *testing.T) {
	t.Parallel()
	s := startServerFrom(t, `"$@" & trap 'kill $!' TERM; wait`, nil)
	defer s.end(t, syscall.SIGTERM)
	for _, name := range []string{"INT", "QUIT"} {
		s.exec("", s.address, "kill -"+name+" $$; sleep 10; echo ignored").Want(t, 128+map[string]int{"INT": 2, "QUIT": 3}[name], "", "")
	}
	session, err := s.dial(t).NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if err := session.RequestPty("vt100", 24, 80, nil); err != nil {
		t.Fatal(err)
	}
	stdin, stdout := pipes(t, session)
	if err := session.Start("echo; exec sleep 1000"); err != nil {
		t.Fatal(err)
	}
	io.ReadFull(stdout, make([]byte, 1))
	io.WriteString(stdin, "\x03")
	go io.Copy(io.Discard, stdout)
	if exit, ok := session.Wait().(*ssh.ExitError); !ok || exit.Signal() != "INT" {
		t.Errorf("^C: got %v, want an end by SIGINT", exit)
	}
}

// TestTenSessions opens more sessions than a connection may have, and opens others
// after some have ended.
func TestTenSessions(t *testing.T) {
	t.Parallel()
	client := startSite(t).dial(t)
	for range 2 {
		var open []*ssh.Session
		for i := range 12 {
			session, err := client.NewSession()
			if (err == nil) != (i < 10) {
				t.Fatalf("session %d: got error %v, want success only for 10 sessions", i+1, err)
			}
			if err == nil {
				open = append(open, session)
			}
		}
		for _, session := range open {
			session.Close()
		}
		if !eventually(func() bool {
			session, err := client.NewSession()
			if err == nil {
				session.Close()
			}
			return err == nil
		}) {
			t.Fatal("ended sessions still count towards the limit")
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// TestServerAlgorithms offers broken algorithms to the server.
func TestServerAlgorithms(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	config, err := Config(allMACs(), allCiphers())
	if err != nil {
		t.Fatal(err)
	}
	for _, kex := range ssh.InsecureAlgorithms().KeyExchanges {
		config.KeyExchanges = []string{kex}
		_, err := ssh.Dial("tcp", s.address, &ssh.ClientConfig{Config: config, HostKeyCallback: ssh.InsecureIgnoreHostKey()})
		if err == nil || !strings.Contains(err.Error(), "no common algorithm for key exchange") {
			t.Errorf("%s: got error %v, want no common algorithm", kex, err)
		}
	}
}

// TestRSAKey checks that clients and servers use RSA keys only with SHA-2.
func TestRSAKey(t *testing.T) {
	t.Parallel()
	keygen := find(t, "ssh-keygen")
	path := filepath.Join(t.TempDir(), "rsa")
	if out, err := exec.Command(keygen, "-q", "-b", "1024", "-t", "rsa", "-N", "", "-f", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	signer, err := readSigner(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := signer.(ssh.AlgorithmSigner).SignWithAlgorithm(nil, nil, ssh.KeyAlgoRSA); err == nil {
		t.Error("signing with SHA-1: got no error")
	}
}
