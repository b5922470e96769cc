// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import (
	"cmp"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// Whole reports whether UNIMAC_TEST=whole is in the environment. Tests that build many
// programs, or change many kernels, try some of them in "go test ./..." and all of them
// then: .ci/run has a step for it, which finds their packages by the calls of Whole and
// NeedWhole.
func Whole() bool { return os.Getenv("UNIMAC_TEST") == "whole" }

// NeedWhole skips a test that runs in that step alone.
func NeedWhole(t testing.TB) {
	t.Helper()
	if !Whole() {
		t.Skip("takes minutes; UNIMAC_TEST=whole asks for it")
	}
}

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

// PythonWithCobblestone returns a Python that has pyca/cryptography 50 or newer: the one
// that UNIMAC_TEST_PYTHON names, or python3. Without one the test is skipped, and fails
// where CI is set.
func PythonWithCobblestone(t testing.TB) string {
	t.Helper()
	return pythonWith(t, "cryptography.cobblestone", "cryptography>=50")
}

// PythonWithAEGIS is [PythonWithCobblestone] with pyaegis, which is libaegis.
func PythonWithAEGIS(t testing.TB) string {
	t.Helper()
	return pythonWith(t, "pyaegis", "pyaegis>=0.3.1")
}

// pythonWith returns a Python that has a module, which pip installs by another name.
func pythonWith(t testing.TB, module, requirement string) string {
	t.Helper()
	python := cmp.Or(os.Getenv("UNIMAC_TEST_PYTHON"), "python3")
	out, err := exec.Command(python, "-c", "import "+module).CombinedOutput()
	if err == nil {
		return python
	}
	const format = "%s has no %s, which pip install '%s' would bring: %v\n%s"
	if os.Getenv("CI") != "" && runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		t.Fatalf(format, python, module, requirement, err, out)
	}
	t.Skipf(format, python, module, requirement, err, out)
	return ""
}
