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
	"regexp"
	"strings"
	"testing"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/cmd/unimac/internal/cli/clitest"
)

// usualCost is the cost of passphrases in production. Most tests use a lower cost.
var usualCost = passphraseCost

func TestMain(m *testing.M) {
	passphraseCost = passphraseHeader{Memory: 64, Time: 1, Threads: 4}
	demoTime = 0
	clitest.BeProgram(root())
	os.Exit(m.Run())
}

var (
	program   = clitest.Program
	writeFile = clitest.WriteFile
)

type result = clitest.Result

func runWith(stdin string, args ...string) result {
	return runReader(strings.NewReader(stdin), args...)
}

func runReader(stdin io.Reader, args ...string) result { return clitest.Run(root(), stdin, args...) }

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
		{"check -help", 0, "Usage: unimac check -k", ""},
		{"keygen -h", 0, "Usage: unimac keygen", ""},
		{"selftest -h", 0, "Usage: unimac selftest", ""},
		{"demo -h", 0, "Usage: unimac demo", ""},
		{"nosuch", 2, "", "unimac: no command \"nosuch\"\nunimac -h explains the usage.\n"},
		{"help nosuch", 2, "", "unimac: no command \"nosuch\"\nunimac -h explains the usage.\n"},
		{"--version", 0, "unimac (devel)", ""},
		{"-version", 0, "unimac (devel)", ""},
		{"--demo", 2, "", "unimac: flag provided but not defined: -demo\nunimac -h explains the usage.\n"},
		{"-v", 0, "unimac (devel)", ""},
		{"ssh -v", 2, "", "unimac ssh: flag provided but not defined: -v\nunimac ssh -h explains the usage.\n"},
		{"encrypt", 2, "", "unimac: no command \"encrypt\"; did you mean \"seal\"?"},
		{"verify", 2, "", "did you mean \"check\"?"},
		{"seal -x", 2, "", "unimac seal: flag provided but not defined: -x\nunimac seal -h explains the usage.\n"},
		{"-x", 2, "", "unimac: flag provided but not defined: -x\nunimac -h explains the usage.\n"},
		{"sum -x", 2, "", "unimac sum: flag provided but not defined: -x\nunimac sum -h explains the usage.\n"},
		{"sum", 2, "", "unimac sum: no key file: name one with -k\nunimac sum -h explains the usage.\n"},
		{"check", 2, "", "unimac check: no key file: name one with -k\nunimac check -h explains the usage.\n"},
		{"sum -k", 2, "", "flag needs an argument: -k"},
		{"sum -a md5 -k " + key, 2, "", `unimac sum: no algorithm "md5"; there are umac-128`},
		{"check -a md5 -k " + key, 2, "", `unimac check: no algorithm "md5"; there are umac-128`},
		{"seal -h", 0, "Usage: unimac seal -k KEYFILE [-passphrase-file FILE] [", ""},
		{"open -h", 0, "Usage: unimac open -k KEYFILE [-passphrase-file FILE] [", ""},
		{"sum -h", 0, "Usage: unimac sum -k KEYFILE [-passphrase-file FILE] [", ""},
		{"check -h", 0, "Usage: unimac check -k KEYFILE [-passphrase-file FILE] [", ""},
		{"seal", 2, "", "unimac seal: no key file: name one with -k, or give -p for a passphrase\nunimac seal -h explains the usage.\n"},
		{"open", 2, "", "unimac open: no key file: name one with -k, or give -p for a passphrase\nunimac open -h explains the usage.\n"},
		{"seal -p -k key", 2, "", "unimac seal: want one of -k, -raw-key, -p and -passphrase-file; only -passphrase-file goes with -k, for a key file under a passphrase\nunimac seal -h explains the usage.\n"},
		{"open -p -passphrase-file p", 2, "", "unimac open: want one of -k, -raw-key, -p and -passphrase-file; only -passphrase-file goes with -k, for a key file under a passphrase\nunimac open -h explains the usage.\n"},
		{"seal -k key a b", 2, "", "unimac seal: 2 files need -suffix, such as -suffix .sealed, to name the results\nunimac seal -h explains the usage.\n"},
		{"seal -k key -suffix= a", 2, "", "unimac seal: invalid value \"\" for flag -suffix: want at least one character\nunimac seal -h explains the usage.\n"},
		{"seal -k key -suffix .s -o out a", 2, "", "unimac seal: want only one of -o and -suffix"},
		{"seal -k key -suffix .s", 2, "", "unimac seal: -suffix needs a file"},
		{"sum -k key file -h", 0, "Usage: unimac sum ", ""},
		{"keygen file --help", 0, "Usage: unimac keygen ", ""},
		{"sum -k key -- -h", 1, "", "unimac sum: "},
		{"seal file -k none -o out", 1, "", "unimac seal: file: "},
		{"sum -k none file -x", 2, "", "unimac sum: flag provided but not defined: -x"},
		{"sum file -a md5 - -k none", 2, "", `unimac sum: no algorithm "md5"`},
		{"sum -k none -- file -k", 1, "", "unimac sum: none: "},
		{"check list --status -k none", 1, "", "unimac check: none: "},
		{"version now -h", 0, "Usage: unimac version", ""},
		{"ssh exec host: -nosuch", 2, "", "want a server, as [USER@]HOST[:PORT]"},
		{"sums", 2, "", "did you mean \"sum\"?"},
		{"self", 2, "", "did you mean \"selftest\"?"},
		{"ssh server", 2, "", "unimac ssh: no command \"server\"; did you mean \"serve\"?"},
		{"x", 2, "", "unimac: no command \"x\"\nunimac -h explains the usage.\n"},
		{"open -k key -o= a", 2, "", "unimac open: the name of the file to write is empty\nunimac open -h explains the usage.\n"},
		{"keygen", 2, "", "unimac keygen: 0 arguments, want one key file\nunimac keygen -h explains the usage.\n"},
		{"keygen a b", 2, "", "unimac keygen: 2 arguments"},
		{"ssh", 2, "", "Usage: unimac ssh COMMAND"},
		{"ssh -h", 0, "Usage: unimac ssh COMMAND", ""},
		{"ssh help", 0, "Usage: unimac ssh COMMAND", ""},
		{"help ssh", 0, "Usage: unimac ssh COMMAND", ""},
		{"help ssh serve", 0, "Usage: unimac ssh serve", ""},
		{"ssh help exec", 0, "Usage: unimac ssh exec", ""},
		{"ssh nosuch", 2, "", "unimac ssh: no command \"nosuch\"\nunimac ssh -h explains the usage.\n"},
		{"vendor", 2, "", "unimac vendor: 0 arguments, want one directory\nunimac vendor -h explains the usage.\n"},
		{"vendor -check -n copy", 2, "", "unimac vendor: -check takes no other flags, because a copy contains its sizes\nunimac vendor -h explains the usage.\n"},
		{"vendor -ssh-window 8M copy", 2, "", "invalid value \"8M\" for flag -ssh-window"},
		{"vendor -ssh-window 1048576 copy", 1, "", "unimac vendor: SSH window of 1048576 bytes, want 2097152 to 67108864\n"},
		{"selftest now", 2, "", "unimac selftest: 1 argument, want none"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			runWith("", strings.Fields(tt.args)...).Want(t, tt.status, tt.stdout, tt.stderr)
		})
	}
}

