// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package sshcmd

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// A screen is a terminal in which a command runs.
type screen struct {
	*os.File
	echo  *term.State // before the command
	shown lockedBuffer
	cmd   *exec.Cmd
	ended chan struct{}
}

// onScreen starts a command in a terminal of 77 columns and 33 rows.
func onScreen(t *testing.T, cmd *exec.Cmd) *screen {
	t.Helper()
	terminal, tty, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer tty.Close()
	echo, err := term.GetState(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(terminal, &pty.Winsize{Cols: 77, Rows: 33}); err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &screen{File: terminal, echo: echo, cmd: cmd, ended: make(chan struct{})}
	go func() {
		io.Copy(&s.shown, terminal)
		cmd.Wait()
		close(s.ended)
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-s.ended
		terminal.Close()
	})
	return s
}

// waitFor waits until the terminal shows a text.
func (s *screen) waitFor(t *testing.T, text string) {
	t.Helper()
	if !eventually(func() bool { return strings.Contains(s.shown.String(), text) }) {
		t.Fatalf("the terminal does not show %q, but %q", text, s.shown.String())
	}
}

// status waits for the end of the command.
func (s *screen) status(t *testing.T) int {
	t.Helper()
	select {
	case <-s.ended:
	case <-time.After(soon):
		t.Fatalf("the command does not end; the terminal shows %q", s.shown.String())
	}
	return s.cmd.ProcessState.ExitCode()
}

// TestExecShell has a shell in a terminal.
func TestExecShell(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	cmd := program(t, "ssh", "exec", "-i", s.identity, "-known-hosts", s.known, s.address)
	cmd.Env = append(cmd.Env, "TERM=vt220")
	scr := onScreen(t, cmd)
	io.WriteString(scr, "stty size; echo $TERM-$((6*7))\n")
	scr.waitFor(t, "33 77")
	scr.waitFor(t, "vt220-42")
	if err := pty.Setsize(scr.File, &pty.Winsize{Cols: 88, Rows: 44}); err != nil {
		t.Fatal(err)
	}
	if !eventually(func() bool {
		io.WriteString(scr, "stty size\n")
		return strings.Contains(scr.shown.String(), "44 88")
	}) {
		t.Error("the size does not change")
	}
	io.WriteString(scr, "trap 'echo was $((40+1))' INT; cat\nmeow\n")
	if !eventually(func() bool { return strings.Count(scr.shown.String(), "meow") == 2 }) { // cat's is the second
		t.Errorf("cat does not run; the terminal shows %q", scr.shown.String())
	}
	io.WriteString(scr, "\x03") // ends cat alone, and drops what was typed
	scr.waitFor(t, "was 41")
	io.WriteString(scr, "echo still $((40+2))\n")
	scr.waitFor(t, "still 42")
	io.WriteString(scr, "exit 9\n")
	if status := scr.status(t); status != 9 {
		t.Errorf("status %d, the terminal shows %q", status, scr.shown.String())
	}
	// Without a terminal, and without a command, it is a shell all the same.
	s.exec("echo in; exit 8\n", s.address).Want(t, 8, "in\n", "")
	// A command in a terminal, if asked for.
	scr = onScreen(t, program(t, "ssh", "exec", "-t", "-i", s.identity, "-known-hosts", s.known, s.address, "test -t 0 && exit 7"))
	if status := scr.status(t); status != 7 {
		t.Errorf("status %d, the terminal shows %q", status, scr.shown.String())
	}
}

// TestExecRestores ends a shell by a signal. The terminal is as it was.
func TestExecRestores(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	terminal, tty, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer terminal.Close()
	defer tty.Close()
	before, err := term.GetState(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGQUIT} {
		cmd := program(t, "ssh", "exec", "-i", s.identity, "-known-hosts", s.known, s.address)
		cmd.Stdin, cmd.Stdout = tty, tty
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if !eventually(func() bool {
			now, err := term.GetState(int(tty.Fd()))
			return err == nil && *now != *before
		}) {
			t.Error("the terminal is not raw")
		}
		cmd.Process.Signal(sig)
		cmd.Wait()
		if after, err := term.GetState(int(tty.Fd())); err != nil || *after != *before {
			t.Errorf("%v: the terminal is not as it was: %v", sig, err)
		}
	}
}

// TestServerStops has a server that stops to answer after the login.
func TestServerStops(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for more than a second")
	}
	s := startServer(t, nil)
	begin := time.Now()
	s.exec("", s.address, "echo in").Want(t, 0, "in\n", "")
	timeout := max(300*time.Millisecond, 10*time.Since(begin)) // of a machine that may be slow
	started := make(chan struct{})
	var once sync.Once
	out := writerFunc(func(p []byte) (int, error) {
		once.Do(func() { close(started) })
		return len(p), nil
	})
	cmd := program(t, "ssh", "exec", "-timeout", timeout.String(), "-i", s.identity, "-known-hosts", s.known, s.address, "echo in; sleep 600")
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = out, &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-started
	time.Sleep(timeout * 5 / 2) // one that answers goes on
	s.cmd.Process.Signal(syscall.SIGSTOP)
	defer s.cmd.Process.Signal(syscall.SIGCONT)
	timer := time.AfterFunc(soon, func() { cmd.Process.Kill() })
	defer timer.Stop()
	cmd.Wait()
	if cmd.ProcessState.ExitCode() != 255 || !strings.Contains(stderr.String(), fmt.Sprintf("does not answer: nothing came for %v\n", timeout)) {
		t.Errorf("status %d, %s", cmd.ProcessState.ExitCode(), &stderr)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestServeNewcomer has an empty home: the server makes its key, and says which
// commands make it work. They do.
func TestServeNewcomer(t *testing.T) {
	find(t, "ssh-keygen")
	home := t.TempDir()
	setHome(t, home)
	r := runWith("", "ssh", "serve", "-listen", "127.0.0.1:0")
	r.Want(t, 1, "", "unimac ssh serve: "+home+"/.ssh/authorized_keys: no such file or directory")
	if _, err := readSigner(filepath.Join(home, ".config", "unimac", "ssh_host_ed25519_key")); err != nil {
		t.Errorf("the host key: %v", err)
	}
	var script []string
	for line := range strings.Lines(r.Stderr) {
		if command, ok := strings.CutPrefix(line, "\t"); ok {
			script = append(script, command)
		}
	}
	if len(script) != 2 {
		t.Fatalf("%d commands in %s", len(script), r.Stderr)
	}
	runs(t, exec.Command("sh", "-c", "umask 002; set -e\n"+strings.Join(script, "")), true)
	list, err := authorizedKeys(filepath.Join(home, ".ssh", "authorized_keys")).read()
	if err != nil || len(list.lines) != 1 || list.idle != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}
