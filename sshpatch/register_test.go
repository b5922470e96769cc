// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"errors"
	"hash"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/internal/mactest/gocommand"
	"github.com/unimac/unimac/sshpatch/sshmac"
)

// before contains the state of x/crypto/ssh before TestMain called Register.
var before struct {
	defaults            []string
	supported, insecure ssh.Algorithms
	modes               map[string]*macMode
	ciphers             map[string]*cipherMode
}

// TestMain registers and accelerates once for all tests, as a program's main does.
func TestMain(m *testing.M) {
	before.defaults = defaultMACs()
	before.supported, before.insecure = ssh.SupportedAlgorithms(), ssh.InsecureAlgorithms()
	before.modes = maps.Clone(macModes)
	if err := Register(); err != nil {
		panic(err)
	}
	before.ciphers = maps.Clone(cipherModes)
	if err := Accelerate(); err != nil {
		panic(err)
	}
	gocommand.Main(m)
}

func defaultMACs() []string {
	var config ssh.Config
	config.SetDefaults()
	return config.MACs
}

// TestRegister checks that Register added the entries of Algorithms and changed nothing
// else, in particular not the defaults.
func TestRegister(t *testing.T) {
	if len(before.modes) < 4 {
		t.Fatalf("macModes had %d entries before Register, want at least 4", len(before.modes))
	}
	after := maps.Clone(macModes)
	for _, name := range Algorithms() {
		if _, ok := before.modes[name]; ok {
			t.Errorf("%s existed before Register", name)
		}
		if err := compare(name, after[name], newMode(name)); err != nil {
			t.Error(err)
		}
		delete(after, name)
	}
	if !maps.Equal(after, before.modes) {
		t.Errorf("Register changed other entries to %v, want %v", after, before.modes)
	}
	if got := defaultMACs(); !slices.Equal(got, before.defaults) {
		t.Errorf("default MACs are %q, were %q", got, before.defaults)
	}
	if got := ssh.SupportedAlgorithms(); !reflect.DeepEqual(got, before.supported) {
		t.Errorf("supported algorithms are %v, were %v", got, before.supported)
	}
	if got := ssh.InsecureAlgorithms(); !reflect.DeepEqual(got, before.insecure) {
		t.Errorf("insecure algorithms are %v, were %v", got, before.insecure)
	}
}

// TestRegisterAgain checks that concurrent further calls replace no entries.
func TestRegisterAgain(t *testing.T) {
	want := maps.Clone(macModes)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if err := Register(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if !maps.Equal(macModes, want) {
		t.Error("a second Register replaced entries")
	}
}

func TestAlgorithms(t *testing.T) {
	want := []string{"umac-128-etm@openssh.com", "umac-128@openssh.com", "umac-64-etm@openssh.com", "umac-64@openssh.com"}
	got := Algorithms()
	if !slices.Equal(got, want) {
		t.Errorf("Algorithms = %q, want %q", got, want)
	}
	got[0] = "changed"
	if !slices.Equal(Algorithms(), want) {
		t.Error("changing the result of Algorithms changed later results")
	}
	for _, name := range want {
		if mode := newMode(name); mode.keySize != 16 || mode.etm != (name == UMAC64ETM || name == UMAC128ETM) {
			t.Errorf("%s: key of %d bytes, etm = %v", name, mode.keySize, mode.etm)
		}
	}
}

// TestAdd checks that addAlgorithms adds all entries or none, and keeps correct entries
// that exist.
func TestAdd(t *testing.T) {
	check := func([]string) error { return nil }
	refused := errors.New("refused")
	wrong := newMode(UMAC128)
	wrong.new = func(key []byte) hash.Hash {
		m, _ := sshmac.New(UMAC64, key)
		return m
	}
	for _, tt := range []struct {
		name  string
		modes map[string]*macMode
		check func([]string) error
		added []string // nil if addAlgorithms returns an error
	}{
		{"empty", map[string]*macMode{}, check, Algorithms()},
		{"two entries exist", map[string]*macMode{UMAC64: newMode(UMAC64), UMAC128ETM: newMode(UMAC128ETM)}, check, []string{UMAC128, UMAC64ETM}},
		{"check fails", map[string]*macMode{"other": nil, UMAC64: newMode(UMAC64)}, func(names []string) error {
			if !slices.Equal(names, Algorithms()) {
				t.Errorf("check was called with %q, want %q", names, Algorithms())
			}
			return refused
		}, nil},
		{"another key size", map[string]*macMode{UMAC64: {32, false, newMode(UMAC64).new}}, check, nil},
		{"another etm", map[string]*macMode{UMAC64: newMode(UMAC64ETM)}, check, nil},
		{"another MAC", map[string]*macMode{UMAC128: wrong}, check, nil},
		{"no constructor", map[string]*macMode{UMAC64: {keySize: 16}}, check, nil},
		{"a nil entry", map[string]*macMode{UMAC64: nil}, check, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := maps.Clone(tt.modes)
			err := addAlgorithms(tt.modes, tt.check)
			if (err == nil) != (tt.added != nil) {
				t.Fatalf("addAlgorithms = %v, want an error: %t", err, tt.added == nil)
			}
			for _, name := range tt.added {
				if tt.modes[name] == nil {
					t.Errorf("%s was not added", name)
				}
				delete(tt.modes, name)
			}
			for name := range want {
				if slices.Contains(tt.added, name) {
					t.Errorf("%s was replaced", name)
				}
			}
			if !maps.Equal(tt.modes, want) {
				t.Errorf("other entries are %v, want %v", tt.modes, want)
			}
		})
	}
}

