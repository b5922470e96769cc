// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import (
	"cmp"
	"os"
	"os/exec"
	"runtime"
	"testing"
)

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
