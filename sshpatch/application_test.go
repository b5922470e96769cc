// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/gocommand"
)

// report is the output of testdata/application.
type report struct {
	Register, Reason           string
	Accelerate, AccelerateSays string
	SameDefault, FIPS          bool
	Connections                map[string]string
}

// runApplication runs program, a build of testdata/application.
func runApplication(t *testing.T, program string, env ...string) (r report) {
	t.Helper()
	// If the test runs in an emulator, the program must run in the emulator, too.
	command := append(mactest.Emulator(t), program)
	out := gocommand.Program(t, ".", env, command[0], command[1:]...)
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	return r
}

// check checks the parts of a report that depend on whether UMAC is available.
func (r report) check(t *testing.T, withUMAC bool) {
	t.Helper()
	if !r.SameDefault {
		t.Error("the default MACs changed")
	}
	always := []string{"hmac-sha2-256"}
	if !r.FIPS {
		always = append(always, chacha20Poly1305)
	}
	for _, name := range always {
		if problem, tried := r.Connections[name]; problem != "" || !tried {
			t.Errorf("no connection with %s: %s", name, problem)
		}
	}
	for _, name := range Algorithms() {
		problem, tried := r.Connections[name]
		switch {
		case !tried:
			t.Errorf("no connection was tried with %s", name)
		case withUMAC && problem != "":
			t.Errorf("no connection with %s: %s", name, problem)
		case !withUMAC && !strings.Contains(problem, "no common algorithm"):
			t.Errorf("connection with %s: error %q, want \"no common algorithm\"", name, problem)
		}
	}
}
