// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/attacks"
	"github.com/unimac/unimac/internal/proof"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/proven"
	"github.com/unimac/unimac/internal/proof/term"
)

// root is the module's directory.
const root = "../../.."

// kernel returns a statement by the name of its kernel or function. The caller may
// change the statement.
func kernel(t *testing.T, name string) *engine.Kernel {
	t.Helper()
	for _, k := range proof.Kernels {
		if k.Name() == name || k.Func == name {
			return k.Own()
		}
	}
	t.Fatalf("no kernel %s", name)
	return nil
}

// files caches parsed files by path.
var files = map[string]*asm.File{}

// read returns a kernel's file and function.
func read(t *testing.T, k *engine.Kernel) (*asm.File, *asm.Func) {
	t.Helper()
	f := files[k.File]
	if f == nil {
		var err error
		if f, _, err = k.Read(root); err != nil {
			t.Fatal(err)
		}
		files[k.File] = f
	}
	return f, f.Func(k.Func)
}

// TestMain limits the tests' memory in the same way as all proofs.
func TestMain(m *testing.M) { proven.Main(m) }

// inputKinds lists ways to choose the inputs of an execution. Extreme values put limbs at
// their bounds and make counters wrap.
var inputKinds = []struct {
	name   string
	choose func(r *rand.Rand, info *term.LeafInfo) uint64
}{
	{"random", func(r *rand.Rand, info *term.LeafInfo) uint64 {
		v := r.Uint64()
		if count := info.Max - info.Min + 1; count != 0 {
			v = info.Min + v%count
		}
		return v
	}},
	{"largest", func(_ *rand.Rand, info *term.LeafInfo) uint64 { return info.Max }},
	{"smallest", func(_ *rand.Rand, info *term.LeafInfo) uint64 { return info.Min }},
	{"extreme", func(r *rand.Rand, info *term.LeafInfo) uint64 {
		return []uint64{info.Min, info.Max, min(info.Min+1, info.Max), max(info.Max-1, info.Min)}[r.IntN(4)]
	}},
}

// TestFollow executes each kernel with numbers and compares its states with those that
// the proof assumes. The ordinary test executes a short length of one variant, with one
// kind of inputs. The whole test executes all variants with all kinds of inputs, for
// lengths without an iteration of the loop and with one and two iterations.
func TestFollow(t *testing.T) {
	var total engine.Following
	for i := range proof.Kernels {
		k := &proof.Kernels[i]
		t.Run(k.Name(), func(t *testing.T) {
			f, fn := read(t, k)
			parts, iterations := []engine.Part{k.First()}, []int64{1}
			if mactest.Whole() {
				parts, iterations = k.Parts(), []int64{0, 1, 2}
			}
			for _, part := range parts {
				if part.Kernel.From != "" {
					continue
				}
				x, err := follow(part, f, fn, iterations)
				if err != nil {
					t.Fatalf("%s: %v", part.Variant, err)
				}
				total.Add(x)
			}
		})
	}
	t.Logf("%+v", total)
}

// follow executes a kernel for lengths with the given numbers of iterations of its loop.
func follow(part engine.Part, f *asm.File, fn *asm.Func, iterations []int64) (total engine.Following, err error) {
	s, err := engine.NewSession(part.Kernel, f, fn, part.Variant)
	if err != nil {
		return total, err
	}
	defer s.Store.Drop()
	kinds := inputKinds
	if !mactest.Whole() { // choose a kind by the kernel's name
		h := fnv.New32()
		h.Write([]byte(part.Kernel.Name()))
		kinds = inputKinds[h.Sum32()%4:][:1]
	}
	follower := engine.NewFollower(s)
	seed := rand.Uint64()
	for _, n := range lengthsAfter(s, iterations) {
		for _, kind := range kinds {
			r := rand.New(rand.NewPCG(seed, uint64(n)))
			x, err := follower.Follow(n, func(info *term.LeafInfo) uint64 { return kind.choose(r, info) }, nil, -1)
			if err != nil {
				return total, fmt.Errorf("%d bytes, %s inputs, seed %d: %w", n, kind.name, seed, err)
			}
			total.Add(x)
		}
	}
	return total, nil
}

