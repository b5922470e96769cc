// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain lets the test binary be the program, for tests that need a process.
func TestMain(m *testing.M) {
	if os.Getenv("UNIMAC_TEST_AS_PROGRAM") != "" {
		main()
	}
	os.Exit(m.Run())
}

// program returns a command that runs the program in a process of its own. Where
// this test runs in an emulator, UNIMAC_TEST_EMULATOR is that, with its arguments.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := append(strings.Fields(os.Getenv("UNIMAC_TEST_EMULATOR")), exe)
	command = append(command, args...)
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "UNIMAC_TEST_AS_PROGRAM=1")
	return cmd
}

// result is what one run of the program left.
type result struct {
	status         int
	stdout, stderr string
}

func runWith(stdin string, args ...string) result {
	return runReader(strings.NewReader(stdin), args...)
}

func runReader(stdin io.Reader, args ...string) result {
	var stdout, stderr bytes.Buffer
	status := run(args, stdin, &stdout, &stderr)
	return result{status, stdout.String(), stderr.String()}
}

// want fails the test unless the status is right and each stream holds the text
// given: all of it where that ends in a newline or is empty, else somewhere.
func (r result) want(t *testing.T, status int, stdout, stderr string) {
	t.Helper()
	if r.status != status {
		t.Errorf("status %d, want %d", r.status, status)
	}
	for _, stream := range []struct{ name, got, want string }{
		{"stdout", r.stdout, stdout},
		{"stderr", r.stderr, stderr},
	} {
		whole := stream.want == "" || strings.HasSuffix(stream.want, "\n")
		if whole && stream.got != stream.want || !strings.Contains(stream.got, stream.want) {
			t.Errorf("%s is\n%s\nwant\n%s", stream.name, stream.got, stream.want)
		}
	}
}

func writeFile(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// brokenReader gives its data and then an error.
type brokenReader struct{ data string }

func (r *brokenReader) Read(p []byte) (int, error) {
	if r.data == "" {
		return 0, errors.New("broken")
	}
	n := copy(p, r.data)
	r.data = r.data[n:]
	return n, nil
}

func TestUsage(t *testing.T) {
	key := writeFile(t, filepath.Join(t.TempDir(), "key"), testKey)
	for _, tt := range []struct {
		args           string
		status         int
		stdout, stderr string
	}{
		{"", 2, "", "Usage: unimac COMMAND"},
		{"-h", 0, "Usage: unimac COMMAND", ""},
		{"--help", 0, "Usage: unimac COMMAND", ""},
		{"help", 0, "Usage: unimac COMMAND", ""},
		{"help sum", 0, "Usage: unimac sum -k", ""},
		{"sum -h", 0, "Usage: unimac sum -k", ""},
		{"check -help", 0, "Usage: unimac check -k", ""},
		{"keygen -h", 0, "Usage: unimac keygen", ""},
		{"selftest -h", 0, "Usage: unimac selftest", ""},
		{"demo -h", 0, "Usage: unimac demo", ""},
		{"nosuch", 2, "", "unimac: no command \"nosuch\"\nunimac -h explains the usage.\n"},
		{"help nosuch", 2, "", "unimac: no command \"nosuch\"\nunimac -h explains the usage.\n"},
		{"-x", 2, "", "unimac: flag provided but not defined: -x\nunimac -h explains the usage.\n"},
		{"sum -x", 2, "", "unimac sum: flag provided but not defined: -x\nunimac sum -h explains the usage.\n"},
		{"sum", 2, "", "unimac sum: no key file: name one with -k\nunimac sum -h explains the usage.\n"},
		{"check", 2, "", "unimac check: no key file: name one with -k\nunimac check -h explains the usage.\n"},
		{"sum -k", 2, "", "flag needs an argument: -k"},
		{"sum -a md5 -k " + key, 2, "", `unimac sum: no algorithm "md5"; there are umac-128`},
		{"check -a md5 -k " + key, 2, "", `unimac check: no algorithm "md5"; there are umac-128`},
		{"seal -h", 0, "Usage: unimac seal -k", ""},
		{"open -h", 0, "Usage: unimac open -k", ""},
		{"seal", 2, "", "unimac seal: no key file: name one with -k, or give -p for a passphrase\nunimac seal -h explains the usage.\n"},
		{"open", 2, "", "unimac open: no key file: name one with -k, or give -p for a passphrase\nunimac open -h explains the usage.\n"},
		{"seal -p -k key", 2, "", "unimac seal: want one of -k, -p and -passphrase-file alone\nunimac seal -h explains the usage.\n"},
		{"open -p -passphrase-file p", 2, "", "unimac open: want one of -k, -p and -passphrase-file alone\nunimac open -h explains the usage.\n"},
		{"seal -k key a b", 2, "", "unimac seal: 2 arguments, want one file at most\nunimac seal -h explains the usage.\n"},
		{"open -k key -o= a", 2, "", "unimac open: the file to write has no name\nunimac open -h explains the usage.\n"},
		{"keygen", 2, "", "unimac keygen: 0 arguments, want one key file\nunimac keygen -h explains the usage.\n"},
		{"keygen a b", 2, "", "unimac keygen: 2 arguments"},
		{"ssh", 2, "", "Usage: unimac ssh COMMAND"},
		{"ssh -h", 0, "Usage: unimac ssh COMMAND", ""},
		{"ssh help", 0, "Usage: unimac ssh COMMAND", ""},
		{"help ssh", 0, "Usage: unimac ssh COMMAND", ""},
		{"help ssh serve", 0, "Usage: unimac ssh serve", ""},
		{"ssh help exec", 0, "Usage: unimac ssh exec", ""},
		{"ssh nosuch", 2, "", "unimac ssh: no command \"nosuch\"\nunimac ssh -h explains the usage.\n"},
		{"ssh vendor", 2, "", "unimac ssh vendor: 0 arguments, want one directory\nunimac ssh vendor -h explains the usage.\n"},
		{"selftest now", 2, "", "unimac selftest: 1 arguments, want none"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			runWith("", strings.Fields(tt.args)...).want(t, tt.status, tt.stdout, tt.stderr)
		})
	}
}

