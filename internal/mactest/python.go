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
	python := cmp.Or(os.Getenv("UNIMAC_TEST_PYTHON"), "python3")
	out, err := exec.Command(python, "-c", "import cryptography.cobblestone").CombinedOutput()
	if err == nil {
		return python
	}
	const format = "%s has no cryptography.cobblestone, which pip install 'cryptography>=50' would bring: %v\n%s"
	if os.Getenv("CI") != "" && runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		t.Fatalf(format, python, err, out)
	}
	t.Skipf(format, python, err, out)
	return ""
}
