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
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/unimac/unimac/cmd/unimac/internal/cli/clitest"
	"github.com/unimac/unimac/internal/vectors"
)

// TestSalvageHole checks that missing parts use no disk space.
func TestSalvageHole(t *testing.T) {
	workIn(t)
	sealed := []byte(runWith(string(vectors.Pattern(8<<20)), "seal", "-k", "key").Stdout)
	clear(sealed[64+1<<20 : 7<<20])
	writeFile(t, "sealed", string(sealed))
	runWith("", "open", "-k", "key", "-damaged", "-o", "out", "sealed").Want(t, 3, "", "bytes 983040 to 7340031 of the content are missing")
	var stat syscall.Stat_t
	if err := syscall.Stat("out", &stat); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" && (stat.Size != 8<<20 || stat.Blocks*512 > 4<<20) {
		t.Errorf("got a file of %d bytes that uses %d bytes of the disk, want %d bytes that use at most %d", stat.Size, stat.Blocks*512, 8<<20, 4<<20)
	}
}

// changingFile starts seal on the file named file, or on standard input from that file,
// and calls change after seal has begun to read.
func changingFile(t *testing.T, change func(name string), args ...string) result {
	t.Helper()
	// seal reads the first bytes, fills the pipe, and waits until the pipe is read.
	cmd := program(t, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if args[len(args)-1] != "file" {
		stdin, err := os.Open("file")
		if err != nil {
			t.Fatal(err)
		}
		defer stdin.Close()
		cmd.Stdin = stdin
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(clitest.Patience, func() { cmd.Process.Kill() })
	defer timer.Stop()
	first := make([]byte, 64)
	if _, err := io.ReadFull(stdout, first); err != nil {
		t.Fatalf("reading the header: %v, stderr %q", err, &stderr)
	}
	change("file")
	rest, err := io.ReadAll(stdout)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		if _, exited := errors.AsType[*exec.ExitError](err); !exited {
			t.Fatal(err)
		}
	}
	return result{Status: cmd.ProcessState.ExitCode(), Stdout: string(first) + string(rest), Stderr: stderr.String()}
}

// TestSealChangingFile seals files that change at the same time.
func TestSealChangingFile(t *testing.T) {
	workIn(t)
	const size = 16 << 20
	fresh := func() {
		os.Remove("file")
		writeFile(t, "file", "")
		if err := os.Truncate("file", size); err != nil {
			t.Fatal(err)
		}
		past := time.Now().Add(-time.Hour) // modification times may be coarse
		if err := os.Chtimes("file", past, past); err != nil {
			t.Fatal(err)
		}
	}
	grow := func(name string) {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		f.WriteString("more")
	}
	rewrite := func(name string) {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		f.WriteString("other")
	}
	for name, tt := range map[string]struct {
		change func(string)
		stderr string
	}{
		"grows":        {grow, "changed while it was sealed, from 16777216 to 16777220 bytes"},
		"shrinks":      {func(name string) { os.Truncate(name, size-1) }, "changed while it was sealed, from 16777216 to 16777215 bytes"},
		"is rewritten": {rewrite, "changed while it was sealed"},
	} {
		fresh()
		r := changingFile(t, tt.change, "seal", "-k", "key", "file")
		if want := "unimac seal: file: " + tt.stderr + "; -changed seals it nevertheless\nunimac seal: standard output: incomplete, do not use it\n"; r.Status != 1 || r.Stderr != want {
			t.Errorf("file that %s: got status %d, stderr %q, want 1, %q", name, r.Status, r.Stderr, want)
		}
		if opened := runWith(r.Stdout, "open", "-k", "key"); opened.Status != 1 {
			t.Errorf("file that %s: open of the result: got status %d, want 1", name, opened.Status)
		}
		fresh()
		r = changingFile(t, tt.change, "seal", "-k", "key", "-changed", "file")
		if want := "unimac seal: file: " + tt.stderr + "\n"; r.Status != 0 || r.Stderr != want {
			t.Errorf("-changed, file that %s: got status %d, stderr %q, want 0, %q", name, r.Status, r.Stderr, want)
		}
		if opened := runWith(r.Stdout, "open", "-k", "key"); opened.Status != 0 {
			t.Errorf("-changed, file that %s: open of the result: got status %d, stderr %q, want 0", name, opened.Status, opened.Stderr)
		}
	}

	// No output is created for a changing file, and an existing output stays.
	fresh()
	writeFile(t, "out", "before")
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				grow("file")
			}
		}
	}()
	r := runWith("", "seal", "-k", "key", "-f", "-o", "out", "file")
	close(stop)
	<-done
	r.Want(t, 1, "", "unimac seal: file: changed while it was sealed, from ")
	wantContent(t, "out", "before")
	wantFiles(t, "file", "key", "out")

	// Standard input may be a file. The size of some files is unknown to the system.
	fresh()
	if r := changingFile(t, grow, "seal", "-k", "key"); r.Status != 1 || !strings.HasPrefix(r.Stderr, "unimac seal: -: changed while it was sealed, from ") {
		t.Errorf("standard input that grows: got status %d, stderr %q, want 1 and a message", r.Status, r.Stderr)
	}
	if runtime.GOOS == "linux" {
		for _, name := range []string{"/proc/self/status", "/proc/cpuinfo", "/sys/kernel/mm/transparent_hugepage/enabled"} {
			if _, err := os.Stat(name); err == nil {
				runWith("", "seal", "-k", "key", "-f", "-o", "out", name).Want(t, 0, "", "")
			}
		}
	}
}

