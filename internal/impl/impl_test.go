// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package impl

import (
	"slices"
	"testing"
)

func TestRegistry(t *testing.T) {
	saved := registered
	t.Cleanup(func() { registered = saved })
	registered = nil

	wide, narrow, missing, other := true, true, false, true
	Register("p", "wide", &wide)
	Register("q", "other", &other)
	Register("p", "missing", &missing)
	Register("p", "narrow", &narrow)

	if got, want := Packages(), []string{"p", "q"}; !slices.Equal(got, want) {
		t.Errorf("Packages() = %v, want %v", got, want)
	}
	if got, want := List("p"), []string{"wide", "missing", "narrow", Generic}; !slices.Equal(got, want) {
		t.Errorf("List(p) = %v, want %v", got, want)
	}
	if got, want := List("none"), []string{Generic}; !slices.Equal(got, want) {
		t.Errorf("List(none) = %v, want %v", got, want)
	}
	if InUse("p") != "wide" || InUse("none") != Generic {
		t.Errorf("InUse: p %s, none %s", InUse("p"), InUse("none"))
	}

	for _, tt := range []struct {
		name                  string
		ok                    bool
		wide, missing, narrow bool
	}{
		{"narrow", true, false, false, true},
		{"missing", false, false, false, true},
		{"unknown", false, false, false, true},
		{"wide", true, true, false, false},
		{Generic, true, false, false, false},
	} {
		if ok := Select("p", tt.name); ok != tt.ok {
			t.Errorf("Select(%s) = %v, want %v", tt.name, ok, tt.ok)
		}
		if wide != tt.wide || missing != tt.missing || narrow != tt.narrow {
			t.Errorf("after Select(%s): %v %v %v", tt.name, wide, missing, narrow)
		}
		if tt.ok && InUse("p") != tt.name {
			t.Errorf("after Select(%s): %s in use", tt.name, InUse("p"))
		}
	}
	if !other {
		t.Error("Select changed another package")
	}
	Reset("p")
	if !wide || missing || !narrow {
		t.Errorf("after Reset: %v %v %v", wide, missing, narrow)
	}
}

func TestRegisterTwice(t *testing.T) {
	saved := registered
	t.Cleanup(func() { registered = saved })
	on := true
	for _, name := range []string{"twice", Generic} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Register of a second %s did not panic", name)
				}
			}()
			Register("p", "twice", &on)
			Register("p", name, &on)
		}()
		registered = saved
	}
}

// TestCheckCall also holds the number itself: a larger one would show nowhere else.
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

// TestRegisterIdle checks that what is available, but not used, is on only while it is
// selected.
func TestRegisterIdle(t *testing.T) {
	saved := registered
	t.Cleanup(func() { registered = saved })
	registered = nil
	idle, used := true, true
	RegisterIdle("p", "idle", &idle)
	Register("p", "used", &used)
	if idle || !used || InUse("p") != "used" || !Available("p", "idle") {
		t.Errorf("idle %v, used %v, in use %s, available %v", idle, used, InUse("p"), Available("p", "idle"))
	}
	if !Select("p", "idle") || !idle || used {
		t.Errorf("selected: idle %v, used %v", idle, used)
	}
	if Reset("p"); idle || !used {
		t.Errorf("after Reset: idle %v, used %v", idle, used)
	}
}
