// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof/asm"
)

// TestSessions checks that a kernel cannot have a second Session until the first is
// dropped, even for a copy or another variant. A Session that fails to begin does not
// count.
func TestSessions(t *testing.T) {
	name := filepath.Join(t.TempDir(), "sums_amd64.s")
	if err := os.WriteFile(name, []byte(sums), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := asm.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	fn := f.Func("sums")
	k := &Kernel{
		File: "sums_amd64.s", Func: "sums", Claim: "nothing", Variants: []string{"one", "another"},
		Setup: func(c *Case) {
			out := Writable(c.Buffer("out", 8))
			c.Arg(out.Base, c.Input("a", false), c.Input("b", false), c.Input("c", false))
		},
	}
	wrong := *k
	wrong.Setup = func(c *Case) { c.Arg(c.Input("a", false)) }
	if _, err := NewSession(&wrong, f, fn, "one"); err == nil || !strings.Contains(err.Error(), "bytes of arguments") {
		t.Fatalf("wrong Setup: got error %v, want one about bytes of arguments", err)
	}
	first, err := NewSession(k, f, fn, "one")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []*Kernel{k, k.Sample()} {
		if _, err := NewSession(k, f, fn, "another"); err == nil || !strings.Contains(err.Error(), "another Session") {
			t.Errorf("second Session: got error %v, want one about another Session", err)
		}
	}
	first.Store.Drop()
	second, err := NewSession(k, f, fn, "another")
	if err != nil {
		t.Fatal(err)
	}
	second.Store.Drop()
}
