// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package clib

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
)

// TestRestricted checks that processes restricted to each level return the same results
// as this process.
func TestRestricted(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("levels exist only on amd64")
	}
	for _, a := range []Algorithm{OpenSSLPoly1305, OpenSSLSeal, IPsecMBSeal, IPsecMBPoly1305} {
		n := 16
		if a == OpenSSLSeal || a == IPsecMBSeal {
			n += 1000
		}
		w := Work{Out: make([]byte, n), Key: bytes.Repeat([]byte{1}, 32), Nonce: make([]byte, 12), Msg: bytes.Repeat([]byte{2}, 1000)}
		Loop(a, w)(1)
		for _, level := range Levels {
			restricted := w
			restricted.Out = make([]byte, n)
			loop, stop, err := RestrictedLoop(level, a, restricted)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if took := loop(3); took <= 0 || !bytes.Equal(restricted.Out, w.Out) {
					t.Errorf("algorithm %d at %s: took %v, result %x, want %x", a, level.Name, took, restricted.Out, w.Out)
				}
			}
			stop()
		}
	}
}

// TestServe checks that malformed requests are errors.
func TestServe(t *testing.T) {
	for _, args := range []string{"", "x 1", "1 x", "1 2 3"} {
		if err := serve(strings.Fields(args), strings.NewReader(""), nil); err == nil {
			t.Errorf("serve(%q) returns no error", args)
		}
	}
	if err := serve([]string{"1", "16"}, strings.NewReader("\x01\x00"), nil); err == nil {
		t.Error("serve returns no error for a truncated text")
	}
}
