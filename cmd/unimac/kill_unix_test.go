// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

// The tests in this file end processes at random moments: 40, or the number in the
// environment variable UNIMAC_FAULTS.

package main

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/unimac/unimac/aead/stream"
	"github.com/unimac/unimac/cmd/unimac/internal/cli/clitest"
	"github.com/unimac/unimac/internal/vectors"
)

// victim is a run of seal or open that is ended at a random moment.
type victim struct {
	args   []string
	stdin  []byte
	exists bool // the output file exists before
}

// newVictim returns a run of seal or open, with a new or an existing output file.
func newVictim(rng *rand.Rand, content, sealed []byte) *victim {
	v := &victim{args: []string{"seal", "-k", "key", "-o", "out"}, stdin: content, exists: rng.IntN(2) == 0}
	if rng.IntN(2) == 0 {
		v.args[0], v.stdin = "open", sealed
	}
	if v.exists {
		v.args = append(v.args, "-f")
	}
	return v
}

// endAt starts the program, which reads its input from a pipe, and sends it a signal at
// one of three moments: some time after the start; while the program waits for more
// input; or some time after the end of the input, when the output gets its name.
func (v *victim) endAt(t *testing.T, rng *rand.Rand, sig syscall.Signal, usual time.Duration) *exec.Cmd {
	t.Helper()
	cmd := program(t, v.args...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	some, wait := len(v.stdin), time.Duration(rng.Int64N(int64(6*time.Millisecond)))
	kind := rng.IntN(3)
	switch kind {
	case 0:
		wait = time.Duration(rng.Int64N(int64(usual * 5 / 4)))
	case 1:
		some = 64 + rng.IntN(len(v.stdin)-64)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		stdin.Write(v.stdin[:some]) // fails if the program has ended
		if some == len(v.stdin) {
			stdin.Close()
		}
	}()
	timer := time.AfterFunc(clitest.Patience, func() { cmd.Process.Kill() })
	defer timer.Stop()
	if kind > 0 {
		<-fed
	}
	for names := []string(nil); kind == 1 && len(names) == 0; names, _ = filepath.Glob(".unimac-*") {
		time.Sleep(100 * time.Microsecond)
	}
	time.Sleep(wait)
	cmd.Process.Signal(sig)
	cmd.Wait()
	stdin.Close()
	<-fed
	return cmd
}

// usualTime returns the duration of a run that is not ended.
func usualTime(t *testing.T, content []byte) time.Duration {
	t.Helper()
	start := time.Now()
	cmd := program(t, "seal", "-k", "key", "-o", "usual")
	cmd.Stdin = bytes.NewReader(content)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	os.Remove("usual")
	return time.Since(start)
}

var leftOver = regexp.MustCompile(`^\.unimac-[0-9]+$`)

// opened returns the content that open restores from data, or from its beginning.
func opened(data []byte) ([]byte, error) {
	key, err := readKey("key", nil)
	if err != nil {
		return nil, err
	}
	r, err := stream.NewReader(bytes.NewReader(data), formatKey(key[:], stream.UnimacV2))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// TestKilled kills seal and open. The output must be unchanged or complete. If a
// temporary file is left, its name must identify it, only its owner may be able to read
// it, and it must contain a part of the result.
func TestKilled(t *testing.T) {
	workIn(t)
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 0))
	content := vectors.Pattern(2<<20 + 12345)
	sealed := []byte(runWith(string(content), "seal", "-k", "key").Stdout)
	usual := usualTime(t, content)
	rounds := clitest.FaultRounds(t)
	var killed, whole, left int
	for round := range rounds {
		v := newVictim(rng, content, sealed)
		if v.exists {
			writeFile(t, "out", "before")
		}
		cmd := v.endAt(t, rng, syscall.SIGKILL, usual)
		if !cmd.ProcessState.Exited() {
			killed++
		} else if !cmd.ProcessState.Success() {
			t.Fatalf("seed %d, round %d: %q: got %v, want success or a kill", seed, round, v.args, cmd.ProcessState)
		}
		got, err := os.ReadFile("out")
		switch {
		case v.exists && string(got) == "before", !v.exists && os.IsNotExist(err):
			if cmd.ProcessState.Success() {
				t.Fatalf("seed %d, round %d: %q: got success without an output", seed, round, v.args)
			}
		case err != nil || !v.isResult(got, content):
			t.Fatalf("seed %d, round %d: %q, %v: got an output of %d bytes, error %v, want the complete result", seed, round, v.args, cmd.ProcessState, len(got), err)
		default:
			whole++
		}
		os.Remove("out")
		left += v.checkLeft(t, content)
		if t.Failed() {
			t.Fatalf("failed with seed %d, round %d: %q", seed, round, v.args)
		}
	}
	t.Logf("%d runs: %d killed before they ended, %d outputs complete, %d temporary files left", rounds, killed, whole, left)
	if rounds >= 40 && left == 0 {
		t.Error("no process was killed while it had a temporary file")
	}
	// Leftover files do not disturb later runs.
	cmd := program(t, "seal", "-k", "key", "-o", "out")
	cmd.Stdin = bytes.NewReader(content)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	wantFiles(t, "key", "out")
}

