// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/proof"
)

const root = "../../.."

// TestSample tries changes of kernels whose proofs are quick and, if everything is asked for,
// of all of which survivors.txt has all: none survives that it does not list.
func TestSample(t *testing.T) {
	sample, kernels := 60, []string{""}
	if !mactest.Whole() {
		sample, kernels = 20, []string{"chacha20 hChaCha20AVX2", "poly1305 powersAMD64"}
	}
	for _, kernel := range kernels {
		o := options{sample: sample, seed: 1, changes: 1, kernel: kernel, root: root}
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
	if err != nil || len(two) != 2 || two[0].Name() != "umac nhAVX2" || two[1].Name() != "multimixer sumAVX2" {
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

// TestCounted has every kernel that is counted be what it was then.
func TestCounted(t *testing.T) {
	list, err := readSurvivors(filepath.Join(root, listFile))
	if err != nil {
		t.Fatal(err)
	}
	for i := range proof.Kernels {
		k := &proof.Kernels[i]
		f, fn, err := k.Read(root)
		if err != nil {
			t.Fatal(err)
		}
		name := k.Name()
		counted, ok := list.tried[name]
		if ok && counted.digest != f.Digest(fn) {
			t.Errorf("%s changed since its mutants were counted: run go run ./internal/proof/mutate -kernel %q -write", name, name)
		}
		if ok && !testing.Short() && counted.statement != k.Digest() {
			t.Errorf("the statement about %s changed since its mutants were counted: if it says as much as before, run go run ./internal/proof/mutate -kernel %q -sample 300 -write, otherwise without -sample", name, name)
		}
		delete(list.tried, name)
	}
	for name := range list.tried {
		t.Errorf("%s is counted and no kernel", name)
	}
}

// TestListed has those that are listed survive, a few of each kernel at random, and each have a
// reason. The command tries all of them with -listed.
func TestListed(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("needs more memory than a 32-bit process has; the proofs are the same on every machine")
	}
	list, err := readSurvivors(filepath.Join(root, listFile))
	if err != nil {
		t.Fatal(err)
	}
	for s, reason := range list.reasons {
		if reason == unexplained {
			t.Errorf("%s: no reason", s)
		}
	}
	mactest.NeedWhole(t)
	subjects, err := (&options{changes: 100, root: root}).subjects(list)
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
			if _, ok := list.reasons[s.name(m)]; ok {
				listed = append(listed, m)
			}
		}
		if len(listed) == 0 {
			continue
		}
		r.Shuffle(len(listed), func(a, b int) { listed[a], listed[b] = listed[b], listed[a] })
		listed = listed[:min(few, len(listed))]
		s.mutants = listed
		live, caught, err := s.try()
		if err != nil || caught > 0 || len(live) != len(listed) {
			t.Errorf("%s: %d of %d listed changes survive, %d are caught: %v", s.kernel.Name(), len(live), len(listed), caught, err)
		}
	}
}
