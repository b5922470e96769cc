// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/proof"
	"github.com/unimac/unimac/internal/proof/table"
)

const root = "../../.."

// TestMain makes garbage collection rare, because all terms stay live while a kernel is
// proven.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(400 << 20) // collect as often as this limit requires
	m.Run()
}

// TestSample tries a sample of mutants, and checks that each is caught or listed in
// survivors.txt. The ordinary test uses two kernels with short proofs, and the whole
// test all kernels.
func TestSample(t *testing.T) {
	t.Chdir(root)
	sample, kernels := 60, []string{""}
	if !mactest.Whole() {
		sample, kernels = 20, []string{"chacha20 hChaCha20AVX2", "poly1305 powersAMD64"}
	}
	for _, kernel := range kernels {
		o := options{sample: sample, seed: 1, kernel: kernel}
		var out bytes.Buffer
		if err := run(&o, &out); err != nil {
			t.Fatalf("%v\n%s", err, out.Bytes())
		}
		t.Log(out.String())
	}
}

// TestNames checks that -kernel accepts the full names of kernels and no other names.
func TestNames(t *testing.T) {
	all, err := named("")
	if err != nil || len(all) != len(proof.Kernels) {
		t.Fatalf("%d kernels, want %d: %v", len(all), len(proof.Kernels), err)
	}
	two, err := named("umac nhAVX2, multimixer sumAVX2")
	if err != nil || len(two) != 2 || two[0].Name() != "multimixer sumAVX2" || two[1].Name() != "umac nhAVX2" {
		t.Errorf("got %d kernels and error %v, want multimixer sumAVX2 and umac nhAVX2", len(two), err)
	}
	for _, wrong := range []string{"sumAVX2", "multimixer", "multimixer sumAVX2,", "multimixer sumAVX22", "internal/multimixer sumAVX2"} {
		if _, err := named(wrong); err == nil {
			t.Errorf("named accepted %q", wrong)
		}
	}
	names := map[string]bool{}
	for _, k := range all {
		if names[k.Name()] {
			t.Errorf("two kernels are named %s", k.Name())
		}
		names[k.Name()] = true
	}
}

// TestNote checks how a run updates survivors.txt. A full run of a kernel keeps the
// reasons of survivors and removes caught mutants.
// A sample only confirms counts of an earlier statement, never of earlier code.
func TestNote(t *testing.T) {
	t.Chdir(root)
	const kernel = "chacha20 hChaCha20AVX2"
	rows, err := table.Read(".")
	if err != nil {
		t.Fatal(err)
	}
	o := options{kernel: kernel}
	subjects, err := o.subjects(rows)
	if err != nil {
		t.Fatal(err)
	}
	s := subjects[0]
	name := func(i int) string { return s.name(s.mutants[i]) }
	other := "chacha20 hChaCha20AVX512 0: RET: dropped"
	r := reasons{name(0): "so", name(1): "caught", kernel + " 0: RET: dropped": "gone", other: "other"}
	row := rows.Find(kernel)
	s.live, s.caught = []string{name(0), name(2)}, 7
	o.note(r, row, s)
	want := reasons{name(0): "so", name(2): unexplained, other: "other"}
	if !reflect.DeepEqual(r, want) || row.Mutants != "7 caught, 2 survive" {
		t.Errorf("got %v, %s, want %v, 7 caught, 2 survive", r, row.Mutants, want)
	}
	counted := row.Mutants
	s.live, s.caught, o.sample, o.write = []string{name(3)}, 1, 1, true
	for _, before := range []string{counted, counted + table.EarlierStatement, counted + table.EarlierCode, table.NotTried} {
		row.Mutants = before
		after := counted
		if before == counted+table.EarlierCode || before == table.NotTried {
			after = before
		}
		if o.note(r, row, s); !reflect.DeepEqual(r, want) || row.Mutants != after {
			t.Errorf("after a sample: got %v, %s, want %v, %s", r, row.Mutants, want, after)
		}
		row.Mutants = before
		for _, o.kernel = range []string{kernel, ""} {
			if _, err := o.subjects(rows); (err == nil) != (after == counted && o.kernel != "") {
				t.Errorf("sample with -kernel %q after %q: got error %v, want error: %t", o.kernel, before, err, after != counted || o.kernel == "")
			}
		}
	}
}