// isResult reports whether data is the complete result of the run.
func (v *victim) isResult(data, content []byte) bool {
	if v.args[0] == "seal" {
		var err error
		if data, err = opened(data); err != nil {
			return false
		}
	}
	return bytes.Equal(data, content)
}

// checkLeft checks and removes the files that a run has left next to the key.
func (v *victim) checkLeft(t *testing.T, content []byte) (files int) {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() == "key" {
			continue
		}
		files++
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(e.Name())
		if v.args[0] == "seal" && len(data) > 0 {
			data, _ = opened(data) // up to the point where it was cut off
		}
		if err != nil || !leftOver.MatchString(e.Name()) || info.Mode() != 0o600 || !bytes.HasPrefix(content, data) {
			t.Errorf("leftover file %s: got mode %v, %d authentic bytes, error %v, want mode 0600 and a part of the result", e.Name(), info.Mode(), len(data), err)
		}
		os.Remove(e.Name())
	}
	if files > 1 {
		t.Errorf("got %d leftover files, want at most 1", files)
	}
	return files
}

// TestSignalled ends seal and open at random moments by signals that they catch. No
// temporary file may be left, and a shell must see the signal.
func TestSignalled(t *testing.T) {
	workIn(t)
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 1))
	content := vectors.Pattern(2<<20 + 12345)
	sealed := []byte(runWith(string(content), "seal", "-k", "key").Stdout)
	usual := usualTime(t, content)
	var signals []syscall.Signal
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		if !signal.Ignored(sig) { // ignored under nohup
			signals = append(signals, sig)
		}
	}
	var ended, whole int
	rounds := clitest.FaultRounds(t)
	for round := range rounds {
		v := newVictim(rng, content, sealed)
		if v.exists {
			writeFile(t, "out", "before")
		}
		sig := signals[rng.IntN(len(signals))]
		cmd := v.endAt(t, rng, sig, usual)
		status := cmd.ProcessState.Sys().(syscall.WaitStatus)
		if status.Signaled() && status.Signal() == sig {
			ended++
		} else if status != 0 {
			t.Fatalf("seed %d, round %d: %q: got %v, want success or the signal", seed, round, v.args, cmd.ProcessState)
		}
		got, err := os.ReadFile("out")
		switch {
		case v.exists && string(got) == "before", !v.exists && os.IsNotExist(err):
		case err != nil || !v.isResult(got, content):
			t.Fatalf("seed %d, round %d: %q: got an output of %d bytes, error %v, want the complete result", seed, round, v.args, len(got), err)
		default:
			whole++
		}
		os.Remove("out")
		if names, _ := filepath.Glob(".unimac-*"); len(names) > 0 {
			t.Fatalf("seed %d, round %d: %q: got leftover files %s", seed, round, v.args, strings.Join(names, ", "))
		}
	}
	t.Logf("%d runs: %d ended by a signal, %d outputs complete", rounds, ended, whole)
}

// TestKeygenKilled kills keygen. The key file must be complete or missing.
func TestKeygenKilled(t *testing.T) {
	t.Chdir(t.TempDir())
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 2))
	start := time.Now()
	if err := program(t, "keygen", "key").Run(); err != nil {
		t.Fatal(err)
	}
	usual := time.Since(start)
	var whole int
	rounds := clitest.FaultRounds(t)
	for round := range rounds {
		os.Remove("key")
		cmd := program(t, "keygen", "key")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Starting the process takes most of the time.
		time.Sleep(usual/2 + time.Duration(rng.Int64N(int64(usual))))
		cmd.Process.Kill()
		cmd.Wait()
		switch _, err := readKey("key", nil); {
		case err == nil:
			whole++
		case !os.IsNotExist(err) || cmd.ProcessState.Success():
			t.Fatalf("seed %d, round %d: got error %v, %v, want a complete key file or a kill", seed, round, err, cmd.ProcessState)
		}
	}
	t.Logf("%d runs: %d key files", rounds, whole)
}
