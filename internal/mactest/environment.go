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

// Whole reports whether slow tests should be exhaustive.
func Whole() bool { return os.Getenv("UNIMAC_TEST") == "whole" }

// NeedWhole skips a test unless Whole returns true.
func NeedWhole(t testing.TB) {
	// The script .ci/run finds tests by their calls to Whole and NeedWhole.
	t.Helper()
	if !Whole() {
		t.Skip("takes minutes; set UNIMAC_TEST=whole to run it")
	}
}

// Emulator returns the command line in UNIMAC_TEST_EMULATOR, which may be empty. It
// skips the test if this platform cannot start the test's programs.
func Emulator(tb testing.TB) []string {
	tb.Helper()
	switch runtime.GOOS {
	case "js", "wasip1", "ios", "android":
		tb.Skip("this platform cannot start programs")
	}
	command := strings.Fields(os.Getenv("UNIMAC_TEST_EMULATOR"))
	if err := canStart(); err != nil {
		if len(command) == 0 && strings.HasSuffix(err.Error(), "exec format error") { // the text of syscall.ENOEXEC, which does not exist on Plan 9
			tb.Skip("cannot start programs: set UNIMAC_TEST_EMULATOR to the emulator that runs this test, or register it with binfmt_misc")
		}
		tb.Fatal(err)
	}
	return command
}

// canStart returns an error if this machine cannot start programs.
var canStart = sync.OnceValue(func() error {
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

// PythonWithCobblestone returns a Python interpreter that can import
// pyca/cryptography's Cobblestone. If there is none, the test is skipped or, in CI on
// linux/amd64, fails.
func PythonWithCobblestone(t testing.TB) string {
	t.Helper()
	return pythonWith(t, "cryptography.cobblestone", "cryptography>=50")
}

// PythonWithAEGIS is like [PythonWithCobblestone], but requires pyaegis, the bindings
// of libaegis.
func PythonWithAEGIS(t testing.TB) string {
	t.Helper()
	return pythonWith(t, "pyaegis", "pyaegis>=0.3.1")
}

// pythonWith returns a Python interpreter that can import module.
func pythonWith(t testing.TB, module, requirement string) string {
	t.Helper()
	python := cmp.Or(os.Getenv("UNIMAC_TEST_PYTHON"), "python3")
	out, err := exec.Command(python, "-c", "import "+module).CombinedOutput()
	if err == nil {
		return python
	}
	const format = "%s cannot import %s; pip install '%s' installs it: %v\n%s"
	if os.Getenv("CI") != "" && runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		t.Fatalf(format, python, module, requirement, err, out)
	}
	t.Skipf(format, python, module, requirement, err, out)
	return ""
}