// lengthsAfter returns short lengths that callers may pass, one for each number of iterations
// of the loop.
func lengthsAfter(s *engine.Session, iterations []int64) (lengths []int64) {
	k := s.Kernel
	if k.Unit == 0 {
		return []int64{0}
	}
	extra := 5 * k.Unit
	if k.Max <= 128*k.Unit { // units are large
		extra = k.Unit
	}
	for _, count := range iterations {
		n := min(max(k.Min, k.Reached)+extra+count*k.Step, k.Max)
		for n = n / k.Unit * k.Unit; n < k.Max && k.Given != nil && !k.Given(&s.Case, n); n += k.Unit {
		}
		if !slices.Contains(lengths, n) {
			lengths = append(lengths, n)
		}
	}
	return lengths
}

// TestFollowPlanted checks that an execution differs from a proof in which one of the
// first two assertions is false, for kernels of each family.
func TestFollowPlanted(t *testing.T) {
	for _, name := range []string{"chacha20 xorAVX2", "blake2b compressAVX2", "multimixer sumAVX2", "poly1305 blocksAVX2", "aegis run128AVX2AES", "umac sumAVX2AES",
		"chacha20poly1305 sealNEON", "chacha20poly1305 cryptSSE41", "chacha20poly1305 shortAVX512IFMA", "chacha20poly1305 xorLanesAVX512IFMA"} {
		t.Run(name, func(t *testing.T) {
			k := kernel(t, name)
			f, fn := read(t, k)
			part := k.First()
			s, err := engine.NewSession(part.Kernel, f, fn, part.Variant)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Store.Drop()
			follower, lengths := engine.NewFollower(s), lengthsAfter(s, []int64{3})
			run := func(plant int) (engine.Following, error) {
				r := rand.New(rand.NewPCG(1, 2))
				return follower.Follow(lengths[0], func(info *term.LeafInfo) uint64 { return inputKinds[0].choose(r, info) }, nil, plant)
			}
			x, err := run(-1)
			if err != nil || x.Assertions == 0 {
				t.Fatalf("%d bytes: %+v, %v", lengths[0], x, err)
			}
			for plant := range min(x.Assertions, 2) {
				if _, err := run(plant); err == nil {
					t.Errorf("falsifying assertion %d of %d is not detected", plant, x.Assertions)
				}
			}
		})
	}
}

// TestFollowWrong executes the first thirteen wrong kernels of testdata/attacks.txt, which
// an earlier prover accepted, and compares them with the proofs of the correct kernels.
// Each must differ for one of a few random inputs.
func TestFollowWrong(t *testing.T) {
	list, err := attacks.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range list[:13] {
		t.Run(a.Name, func(t *testing.T) {
			k := kernel(t, a.Kernel)
			variants := a.Variants
			if variants == nil {
				variants = k.Sample().Variants
			}
			f, fn := read(t, k)
			_, wrong, err := a.Function(root, k)
			if err != nil {
				t.Fatal(err)
			}
			for _, variant := range variants {
				err := differs(t, k, f, fn, wrong, variant)
				if err != nil {
					t.Logf("%s: %v", variant, err)
					return
				}
			}
			t.Error("no execution of the wrong kernel differs from the proof")
		})
	}
}

// differs returns an error that states how an execution of wrong differs from the proof of
// fn, or nil if no input shows a difference.
func differs(t *testing.T, k *engine.Kernel, f *asm.File, fn, wrong *asm.Func, variant string) error {
	s, err := engine.NewSession(k, f, fn, variant)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Store.Drop()
	follower := engine.NewFollower(s)
	for _, n := range append(lengthsAfter(s, []int64{0, 1}), s.Kernel.Min) {
		for seed := range uint64(3) {
			r := rand.New(rand.NewPCG(seed, uint64(n)))
			if _, err := follower.Follow(n, func(info *term.LeafInfo) uint64 { return inputKinds[0].choose(r, info) }, wrong, -1); err != nil {
				return fmt.Errorf("%d bytes: %w", n, err)
			}
		}
	}
	return nil
}
