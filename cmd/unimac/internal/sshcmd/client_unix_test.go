// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package sshcmd

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestServerStops connects to a server that stops answering after the login.
func TestServerStops(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the timeout takes more than a second")
	}
	s := startServer(t, nil)
	begin := time.Now()
	s.exec("", s.address, "echo in").Want(t, 0, "in\n", "")
	timeout := max(300*time.Millisecond, 10*time.Since(begin)) // allow for slow machines
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
	time.Sleep(timeout * 5 / 2) // the command continues while the server answers
	s.cmd.Process.Signal(syscall.SIGSTOP)
	defer s.cmd.Process.Signal(syscall.SIGCONT)
	timer := time.AfterFunc(soon, func() { cmd.Process.Kill() })
	defer timer.Stop()
	cmd.Wait()
	if cmd.ProcessState.ExitCode() != 255 || !strings.Contains(stderr.String(), fmt.Sprintf("does not answer: received nothing for %v\n", timeout)) {
		t.Errorf("got status %d, stderr %q, want 255 and a timeout of %v", cmd.ProcessState.ExitCode(), &stderr, timeout)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestServeNewcomer starts the server with an empty home. It must create its host key
// and print commands that authorize a key. The test runs these commands.
func TestServeNewcomer(t *testing.T) {
	find(t, "ssh-keygen")
	home := t.TempDir()
	setHome(t, home)
	r := runWith("", "ssh", "serve", "-listen", "127.0.0.1:0")
	r.Want(t, 1, "", "unimac ssh serve: "+home+"/.ssh/authorized_keys: no such file or directory")
	if _, err := readSigner(filepath.Join(home, ".config", "unimac", "ssh_host_ed25519_key")); err != nil {
		t.Errorf("reading the new host key: %v", err)
	}
	var script []string
	for line := range strings.Lines(r.Stderr) {
		if command, ok := strings.CutPrefix(line, "\t"); ok {
			script = append(script, command)
		}
	}
	if len(script) != 2 {
		t.Fatalf("got %d commands, want 2, in %s", len(script), r.Stderr)
	}
	runs(t, exec.Command("sh", "-c", "umask 002; set -e\n"+strings.Join(script, "")), true)
	list, err := authorizedKeys(filepath.Join(home, ".ssh", "authorized_keys")).read()
	if err != nil || len(list.lines) != 1 || list.unusable != 0 {
		t.Errorf("got authorized keys %+v, error %v, want one valid line", list, err)
	}
}
