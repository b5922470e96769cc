// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"bytes"
	"crypto/fips140"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

const fipsOnly = "GODEBUG=fips140=only"

// TestFIPS runs itself again in FIPS 140-only mode.
func TestFIPS(t *testing.T) {
	if slices.Contains(os.Environ(), fipsOnly) {
		testFIPS(t)
		return
	}
	emulator := mactest.Emulator(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append(emulator, self, "-test.run=^TestFIPS$")
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

// testFIPS checks that no constructor allows the mode, and that the errors are x/crypto's.
func testFIPS(t *testing.T) {
	if !fips140.Enforced() {
		t.Fatal("the mode is off")
	}
	key := make([]byte, KeySize)
	for _, alg := range algorithms {
		if a, err := alg.newAEAD(key); a != nil || err != errFIPS {
			t.Errorf("%s: %v", alg.name, err)
		}
		if _, err := alg.upstream(key); err == nil || err.Error() != errFIPS.Error() {
			t.Errorf("%s: x/crypto's error is %v", alg.name, err)
		}
	}
	if a, err := NewXWithRandomNonce(key); a != nil || err != errFIPS {
		t.Errorf("NewXWithRandomNonce: %v", err)
	}
}
