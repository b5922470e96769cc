// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package dispatch

import (
	"math"
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/cpu"
)

// missingLevel returns a level that this machine does not have.
func missingLevel() cpu.Level {
	if cpu.NEON.Available() {
		return cpu.SSE41
	}
	return cpu.NEON
}

// TestRegistry registers levels that every machine has and levels that no machine has.
func TestRegistry(t *testing.T) {
	saved := registered
	t.Cleanup(func() { registered = saved })
	registered = nil

	missing := missingLevel()
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
		{"amd64", true, Choice{Level: cpu.AMD64, Kind: cpu.Forced}},
		{name(missing), false, Choice{Level: cpu.AMD64, Kind: cpu.Forced}},
		{"unknown", false, Choice{Level: cpu.AMD64, Kind: cpu.Forced}},
		{Generic, true, Choice{Level: cpu.Generic, Kind: cpu.Forced}},
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

// TestSelectPath checks that a selected path overrides the table until Reset.
func TestSelectPath(t *testing.T) {
	saved := registered
	t.Cleanup(func() { registered = saved })

	var choice Choice
	Register("paths", &choice)
	RegisterPaths("paths", []Path{{Name: "first"}, {Name: "second"}, {Name: "missing", Level: missingLevel()}})
	var op Operation[uint8]
	Bind("paths", &op, Table[uint8]{cpu.Generic: {cpu.Narrow: {{Max: 10, Path: 1}, {Max: 20, Path: 0}, {Path: 1}}, cpu.Halved: {{Path: 0}}}})
	for n, want := range map[int]uint8{0: 1, 10: 1, 11: 0, 20: 0, 21: 1, 1 << 20: 1} {
		if got := op.Choose(n); got != want {
			t.Errorf("path %d for %d bytes, want %d", got, n, want)
		}
	}
	if !SelectPath("paths", "first") {
		t.Error("SelectPath refuses a path that every machine can run")
	}
	for _, n := range []int{0, 15, 30} {
		if got := op.Choose(n); got != 0 {
			t.Errorf("path %d for %d bytes after SelectPath", got, n)
		}
	}
	if SelectFor("paths", Generic, cpu.Halved); op.Choose(0) != 0 {
		t.Error("SelectFor does not change a bound operation")
	}
	selected := choice
	for _, tt := range [][2]string{{"paths", "missing"}, {"paths", "unknown"}, {"unregistered", "first"}} {
		if SelectPath(tt[0], tt[1]) || choice != selected {
			t.Errorf("SelectPath%v is accepted", tt)
		}
	}
	if len(Paths("paths")) != 2 || Paths("unregistered") != nil {
		t.Errorf("Paths: %v, %v", Paths("paths"), Paths("unregistered"))
	}
	if Reset("paths"); op.Choose(0) != 1 {
		t.Error("Reset keeps the selected path")
	}
}

func TestFirst(t *testing.T) {
	list := Thresholds[uint8]{{Max: 10, Path: 1}, {Max: 20, Path: 0}, {Path: 2}}
	for path, want := range map[uint8]int{1: 0, 0: 11, 2: 21, 3: math.MaxInt} {
		if got := list.First(path); got != want {
			t.Errorf("First(%d) = %d, want %d", path, got, want)
		}
	}
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