// failingWriter is a standard output without space.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestFullStdout(t *testing.T) {
	dir := t.TempDir()
	key := writeFile(t, filepath.Join(dir, "key"), testKey)
	list := writeFile(t, filepath.Join(dir, "list"), runWith("data", "sum", "-k", key).Stdout)
	for _, args := range [][]string{
		{"-h"},
		{"sum", "-h"},
		{"sum", "-k", key, list},
		{"check", "-k", key, list},
		{"selftest"},
	} {
		if testing.Short() && args[0] == "selftest" {
			continue // too slow
		}
		var stderr bytes.Buffer
		status := cli.Run(root(), args, strings.NewReader("data"), failingWriter{}, &stderr)
		if status != cli.ExitFailed || !strings.Contains(stderr.String(), ": standard output: no space left\n") {
			t.Errorf("%q: got status %d, stderr %q, want %d and a write error", args, status, &stderr, cli.ExitFailed)
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
		t.Fatalf("keygen: got status %d, stdout %q, want 0 and no output", status, out)
	}
	list, status := step(nil, "sum", "-k", "key", "file")
	if status != 0 {
		t.Fatalf("sum: got status %d, want 0", status)
	}
	if out, status := step(strings.NewReader(list), "check", "-k", "key"); status != 0 || out != "file: OK\n" {
		t.Errorf("check: got status %d, stdout %q, want 0 and OK", status, out)
	}
	writeFile(t, filepath.Join(dir, "file"), "Content")
	if out, status := step(strings.NewReader(list), "check", "-k", "key"); status != 1 || out != "file: FAILED\n" {
		t.Errorf("check of a changed file: got status %d, stdout %q, want 1 and FAILED", status, out)
	}
	if _, status := step(nil, "check"); status != 2 {
		t.Errorf("check without a key: got status %d, want 2", status)
	}
}

// TestSelftestFIPS runs selftest in the mode that allows only approved algorithms.
func TestSelftestFIPS(t *testing.T) {
	if testing.Short() {
		t.Skip("selftest takes too long for -short")
	}
	cmd := program(t, "selftest")
	cmd.Env = append(cmd.Env, "GODEBUG=fips140=only")
	out, err := cmd.CombinedOutput()
	if err != nil || bytes.Contains(out, []byte("FAILED")) || bytes.Contains(out, []byte("unimac selftest:")) {
		t.Errorf("selftest: error %v, output\n%s", err, out)
	}
	for pkg, want := range map[string]string{"umac": "ok", "aegis": "not allowed", "chacha20poly1305": "not allowed", "stream": "ok or not allowed"} {
		if row := regexp.MustCompile(`(?m)^` + pkg + ` +generic +(.*?)( +yes)? *$`).FindSubmatch(out); row == nil || string(row[1]) != want {
			t.Errorf("%s: got row %q, want %q in\n%s", pkg, row, want, out)
		}
	}
}
