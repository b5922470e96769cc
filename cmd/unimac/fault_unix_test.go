// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/unimac/unimac/cmd/unimac/internal/cli/clitest"
	"github.com/unimac/unimac/internal/vectors"
)

// processResult describes how a process of the program ended.
type processResult struct {
	result
	signal syscall.Signal // signal that ended it, or 0
}

// finish runs a process and waits for its end. If the process does not end in time, the
// test fails.
func finish(t *testing.T, cmd *exec.Cmd) processResult {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &stdout
	}
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(clitest.Patience, func() { cmd.Process.Kill() })
	err := cmd.Wait()
	if !timer.Stop() {
		t.Fatalf("%q did not end in time", cmd.Args)
	}
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	r := processResult{result: result{Status: cmd.ProcessState.ExitCode(), Stdout: stdout.String(), Stderr: stderr.String()}}
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		r.signal = status.Signal()
	}
	return r
}

// viaShell returns a command that runs a shell script, in which "$@" is the program
// with args.
func viaShell(t *testing.T, script, args string) *exec.Cmd {
	t.Helper()
	return clitest.ViaShell(t, script, strings.Fields(args)...)
}

// workInFaults creates a folder with a key, a file, its sealed form, a list of its tag,
// and another file.
func workInFaults(t *testing.T) (content, sealed string) {
	t.Helper()
	workIn(t)
	content = string(vectors.Pattern(3 << 20))
	writeFile(t, "content", content)
	writeFile(t, "there", "before")
	if err := os.Mkdir("dir", 0o700); err != nil {
		t.Fatal(err)
	}
	runWith("", "seal", "-k", "key", "-o", "sealed", "content").Want(t, 0, "", "")
	writeFile(t, "list", runWith("", "sum", "-k", "key", "content").Stdout)
	data, err := os.ReadFile("sealed")
	if err != nil {
		t.Fatal(err)
	}
	return content, string(data)
}

// wantUntouched fails the test if the files that workInFaults created have changed.
func wantUntouched(t *testing.T, content, sealed string, more ...string) {
	t.Helper()
	wantFiles(t, append([]string{"content", "dir", "key", "list", "sealed", "there"}, more...)...)
	wantContent(t, "key", testKey)
	wantContent(t, "content", content)
	wantContent(t, "sealed", sealed)
	wantContent(t, "there", "before")
	if entries, err := os.ReadDir("dir"); err != nil || len(entries) > 0 {
		t.Errorf("the folder dir has %d entries, error %v, want 0 entries", len(entries), err)
	}
}

// toStdout lists the commands that write to standard output.
var toStdout = []string{"seal -k key content", "open -k key sealed", "sum -k key content", "check -k key list", "-h", "seal -h"}

// nameOf returns the prefix of the messages of a command.
func nameOf(args string) string {
	if name, _, _ := strings.Cut(args, " "); name != "-h" {
		return "unimac " + name
	}
	return "unimac"
}

