// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/proof"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/table"
)

const root = "../../.."

// TestMain collects garbage seldom, as terms are kept while a kernel is proven.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(400 << 20) // then as often as needed
	m.Run()
}

// TestSample tries changes of kernels whose proofs are quick and, if everything is asked for,
// of all of which survivors.txt has all: none survives that it does not list.
func TestSample(t *testing.T) {
	t.Chdir(root)
	sample, kernels := 60, []string{""}
	if !mactest.Whole() {
		sample, kernels = 20, []string{"chacha20 hChaCha20AVX2", "poly1305 powersAMD64"}
	}
	for _, kernel := range kernels {
		o := options{sample: sample, seed: 1, changes: 1, kernel: kernel}
		var out bytes.Buffer
		if err := run(&o, &out); err != nil {
			t.Fatalf("%v\n%s", err, out.Bytes())
		}
		t.Log(out.String())
	}
}

// TestNames has -kernel take the names of the README's table and no others.
func TestNames(t *testing.T) {
	all, err := named("")
	if err != nil || len(all) != len(proof.Kernels) {
		t.Fatalf("%d kernels, want %d: %v", len(all), len(proof.Kernels), err)
	}
	two, err := named("umac nhAVX2, multimixer sumAVX2")
	if err != nil || len(two) != 2 || two[0].Name() != "multimixer sumAVX2" || two[1].Name() != "umac nhAVX2" {
		t.Errorf("%d kernels: %v", len(two), err)
	}
	for _, wrong := range []string{"sumAVX2", "multimixer", "multimixer sumAVX2,", "multimixer sumAVX22", "internal/multimixer sumAVX2"} {
		if _, err := named(wrong); err == nil {
			t.Errorf("%q is the name of a kernel", wrong)
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

// TestNote has a run of a kernel keep reasons, other kernels and changes that it does not try, and drop what does
// not survive. A sample changes the digest of the statement alone.
func TestNote(t *testing.T) {
	t.Chdir(root)
	const kernel = "chacha20 hChaCha20AVX2"
	o := options{changes: 1, kernel: kernel}
	subjects, err := o.subjects(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := subjects[0]
	name := func(i int) string { return s.name(s.mutants[i]) }
	var untried string
	for i := range s.fn.Code {
		if all := mutants(s.fn, i); len(all) > 2 {
			untried = s.name(all[2])
		}
	}
	other := tally("chacha20 hChaCha20AVX512")
	r := record{name(0): {"so"}, name(1): {"caught"}, kernel + " 0: RET: dropped": {"gone"}, untried: {"later"}, other: {"1", "2", "3", "4"}}
	s.live, s.caught = []string{name(0), name(2)}, 7
	o.note(r, s, "5")
	digest, statement := s.file.Digest(s.fn), s.kernel.Digest()
	want := record{name(0): {"so"}, name(2): {unexplained}, untried: {"later"}, other: {"1", "2", "3", "4"}, tally(kernel): {"7", digest, statement, "5"}}
	if !reflect.DeepEqual(r, want) {
		t.Errorf("%v, want %v", r, want)
	}
	r[tally(kernel)][2], r[tally(kernel)][3] = "another", "another"
	s.live, s.caught, o.sample = []string{name(3)}, 1, 1
	if o.note(r, s, "5"); !reflect.DeepEqual(r, want) {
		t.Errorf("after a sample %v, want %v", r, want)
	}
	o.write = true
	for _, digest := range []string{digest, "another"} {
		r[tally(kernel)][1] = digest
		for _, o.kernel = range []string{kernel, ""} {
			if _, err := o.subjects(r); (err == nil) != (digest != "another" && o.kernel != "") {
				t.Errorf("a sample of %q after a run of %s: %v", o.kernel, digest, err)
			}
		}
	}
}

// TestCounted has every kernel that is counted be what it was then, and its statement. What the statement compares is
// that of the first kernel of each package, or of all if everything is asked for.
func TestCounted(t *testing.T) {
	t.Chdir(root)
	files, packages := map[string]*asm.File{}, map[string]bool{}
	list, err := readSurvivors()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := table.Read(".")
	if err != nil {
		t.Fatal(err)
	}
	for i := range proof.Kernels {
		k := &proof.Kernels[i]
		if row, want := rows.Find(k.Name()), list.cell(k.Name()); row != nil && row.Mutants != want {
			t.Errorf("%s: PROVEN.md says %q of its changes, survivors.txt %q", k.Name(), row.Mutants, want)
		}
		if files[k.File] == nil {
			if files[k.File], _, err = k.Read("."); err != nil {
				t.Fatal(err)
			}
		}
		f, name := files[k.File], k.Name()
		fn := engine.Find(f, k.Func)
		pkg, _, _ := strings.Cut(name, " ")
		compares := mactest.Whole() || !testing.Short() && !packages[pkg]
		packages[pkg] = true
		counted, ok := list[tally(name)]
		if ok && counted[1] != f.Digest(fn) {
			t.Errorf("%s changed since its mutants were counted: run go run ./internal/proof/mutate -kernel %q -write", name, name)
		}
		if ok && !testing.Short() && (counted[2] != k.Digest() || compares && counted[3] != compared(t, k, f, fn)) {
			t.Errorf("the statement about %s changed since its mutants were counted: if it says as much as before, run go run ./internal/proof/mutate -kernel %q -sample 300 -write, otherwise without -sample", name, name)
		}
		delete(list, tally(name))
	}
	for name := range list {
		if name[0] == '@' {
			t.Errorf("%s is no kernel", name)
		}
	}
}

// compared returns what survivors.txt has of what a statement compares.
func compared(t *testing.T, k *engine.Kernel, f *asm.File, fn *asm.Func) string {
	t.Helper()
	digest, err := k.Compared(f, fn)
	if err != nil {
		t.Error(err)
	}
	return digest
}

// TestListed has those that are listed be changes of the kernels, survive, a few of each kernel at random, and each
// have a reason.
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
		if reason[0] == unexplained {
			t.Errorf("%s: no reason", name)
		}
		if name[0] == '@' {
			delete(list, name)
		}
	}
	mactest.NeedWhole(t)
	subjects, err := (&options{changes: 100}).subjects(list)
	if err != nil {
		t.Fatal(err)
	}
	const few = 5
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, s := range subjects {
		var listed []Mutant
		for _, m := range s.mutants {
			if name := s.name(m); list[name] != nil {
				listed = append(listed, m)
				delete(list, name)
			}
		}
		if len(listed) == 0 {
			continue
		}
		r.Shuffle(len(listed), func(a, b int) { listed[a], listed[b] = listed[b], listed[a] })
		listed = listed[:min(few, len(listed))]
		s.mutants = listed
		if err := s.try(); err != nil || s.caught > 0 || len(s.live) != len(listed) {
			t.Errorf("%s: %d of %d listed changes survive, %d are caught: %v", s.kernel.Name(), len(s.live), len(listed), s.caught, err)
		}
	}
	for name := range list {
		t.Errorf("%s is listed and no change of a kernel", name)
	}
}
