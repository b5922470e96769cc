// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package rust

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/bench/peer/process"
)

// TestNoCargo checks the error on a machine without cargo.
func TestNoCargo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := build(); !errors.Is(err, process.ErrAbsent) || !strings.Contains(err.Error(), "cargo is not installed") {
		t.Errorf("build = %v, want an error about cargo", err)
	}
}

// TestRun checks known results of Multimixer-128 and test vector 1 of RFC 10032 for
// AEGIS-128L. The AEGIS text consists of two chunks, and the result is the ciphertext
// of the last chunk.
func TestRun(t *testing.T) {
	bytes := func(s string, n int) []byte {
		b, err := hex.DecodeString(strings.Repeat(s, n))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	aegisKey, aegisNonce := bytes("10010000000000000000000000000000", 1), bytes("10000200000000000000000000000000", 1)
	for _, tt := range []struct {
		crate, work      string
		chunk            int
		key, nonce, text []byte
		want             string
	}{
		{"multimixer-128", "digest", 32, bytes("0f", 32), nil, bytes("f0", 32), strings.Repeat("01000000feffffff", 4) + strings.Repeat("09000000faffffff", 4)},
		{"128l", "seal", 16, aegisKey, aegisNonce, append(bytes("ff", 16), bytes("00", 16)...), "c1c0e58bd913006feba00f4b3cc3594eabe0ece80c24868a226a35d16bdae37a"},
	} {
		answer := make([]byte, len(tt.want)/2)
		loop, stop, err := Run(answer, tt.crate, tt.work, tt.chunk, tt.key, tt.nonce, tt.text)
		if errors.Is(err, process.ErrAbsent) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		if took := loop(1000); took <= 0 {
			t.Errorf("%s: 1000 iterations took %v", tt.crate, took)
		}
		if got := hex.EncodeToString(answer); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.crate, got, tt.want)
		}
		stop()
	}
}
