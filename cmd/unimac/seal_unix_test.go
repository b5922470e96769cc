// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"github.com/unimac/unimac/cmd/unimac/internal/cli/clitest"
)

// TestSealInterrupted ends seal by signals. No file may be left, and a shell must see
// the signal.
func TestSealInterrupted(t *testing.T) {
	workIn(t)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if signal.Ignored(sig) {
			continue // ignored, as under nohup, so it has no effect
		}
		cmd := program(t, "seal", "-k", "key", "-o", "out")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if !clitest.Eventually(func() bool { entries, _ := os.ReadDir("."); return len(entries) == 2 }) {
			t.Fatal("seal created no temporary file")
		}
		cmd.Process.Signal(sig)
		err = cmd.Wait()
		stdin.Close()
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			t.Fatal(err)
		}
		if status := exit.Sys().(syscall.WaitStatus); sig != syscall.SIGQUIT && (!status.Signaled() || status.Signal() != sig) ||
			sig == syscall.SIGQUIT && status.ExitStatus() != 128+3 || stderr.Len() > 0 {
			t.Errorf("%v: got %v, stderr %q, want an end by the signal and no message", sig, err, &stderr)
		}
		wantFiles(t, "key")
	}
}

// dialogue runs the program on a new terminal and types an answer at each prompt. It
// returns what the terminal shows and the exit status.
func dialogue(t *testing.T, answers []string, args ...string) (shown string, status int) {
	t.Helper()
	cmd := program(t, args...)
	terminal, tty, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer terminal.Close()
	echo, err := term.GetState(int(tty.Fd())) // before the program changes it
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close() // so that the terminal is closed when the program ends
	timer := time.AfterFunc(clitest.Patience, func() { cmd.Process.Kill() })
	defer timer.Stop()
	var all bytes.Buffer
	buf := make([]byte, 4096)
	for prompts := 0; ; {
		n, err := terminal.Read(buf)
		all.Write(buf[:n])
		if err != nil {
			break // the program has ended
		}
		if strings.Count(all.String(), "assphrase") > prompts && strings.HasSuffix(all.String(), ": ") && prompts < len(answers) {
			if !clitest.Eventually(func() bool {
				now, err := term.GetState(int(terminal.Fd()))
				return err != nil || *now != *echo
			}) {
				t.Error("the program did not turn off the echo")
			}
			io.WriteString(terminal, answers[prompts])
			prompts++
		}
	}
	cmd.Wait()
	return all.String(), cmd.ProcessState.ExitCode()
}

func TestAskPassphrase(t *testing.T) {
	workIn(t)
	writeFile(t, "file", "content")
	writeFile(t, "pass", "secret words")
	for _, tt := range []struct {
		answers []string
		args    string
		status  int
		want    string
	}{
		{[]string{"secret words\n", "secret words\n"}, "seal -p -o sealed file", 0, "Passphrase: \r\nPassphrase again: \r\n"},
		{[]string{"secret words\n"}, "open -p -o opened sealed", 0, "Passphrase: \r\n"},
		{[]string{"other words\n"}, "open -p -o no sealed", 1, "wrong passphrase or -context, or the file is damaged"},
		{[]string{"secret words\n", "secret word\n"}, "seal -p -o no file", 1, "unimac seal: the passphrases differ\r\n"},
		{[]string{"\n"}, "seal -p -o no file", 1, "unimac seal: the passphrase is empty\r\n"},
		{[]string{"\x04"}, "seal -p -o no file", 1, "unimac seal: the passphrase is empty\r\n"},
		{[]string{"secret words\x04"}, "open -p -f -o opened sealed", 0, "Passphrase: \r\n"},
		{[]string{"secret words\n", "\x04"}, "seal -p -o no file", 1, "unimac seal: the passphrases differ\r\n"},
		{[]string{"\x03"}, "seal -p -o no file", -1, "Passphrase: "},
		{[]string{"key words\n", "key words\n"}, "keygen -p locked", 0, "Passphrase: \r\nPassphrase again: \r\n"},
		{[]string{"key words\n", "key word\n"}, "keygen -p no", 1, "unimac keygen: the passphrases differ\r\n"},
		{[]string{"key words\n"}, "sum -k locked file", 0, "Passphrase of locked: \r\numac-128 (file) nonce="},
		{[]string{"other words\n"}, "sum -k locked file", 1, "unimac sum: locked: wrong passphrase"},
		{nil, "seal -p -o sealed file", 1, "unimac seal: sealed: exists already"},
		{nil, "seal -k key file", 1, "unimac seal: standard output is a terminal, and"},
	} {
		shown, status := dialogue(t, tt.answers, strings.Fields(tt.args)...)
		if status != tt.status || !strings.Contains(shown, tt.want) || strings.Contains(shown, "words") {
			t.Errorf("%s: got status %d and %q on the terminal, want %d, %q and no passphrase", tt.args, status, shown, tt.status, tt.want)
		}
	}
	wantContent(t, "opened", "content")
	runWith("", "open", "-passphrase-file", "pass", "sealed").Want(t, 0, "content", "")
	wantFiles(t, "file", "key", "locked", "opened", "pass", "sealed")
}

// TestAskPassphraseEcho checks that the echo is restored after a signal.
func TestAskPassphraseEcho(t *testing.T) {
	workIn(t)
	cmd := program(t, "seal", "-p")
	cmd.Stdout = io.Discard // not a terminal
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
	cmd.Stdin = tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(clitest.Patience, func() { cmd.Process.Kill() })
	defer timer.Stop()
	if !clitest.Eventually(func() bool {
		now, err := term.GetState(int(tty.Fd()))
		return err != nil || *now != *before
	}) {
		t.Error("the program did not turn off the echo")
	}
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	if after, err := term.GetState(int(tty.Fd())); err != nil || *after != *before {
		t.Errorf("the terminal's modes were not restored: error %v", err)
	}
}

// TestNoTerminal runs the program without a controlling terminal.
func TestNoTerminal(t *testing.T) {
	workIn(t)
	cmd := program(t, "seal", "-p")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.Run()
	if got := stderr.String(); got != "unimac seal: no terminal to ask for the passphrase; give it in a file with -passphrase-file\n" {
		t.Errorf("got stderr %q", got)
	}
}
