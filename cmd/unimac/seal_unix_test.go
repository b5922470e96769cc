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
)

// TestSealInterrupted ends seal by signals: each leaves nothing behind, and is
// what a shell sees.
func TestSealInterrupted(t *testing.T) {
	workIn(t)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(sig) {
			continue // as under nohup, and then it does nothing here
		}
		cmd := program(t, "seal", "-k", "key", "-o", "out")
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			if entries, _ := os.ReadDir("."); len(entries) == 2 {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("no temporary file")
			}
		}
		cmd.Process.Signal(sig)
		err = cmd.Wait()
		stdin.Close()
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			t.Fatal(err)
		}
		if status := exit.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != sig {
			t.Errorf("%v: %v", sig, err)
		}
		wantFiles(t, "key")
	}
}

// TestProgress shows the bar on a terminal, and nothing elsewhere.
func TestProgress(t *testing.T) {
	workIn(t)
	writeFile(t, "file", strings.Repeat("content", 1<<20))
	for _, args := range [][]string{
		{"seal", "-k", "key", "-o", "sealed", "file"},
		{"open", "-k", "key", "-o", "opened", "sealed"},
		{"open", "-k", "key", "sealed"},
	} {
		terminal, stderr, err := pty.Open()
		if err != nil {
			t.Skip(err)
		}
		pty.Setsize(terminal, &pty.Winsize{Rows: 24, Cols: 100})
		shown := make(chan string)
		go func() {
			var b bytes.Buffer
			io.Copy(&b, terminal) // until an error: the other side was closed
			shown <- b.String()
		}()
		cmd := program(t, args...)
		cmd.Stdout, cmd.Stderr = io.Discard, stderr
		err = cmd.Run()
		stderr.Close()
		got := <-shown
		terminal.Close()
		if err != nil || !strings.Contains(got, "100%") || !strings.Contains(got, "/s") || !strings.HasSuffix(got, "\n") {
			t.Errorf("%q: %v; the terminal shows %q", args, err, got)
		}
	}
	wantContent(t, "opened", strings.Repeat("content", 1<<20))
}
