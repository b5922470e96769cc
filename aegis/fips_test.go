// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"bytes"
	"crypto/fips140"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
)

const fipsOnly = "GODEBUG=fips140=only"

// TestFIPS runs itself again in FIPS 140-only mode.
func TestFIPS(t *testing.T) {
	if slices.Contains(os.Environ(), fipsOnly) {
		testFIPS(t)
		return
	}
	switch runtime.GOOS {
	case "js", "wasip1", "ios", "android":
		t.Skip("no program can be started here")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append(strings.Fields(os.Getenv("UNIMAC_TEST_EMULATOR")), self, "-test.run=^TestFIPS$")
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), fipsOnly)
	out, err := cmd.CombinedOutput()
	if bytes.Contains(out, []byte("incompatible with the purego build tag")) {
		t.Skip("Go refuses the mode with -tags purego")
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// testFIPS checks that no constructor allows the mode.
func testFIPS(t *testing.T) {
	if !fips140.Enforced() {
		t.Fatal("the mode is off")
	}
	for _, v := range variants {
		key := make([]byte, v.KeySize())
		if a, err := New(v.Variant, key); a != nil || err != errFIPS {
			t.Errorf("New: %v", err)
		}
		if a, err := NewWithTagSize(v.Variant, key, 16); a != nil || err != errFIPS {
			t.Errorf("NewWithTagSize: %v", err)
		}
		if m, err := NewMAC(v.Variant, key, nil, 16); m != nil || err != errFIPS {
			t.Errorf("NewMAC: %v", err)
		}
	}
	if a, err := NewWithRandomNonce(AEGIS256, make([]byte, 32)); a != nil || err != errFIPS {
		t.Errorf("NewWithRandomNonce: %v", err)
	}
}