// TestCounted checks that PROVEN.md and survivors.txt agree on the number of survivors
// of each kernel, and that the mutants were counted for the current code and statement.
func TestCounted(t *testing.T) {
	t.Chdir(root)
	list, err := readSurvivors()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := table.Read(".")
	if err != nil {
		t.Fatal(err)
	}
	for i := range proof.Kernels {
		name := proof.Kernels[i].Name()
		row := rows.Find(name)
		switch survive := list.survive(name); {
		case row == nil || row.Mutants == table.NotTried:
			if survive != reasons(nil).survive(name) {
				t.Errorf("survivors.txt lists mutants of %s, which PROVEN.md says were not tried", name)
			}
		case strings.HasSuffix(row.Mutants, table.EarlierCode):
			t.Errorf("%s changed since its mutants were counted: run go run ./internal/proof/mutate -kernel %q -write", name, name)
		case strings.HasSuffix(row.Mutants, table.EarlierStatement):
			t.Errorf("the statement about %s changed since its mutants were counted: if it says as much as before, run go run ./internal/proof/mutate -kernel %q -sample 300 -write, otherwise without -sample", name, name)
		case !strings.HasSuffix(row.Mutants, survive):
			t.Errorf("%s: PROVEN.md has %q, want %q as in survivors.txt", name, row.Mutants, survive)
		}
	}
}

// together returns an error unless the proof holds with all changes applied at once and
// reaches each of them. Changes that preserve the result one by one usually do so
// together, unless some of them replace each other.
func (s *subject) together() error {
	changed := *s.fn
	changed.Code = slices.Clone(s.fn.Code)
	for _, m := range s.mutants {
		copy(changed.Code[m.Index:], m.of(s.fn).Code[m.Index:][:len(m.Code)])
	}
	r, err := s.kernel.ProveFunc(s.file, &changed, edges)
	for _, m := range s.mutants {
		if err == nil && !r.Reached[m.Index] {
			err = fmt.Errorf("%s is not reached", s.name(m))
		}
	}
	return err
}

// TestListed checks that each listed survivor has a reason. The whole test also checks
// that each is a mutant of its kernel, and that a random few of each kernel survive.
func TestListed(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("needs more memory than a 32-bit process has; the proofs are the same on every machine")
	}
	t.Chdir(root)
	list, err := readSurvivors()
	if err != nil {
		t.Fatal(err)
	}
	for name, reason := range list {
		if reason == unexplained {
			t.Errorf("%s: survivors.txt gives no reason", name)
		}
	}
	mactest.NeedWhole(t)
	subjects, err := new(options).subjects(&table.Table{})
	if err != nil {
		t.Fatal(err)
	}
	const few = 5
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, s := range subjects {
		var listed []Mutant
		for i := range s.fn.Code {
			for _, m := range mutants(s.fn, i) {
				if name := s.name(m); list[name] != "" {
					listed = append(listed, m)
					delete(list, name)
				}
			}
		}
		r.Shuffle(len(listed), func(a, b int) { listed[a], listed[b] = listed[b], listed[a] })
		s.mutants = nil
		for _, m := range listed { // mutants that change different instructions
			near := func(o Mutant) bool { return max(o.Index-m.Index, m.Index-o.Index) < 2 }
			if len(s.mutants) < few && !slices.ContainsFunc(s.mutants, near) {
				s.mutants = append(s.mutants, m)
			}
		}
		if len(s.mutants) == 0 || s.together() == nil {
			continue
		}
		if err := s.try(); err != nil || s.caught > 0 || len(s.live) != len(s.mutants) {
			t.Errorf("%s: %d of %d listed mutants survive, %d are caught: %v", s.kernel.Name(), len(s.live), len(s.mutants), s.caught, err)
		}
	}
	for name := range list {
		t.Errorf("survivors.txt lists %s, which is not a mutant of a kernel", name)
	}
}
