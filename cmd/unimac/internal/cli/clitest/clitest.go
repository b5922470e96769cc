// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package clitest runs the program for tests, either in the test process or in a child
// process.
package clitest

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/internal/mactest"
)

// asProgram is the environment variable that makes a test binary run the program.
const asProgram = "UNIMAC_TEST_AS_PROGRAM"

// BeProgram runs the program and exits if this process was started by a command from
// [Program]. Otherwise, it does nothing, so TestMain can call it unconditionally.
func BeProgram(root *cli.Command) {
	if os.Getenv(asProgram) != "" {
		cli.Main(root)
	}
}

// Program returns a command that runs unimac in a new process. If the tests run in an
// emulator, UNIMAC_TEST_EMULATOR must contain the emulator's command line, unless the
// system starts the emulator itself.
func Program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := slices.Concat(mactest.Emulator(t), []string{exe}, args)
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// ViaShell returns a command that runs a shell script. The script can run the program
// with args by executing "$@".
func ViaShell(t *testing.T, script string, args ...string) *exec.Cmd {
	t.Helper()
	program := Program(t, args...)
	cmd := exec.Command("sh", append([]string{"-c", script, "sh"}, program.Args...)...)
	cmd.Env = program.Env
	return cmd
}

// A Result holds the exit status and the output of a run.
type Result struct {
	Status         int
	Stdout, Stderr string
}

// Run runs the program in this process.
func Run(root *cli.Command, stdin io.Reader, args ...string) Result {
	var stdout, stderr bytes.Buffer
	status := cli.Run(root, args, stdin, &stdout, &stderr)
	return Result{status, stdout.String(), stderr.String()}
}

// Want checks the exit status and both output streams. If the expected text is empty or
// ends in a newline, the stream must equal it. Otherwise, the stream must contain it.
func (r Result) Want(t *testing.T, status int, stdout, stderr string) {
	t.Helper()
	if r.Status != status {
		t.Errorf("got status %d, want %d", r.Status, status)
	}
	for _, stream := range []struct{ name, got, want string }{
		{"stdout", r.Stdout, stdout},
		{"stderr", r.Stderr, stderr},
	} {
		whole := stream.want == "" || strings.HasSuffix(stream.want, "\n")
		if whole && stream.got != stream.want || !strings.Contains(stream.got, stream.want) {
			t.Errorf("got %s\n%s\nwant\n%s", stream.name, stream.got, stream.want)
		}
	}
}

// WriteFile writes a file accessible only to its owner, and returns path.
func WriteFile(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// BrokenReader returns a reader that returns data and then an error.
func BrokenReader(data string) io.Reader {
	return io.MultiReader(strings.NewReader(data), iotest.ErrReader(errors.New("broken")))
}

// Patience is the timeout after which a test fails. It is generous, because machines
// may be slow or busy, and only failing tests wait that long.
const Patience = 3 * time.Minute

// Eventually waits up to Patience for f to return true, and reports whether it did.
func Eventually(f func() bool) bool {
	for end := time.Now().Add(Patience); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// A Buffer is a [bytes.Buffer] that is safe for concurrent use.
type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// FaultRounds returns the number of rounds for randomized tests: the value of
// UNIMAC_FAULTS, or 40 by default. With -short, it returns at most 4.
func FaultRounds(t *testing.T) int {
	t.Helper()
	rounds, err := strconv.Atoi(cmp.Or(os.Getenv("UNIMAC_FAULTS"), "40"))
	if err != nil {
		t.Fatalf("UNIMAC_FAULTS: %v", err)
	}
	if testing.Short() {
		rounds = min(rounds, 4)
	}
	return rounds
}