// TestCheckFields checks that checkFields rejects struct types that differ in any way.
func TestCheckFields(t *testing.T) {
	type new = func(key []byte) hash.Hash
	same := struct {
		keySize int
		etm     bool
		new     new
	}{}
	if err := checkFields(reflect.TypeOf(same), reflect.TypeFor[macMode]()); err != nil {
		t.Error(err)
	}
	for name, other := range map[string]any{
		"one more field": struct {
			keySize int
			etm     bool
			new     new
			tagSize int
		}{},
		"one more field in the padding": struct {
			keySize    int
			etm, fixed bool
			new        new
		}{},
		"another order": struct {
			etm     bool
			keySize int
			new     new
		}{},
		"another name": struct {
			keyLen int
			etm    bool
			new    new
		}{},
		"another type": struct {
			keySize uint
			etm     bool
			new     new
		}{},
		"another signature": struct {
			keySize int
			etm     bool
			new     func(key []byte) (hash.Hash, error)
		}{},
		"not a struct": 0,
	} {
		if checkFields(reflect.TypeOf(other), reflect.TypeFor[macMode]()) == nil {
			t.Errorf("%s: checkFields returned no error", name)
		}
	}
}

// TestCheckVariable checks variables that the linker may find instead of the map.
// Although each begins with a plausible number of entries, none may be used as a map.
func TestCheckVariable(t *testing.T) {
	genuine := macModes
	if err := checkVariable("modes", &genuine); err != nil {
		t.Error(err)
	}
	var dynamic any = map[string]*macMode{}
	inside := new([2]struct{ n, more uint64 })
	inside[1].n = 6
	for name, variable := range map[string]unsafe.Pointer{
		"an interface, whose type begins with its size": unsafe.Pointer(&dynamic),
		"a pointer to a variable":                       unsafe.Pointer(&pointerToStatic),
		"a pointer into an object":                      unsafe.Pointer(&[]*struct{ n, more uint64 }{&inside[1]}[0]),
	} {
		if err := checkVariable("modes", (*map[string]*macMode)(variable)); err == nil || err.Error() != "modes is not a map" {
			t.Errorf("%s: got %v, want \"modes is not a map\"", name, err)
		}
	}
	for _, modes := range []map[string]*macMode{nil, {}, {"a": nil}} {
		if checkVariable("modes", &modes) == nil {
			t.Errorf("checkVariable accepted a map with %d entries", len(modes))
		}
	}
	runtime.KeepAlive(inside)
}

var (
	static          = [4]uint64{6, 6, 6, 6}
	pointerToStatic = &static
)