// onTerminal runs the program with standard error on a terminal, and returns what the
// terminal shows.
func onTerminal(t *testing.T, args ...string) (shown string, status int) {
	t.Helper()
	terminal, tty, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer terminal.Close()
	cmd := program(t, args...)
	cmd.Stderr = tty
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	timer := time.AfterFunc(clitest.Patience, func() { cmd.Process.Kill() })
	defer timer.Stop()
	var all bytes.Buffer
	io.Copy(&all, terminal) // until the program has ended
	cmd.Wait()
	return all.String(), cmd.ProcessState.ExitCode()
}

// TestProgress runs commands that read slowly, with and without a terminal.
func TestProgress(t *testing.T) {
	workIn(t)
	if err := syscall.Mkfifo("fifo", 0o600); err != nil {
		t.Fatal(err)
	}
	piece := string(vectors.Pattern(100_000))
	fill := func(content []byte, pieces int) {
		f, err := os.OpenFile("fifo", os.O_WRONLY, 0)
		if err != nil {
			return
		}
		defer f.Close()
		for i := range pieces {
			f.Write(content[len(content)*i/pieces : len(content)*(i+1)/pieces])
			time.Sleep(100 * time.Millisecond)
		}
	}
	sealed := runWith(strings.Repeat(piece, 20), "seal", "-k", "key").Stdout
	writeFile(t, "list", strings.Replace(runWith("", "sum", "-k", "key", writeFile(t, "small", "x")).Stdout, "(small)", "(fifo)", 1))
	line := regexp.MustCompile(`\(\d+(\.\d)? [kM]B(/\d+(\.\d)? MB)?, \d+(\.\d)? [kM]B/s\)`)
	for i, tt := range []struct {
		args   []string
		data   string
		status int
	}{
		{[]string{"seal", "-k", "key", "-f", "-o", "out", "fifo"}, strings.Repeat(piece, 20), 0},
		{[]string{"open", "-k", "key", "-f", "-o", "out", "fifo"}, sealed, 0},
		{[]string{"sum", "-k", "key", "fifo"}, strings.Repeat(piece, 20), 0},
		{[]string{"check", "-k", "key", "list"}, strings.Repeat(piece, 20), 1},
	} {
		go fill([]byte(tt.data), 13)
		shown, status := onTerminal(t, tt.args...)
		if status != tt.status || !line.MatchString(shown) {
			t.Errorf("%q: got status %d and %q on the terminal, want status %d and a match for %s", tt.args, status, shown, tt.status, line)
		}
		if last := shown[strings.LastIndex(strings.TrimRight(shown, "\r\n"), "\r")+1:]; strings.Contains(last, "MB") {
			t.Errorf("%q: the progress line was not erased: %q", tt.args, shown)
		}
		if i > 0 {
			continue // the other cases are the same for all commands
		}
		go fill([]byte(tt.data), 13)
		if shown, _ := onTerminal(t, append(tt.args, "-progress=false")...); strings.Contains(shown, "B/s") {
			t.Errorf("%q -progress=false: got progress on the terminal: %q", tt.args, shown)
		}
		go fill([]byte(tt.data), 13)
		if r := finish(t, program(t, tt.args...)); strings.Contains(r.Stderr, "B/s") {
			t.Errorf("%q without a terminal: got progress: %q", tt.args, r.Stderr)
		}
		go fill([]byte(tt.data), 1) // in less than a second
		if shown, _ := onTerminal(t, tt.args...); strings.Contains(shown, "B/s") {
			t.Errorf("%q with little data: got progress on the terminal: %q", tt.args, shown)
		}
	}
}

// TestNoMemory limits memory to less than Argon2id needs.
func TestNoMemory(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("other platforms limit memory in other ways")
	}
	workIn(t)
	writeFile(t, "pass", "correct horse\n")
	file := "unimacp1\x00\x10\x00\x00\x00\x01\x00\x04" + strings.Repeat("s", 16) + strings.Repeat("x", 200)
	writeFile(t, "sealed", file)
	script := `ulimit -v 2500000; exec "$@"`
	for _, args := range []string{"open -passphrase-file pass sealed", "seal -passphrase-file pass -kdf-memory 1024 -o out pass", "keygen -passphrase-file pass -kdf-memory 1024 new"} {
		r := finish(t, viaShell(t, script, args))
		if want := "no memory for Argon2id, which takes 1024 MiB here: cannot allocate memory\n"; r.Status != 1 || !strings.HasSuffix(r.Stderr, want) || strings.Count(r.Stderr, "\n") != 1 {
			t.Errorf("%s: got status %d, stderr %q, want 1 and only %q", args, r.Status, r.Stderr, want)
		}
	}
	wantFiles(t, "key", "pass", "sealed")
}