// TestEveryCommandExplainsItself checks that no command lacks a text that the
// usage prints.
func TestEveryCommandExplainsItself(t *testing.T) {
	var walk func(path []string, cmd *command)
	walk = func(path []string, cmd *command) {
		r := runWith("", append(path, "-h")...)
		r.want(t, 0, "Usage: "+strings.Join(append([]string{"unimac"}, path...), " "), "")
		if (cmd.run == nil) == (cmd.sub == nil) {
			t.Errorf("%v: either run or sub must be set", path)
		}
		if cmd.long == "" || len(path) > 0 && cmd.short == "" {
			t.Errorf("%v: no text", path)
		}
		for _, line := range strings.Split(r.stdout, "\n") {
			if len([]rune(line)) > 100 && !strings.Contains(line, "(default ") {
				t.Errorf("%v: a line too long for a terminal: %s", path, line)
			}
		}
		for _, sub := range cmd.sub {
			walk(append(path[:len(path):len(path)], sub.name), sub)
		}
	}
	walk(nil, root())
}

// failingWriter is a standard output that is full.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestFullStdout(t *testing.T) {
	dir := t.TempDir()
	key := writeFile(t, filepath.Join(dir, "key"), testKey)
	list := writeFile(t, filepath.Join(dir, "list"), runWith("data", "sum", "-k", key).stdout)
	for _, args := range [][]string{
		{"-h"},
		{"sum", "-h"},
		{"sum", "-k", key, list},
		{"check", "-k", key, list},
		{"selftest"},
	} {
		var stderr bytes.Buffer
		status := run(args, strings.NewReader("data"), failingWriter{}, &stderr)
		if status != exitFailed || !strings.Contains(stderr.String(), ": standard output: no space left\n") {
			t.Errorf("%q: status %d, stderr %q", args, status, &stderr)
		}
	}
}

func TestProcess(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "file"), "content")
	step := func(stdin io.Reader, args ...string) (string, int) {
		cmd := program(t, args...)
		cmd.Dir = dir
		cmd.Stdin = stdin
		out, err := cmd.Output()
		if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	if out, status := step(nil, "keygen", "key"); status != 0 || out != "" {
		t.Fatalf("keygen: status %d, %q", status, out)
	}
	list, status := step(nil, "sum", "-k", "key", "file")
	if status != 0 {
		t.Fatalf("sum: status %d", status)
	}
	if out, status := step(strings.NewReader(list), "check", "-k", "key"); status != 0 || out != "file: OK\n" {
		t.Errorf("check: status %d, %q", status, out)
	}
	writeFile(t, filepath.Join(dir, "file"), "Content")
	if out, status := step(strings.NewReader(list), "check", "-k", "key"); status != 1 || out != "file: FAILED\n" {
		t.Errorf("check of a changed file: status %d, %q", status, out)
	}
	if _, status := step(nil, "check"); status != 2 {
		t.Errorf("check without a key: status %d", status)
	}
}
