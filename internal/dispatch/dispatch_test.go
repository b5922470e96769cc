// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package dispatch

import (
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/cpu"
)

// TestRegistry registers levels that every machine has and levels that no machine has.
func TestRegistry(t *testing.T) {
	saved := registered
	t.Cleanup(func() { registered = saved })
	registered = nil

	missing := cpu.NEON
	if missing.Available() {
		missing = cpu.SSE41
	}
	var p, other Choice
	Register("p", &p, cpu.AMD64, missing)
	Register("q", &other, cpu.AMD64)
	normal := Choice{Level: cpu.AMD64, Kind: cpu.ThisKind()}
	if p != normal || other != normal {
		t.Errorf("registered: %v and %v, want %v", p, other, normal)
	}
	if got, want := Packages(), []string{"p", "q"}; !slices.Equal(got, want) {
		t.Errorf("Packages() = %v, want %v", got, want)
	}
	if got, want := List("p"), []string{name(missing), "amd64", Generic}; !slices.Equal(got, want) {
		t.Errorf("List(p) = %v, want %v", got, want)
	}
	if got, want := List("none"), []string{Generic}; !slices.Equal(got, want) {
		t.Errorf("List(none) = %v, want %v", got, want)
	}
	if InUse("p") != "amd64" || InUse("none") != Generic {
		t.Errorf("InUse: p %s, none %s", InUse("p"), InUse("none"))
	}
	for _, tt := range []struct {
		name string
		ok   bool
		want Choice
	}{
		{"amd64", true, Choice{Level: cpu.AMD64, Kind: cpu.Alone}},
		{name(missing), false, Choice{Level: cpu.AMD64, Kind: cpu.Alone}},
		{"unknown", false, Choice{Level: cpu.AMD64, Kind: cpu.Alone}},
		{Generic, true, Choice{Level: cpu.Generic, Kind: cpu.Alone}},
	} {
		if ok := Select("p", tt.name); ok != tt.ok || p != tt.want || Available("p", tt.name) != tt.ok {
			t.Errorf("Select(%s) = %v, then %v, want %v", tt.name, ok, p, tt.want)
		}
		if tt.ok && InUse("p") != tt.name {
			t.Errorf("after Select(%s): %s in use", tt.name, InUse("p"))
		}
	}
	if !SelectFor("p", "amd64", cpu.Halved) || p != (Choice{Level: cpu.AMD64, Kind: cpu.Halved}) || SelectFor("p", name(missing), cpu.Halved) {
		t.Errorf("after SelectFor: %v", p)
	}
	if other != normal {
		t.Error("Select changed another package")
	}
	if Reset("p"); p != normal {
		t.Errorf("after Reset: %v", p)
	}
	defer func() {
		if recover() == nil {
			t.Error("a second Register did not panic")
		}
	}()
	Register("p", &p, cpu.AMD64)
}

// TestCheckCall also checks the value of MaxCall, on which no other test depends.
func TestCheckCall(t *testing.T) {
	for n, bad := range map[int]bool{0: false, 64 << 10: false, 64<<10 + 1: true} {
		func() {
			defer func() {
				if p := recover(); (p != nil) != bad {
					t.Errorf("CheckCall(%d): panic %v", n, p)
				}
			}()
			CheckCall(n)
		}()
	}
}