// TestStdoutFaults runs commands whose standard output is full, has no reader, or is
// closed.
func TestStdoutFaults(t *testing.T) {
	content, sealed := workInFaults(t)
	for _, args := range toStdout {
		t.Run(args, func(t *testing.T) {
			if runtime.GOOS == "linux" || runtime.GOOS == "freebsd" || runtime.GOOS == "netbsd" {
				r := finish(t, viaShell(t, `exec "$@" >/dev/full`, args))
				if want := nameOf(args) + ": standard output: no space left on device\n"; r.Status != 1 || r.Stderr != want {
					t.Errorf("full standard output: got status %d, stderr %q, want 1, %q", r.Status, r.Stderr, want)
				}
			}

			reader, writer, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			reader.Close()
			defer writer.Close()
			// It ends by SIGPIPE as other programs do, for which a shell prints
			// nothing.
			cmd := program(t, strings.Fields(args)...)
			cmd.Stdout = writer
			if r := finish(t, cmd); r.signal != syscall.SIGPIPE || r.Stderr != "" {
				t.Errorf("standard output without a reader: got status %d, signal %v, stderr %q, want SIGPIPE and no message", r.Status, r.signal, r.Stderr)
			}

			// The Go runtime opens the null device in place of a closed stream. A
			// program cannot distinguish it from a null device that the user chose.
			if r := finish(t, viaShell(t, `exec "$@" >&-`, args)); r.Status != 0 || r.Stdout+r.Stderr != "" {
				t.Errorf("closed standard output: got status %d, stdout %q, stderr %q, want 0 and no output", r.Status, r.Stdout, r.Stderr)
			}
		})
	}
	// If output cannot be read, the status must report the result.
	writeFile(t, "wrong", strings.Replace(runWith("", "sum", "-k", "key", "there").Stdout, "(there)", "(content)", 1))
	if r := finish(t, viaShell(t, `exec "$@" >&- 2>&-`, "check -k key wrong")); r.Status != 1 {
		t.Errorf("check of a wrong tag with closed streams: got status %d, want 1", r.Status)
	}
	os.Remove("wrong")
	// No output file gets the descriptor of a closed stream, and with it the data for
	// that stream.
	for _, args := range []string{"seal -k key -o out content", "open -k key -o out sealed", "keygen out"} {
		if r := finish(t, viaShell(t, `exec "$@" <&- >&- 2>&-`, args)); r.Status != 0 {
			t.Errorf("%s with closed streams: got status %d, want 0", args, r.Status)
		}
		switch nameOf(args) {
		case "unimac seal":
			runWith("", "open", "-k", "key", "out").Want(t, 0, content, "")
		case "unimac open":
			wantContent(t, "out", content)
		default:
			runWith("", "sum", "-k", "out", "there").Want(t, 0, "umac-128", "")
		}
		os.Remove("out")
	}
	wantUntouched(t, content, sealed)
}

// TestStderrGone runs commands whose standard error has no reader. Writing a message
// ends the program, so the temporary file must have been removed before.
func TestStderrGone(t *testing.T) {
	content, sealed := workInFaults(t)
	damaged := []byte(sealed)
	damaged[len(damaged)/2] ^= 1
	writeFile(t, "damaged", string(damaged))
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	defer writer.Close()
	for _, args := range []string{"open -k key -o out damaged", "open -k key -f -o there damaged", "seal -k key -o there content", "keygen key"} {
		cmd := program(t, strings.Fields(args)...)
		cmd.Stderr = writer
		cmd.Run()
		if cmd.ProcessState.Success() {
			t.Errorf("%s: got success, want a failure", args)
		}
		wantUntouched(t, content, sealed, "damaged")
	}
}

// TestFileSizeLimit sets a limit on the size of files, which the system also reports by
// a signal.
func TestFileSizeLimit(t *testing.T) {
	content, sealed := workInFaults(t)
	for _, tt := range []struct{ script, args, stderr string }{
		{`ulimit -f 1; exec "$@"`, "seal -k key -o out content", "unimac seal: out: file too large\n"},
		{`ulimit -f 1; exec "$@"`, "seal -k key -f -o there content", "unimac seal: there: file too large\n"},
		{`ulimit -f 1; exec "$@"`, "open -k key -o out sealed", "unimac open: out: file too large\n"},
		{`ulimit -f 1; exec "$@"`, "open -k key -f -o there sealed", "unimac open: there: file too large\n"},
		{`ulimit -f 0; exec "$@"`, "keygen out", "unimac keygen: out: file too large\n"},
		{`ulimit -f 0; exec "$@" >>dir/out`, "sum -k key content", "unimac sum: standard output: file too large\n"},
		{`ulimit -f 0; exec "$@" >>dir/out`, "check -k key list", "unimac check: standard output: file too large\n"},
		{`ulimit -f 1; exec "$@" >dir/out`, "seal -k key content", "unimac seal: standard output: file too large\n"},
		{`ulimit -f 1; exec "$@" >dir/out`, "open -k key sealed", "unimac open: standard output: file too large\n"},
	} {
		if r := finish(t, viaShell(t, tt.script, tt.args)); r.Status != 1 || r.Stderr != tt.stderr || r.signal != 0 {
			t.Errorf("%s: got status %d, signal %v, stderr %q, want 1, none, %q", tt.args, r.Status, r.signal, r.Stderr, tt.stderr)
		}
		os.Remove(filepath.Join("dir", "out"))
		wantUntouched(t, content, sealed)
	}
}
