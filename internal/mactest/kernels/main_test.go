// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/cpu"
)

const source = `package p

func f(n int) {
	if n > 1 {
		sumAVX2(n)
	}
	sumNEON(n)
}

func sumAVX2(int)
func sumNEON(int)
`

// TestReached covers calls that ran, calls that did not run, calls that this machine
// cannot run, and functions without calls.
func TestReached(t *testing.T) {
	p := folder{ImportPath: "m/p", Dir: t.TempDir(), GoFiles: []string{"p.go"}, functions: []string{"sumAVX2", "sumNEON", "lostAVX2", "odd"}}
	if err := os.WriteFile(filepath.Join(p.Dir, "p.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		count     string // coverage of the inner block
		available string
		never     bool
	}{{"1", "AVX2", false}, {"0", "AVX2", true}, {"0", "AVX512", false}} {
		// The profile contains the results of two packages' tests; the first did not
		// reach the block.
		profile := "mode: count\nm/p/p.go:3.15,4.11 1 1\nm/p/p.go:4.11,6.3 1 0\nm/p/p.go:7.2,7.12 1 0\nm/p/p.go:4.11,6.3 1 " + tt.count + "\n"
		all, err := readProfile(profile)
		if err != nil {
			t.Fatal(err)
		}
		said := p.reached(all, []string{"AMD64", tt.available}).Error()
		for what, want := range map[string]bool{
			"p.go:5: sumAVX2 never ran": tt.never, "sumNEON": false, "nothing calls lostAVX2": true,
			"odd ends with the name of no level": true,
		} {
			if strings.Contains(said, what) != want {
				t.Errorf("%+v: %q in %q: want %t", tt, what, said, want)
			}
		}
	}
	for _, broken := range []string{"", "mode: count\n", "mode: count\np.go 1 2\n"} {
		if _, err := readProfile(broken); err == nil {
			t.Errorf("%q is a profile", broken)
		}
	}
}

func TestGuard(t *testing.T) {
	for function, want := range map[[2]string]cpu.Level{
		{"sumAVX512AES", "a.go"}: cpu.AVX512AES, {"sumAVX512", "a.go"}: cpu.AVX512, {"nhAVX2", "a.go"}: cpu.AVX2AES, {"blocksAMD64", "a.go"}: cpu.AMD64,
		{"blocksAMD64", "ifma_amd64.go"}: cpu.AVX512IFMA, {"powersAMD64", "a.go"}: cpu.AVX512IFMA, {"powersAMD64", "ifma_amd64.go"}: cpu.AVX512IFMA, {"sum", "a.go"}: cpu.Generic,
	} {
		if got := guard(function[0], function[1]); got != want {
			t.Errorf("%v: %s, want %s", function, got, want)
		}
	}
}
