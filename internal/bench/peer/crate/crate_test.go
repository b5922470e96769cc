// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package crate

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/bench/peer/cargo"
)

// TestDigest has a known answer.
func TestDigest(t *testing.T) {
	key, msg := make([]byte, 32), make([]byte, 32)
	for i := range key {
		key[i], msg[i] = 0x0f, 0xf0
	}
	digest := make([]byte, 64)
	loop, stop, err := Digest(digest, key, msg)
	if errors.Is(err, cargo.ErrBuild) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if took := loop(1000); took <= 0 {
		t.Errorf("1000 digests took %v", took)
	}
	want := strings.Repeat("01000000feffffff", 4) + strings.Repeat("09000000faffffff", 4)
	if got := hex.EncodeToString(digest); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
