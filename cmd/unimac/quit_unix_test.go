// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"github.com/unimac/unimac/cmd/unimac/internal/cli/clitest"
)

// TestQuit sends SIGQUIT (Ctrl-\\) to commands that have nothing to clean up. They must
// not print their goroutines.
func TestQuit(t *testing.T) {
	workIn(t)
	if err := syscall.Mkfifo("fifo", 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"sum", "open", "check"} {
		cmd := program(t, command, "-k", "key", "fifo")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		fifo, err := os.OpenFile("fifo", os.O_WRONLY, 0) // waits until the program opens it
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(fifo, "secret content")
		time.Sleep(20 * time.Millisecond) // until the program has read it
		cmd.Process.Signal(syscall.SIGQUIT)
		cmd.Wait()
		fifo.Close()
		if status := cmd.ProcessState.ExitCode(); status != 128+3 || stderr.Len() > 0 {
			t.Errorf("%q: got status %d, stderr %q, want %d and no message", cmd.Args, status, &stderr, 128+3)
		}
	}
	wantFiles(t, "fifo", "key")
}

// TestStopAtPassphrase types Ctrl-Z at the prompt. The program must not stop, because
// the terminal would then have no echo.
func TestStopAtPassphrase(t *testing.T) {
	workIn(t)
	writeFile(t, "file", "content")
	terminal, tty, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer terminal.Close()
	defer tty.Close()
	echo, err := term.GetState(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	hasEcho := func() bool {
		now, err := term.GetState(int(tty.Fd()))
		return err == nil && *now == *echo
	}
	var shown clitest.Buffer
	// With job control, the shell continues when the program stops.
	cmd := clitest.ViaShell(t, `set -m; "$@" || exit`, "seal", "-p", "-o", "sealed", "file")
	cmd.Stdin = tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(clitest.Patience, func() { cmd.Process.Kill() })
	defer timer.Stop()
	wait := func(what string, f func() bool) {
		t.Helper()
		if !clitest.Eventually(f) {
			t.Fatal(what)
		}
	}
	ended := make(chan struct{})
	go func() {
		io.Copy(&shown, terminal)
		close(ended)
	}()
	wait("the echo stays", func() bool { return !hasEcho() })
	io.WriteString(terminal, "\x1a") // Ctrl-Z
	io.WriteString(terminal, "secret words\n")
	wait("no second prompt", func() bool { return strings.Contains(shown.String(), "again: ") && !hasEcho() })
	io.WriteString(terminal, "secret words\n")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	tty.Close()
	terminal.Close()
	<-ended
	if strings.Contains(shown.String(), "words") {
		t.Errorf("the terminal shows the passphrase: %q", shown.String())
	}
	writeFile(t, "pass", "secret words")
	runWith("", "open", "-passphrase-file", "pass", "sealed").Want(t, 0, "content", "")
}
