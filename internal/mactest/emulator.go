// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// Emulator returns what a program for the machine of this test is started with: nothing
// on that machine, and in an emulator what UNIMAC_TEST_EMULATOR has, a command with its
// arguments. It skips the test where no such program starts: a system without processes,
// and an emulator that neither UNIMAC_TEST_EMULATOR nor Linux's binfmt_misc names.
func Emulator(tb testing.TB) []string {
	tb.Helper()
	switch runtime.GOOS {
	case "js", "wasip1", "ios", "android":
		tb.Skip("no program can be started here")
	}
	command := strings.Fields(os.Getenv("UNIMAC_TEST_EMULATOR"))
	if err := startsAgain(); err != nil {
		if len(command) == 0 && strings.HasSuffix(err.Error(), "exec format error") { // syscall.ENOEXEC, which Plan 9 does not have
			tb.Skip("the emulator that runs this test is not in UNIMAC_TEST_EMULATOR, and Linux does not know it: no other program starts")
		}
		tb.Fatal(err)
	}
	return command
}

// startsAgain starts this test program once more, and ends it before it has done anything.
var startsAgain = sync.OnceValue(func() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	command := append(strings.Fields(os.Getenv("UNIMAC_TEST_EMULATOR")), self)
	again := exec.Command(command[0], append(command[1:], "-test.run=^$")...)
	if err := again.Start(); err != nil {
		return err
	}
	again.Process.Kill()
	again.Wait()
	return nil
})
