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

// TestReached checks that checkCalls reports calls that did not run, functions that are
// never called, and names without a level, but neither calls that ran nor calls that
// this machine cannot run.
func TestReached(t *testing.T) {
	p := goPackage{ImportPath: "m/p", Dir: t.TempDir(), GoFiles: []string{"p.go"}, functions: []string{"sumAVX2", "sumNEON", "lostAVX2", "odd"}}
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
		got := p.checkCalls(all, []string{"AMD64", tt.available}).Error()
		for what, want := range map[string]bool{
			"p.go:5: sumAVX2 never ran": tt.never, "sumNEON": false, "nothing calls lostAVX2": true,
			"odd does not end with the name of a level": true,
		} {
			if strings.Contains(got, what) != want {
				t.Errorf("%+v: got %q, want it to contain %q: %t", tt, got, what, want)
			}
		}
	}
	for _, broken := range []string{"", "mode: count\n", "mode: count\np.go 1 2\n"} {
		if _, err := readProfile(broken); err == nil {
			t.Errorf("readProfile(%q) returned no error", broken)
		}
	}
}

func TestRequiredLevel(t *testing.T) {
	for function, want := range map[[2]string]cpu.Level{
		{"sumAVX512AES", "a.go"}: cpu.AVX512AES, {"sumAVX512", "a.go"}: cpu.AVX512, {"nhAVX2", "a.go"}: cpu.AVX2AES, {"blocksAMD64", "a.go"}: cpu.AMD64,
		{"blocksAMD64", "ifma_amd64.go"}: cpu.AVX512IFMA, {"powersAMD64", "a.go"}: cpu.AVX512IFMA, {"powersAMD64", "ifma_amd64.go"}: cpu.AVX512IFMA, {"sum", "a.go"}: cpu.Generic,
	} {
		if got := requiredLevel(function[0], function[1]); got != want {
			t.Errorf("%v: %s, want %s", function, got, want)
		}
	}
}
