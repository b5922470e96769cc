// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/proof"
	"github.com/unimac/unimac/internal/proof/engine"
)

// TestUnsaid checks that each statement rejects other values of each byte that a kernel
// may change, except for bytes that the statement is known to leave open. The ordinary
// test takes one variant of each kernel, and the whole test all variants. Both take the
// shortest length above 0.
func TestUnsaid(t *testing.T) {
	bytes := func(object string, ranges ...[2]int) (list []string) {
		for _, r := range ranges {
			for at := r[0]; at < r[1]; at++ {
				list = append(list, fmt.Sprintf("%s[%d]", object, at))
			}
		}
		return list
	}
	lanes := bytes("st", [2]int{8, 32}, [2]int{40, 64})                             // streams that are not in use
	used := append(bytes("arguments", [2]int{16, 40}), bytes("m", [2]int{0, 8})...) // bytes that a call consumes
	unsaid := map[string][]string{
		"umac nhPolyAVX2": lanes, "umac nhPolyAVX512": lanes, "umac nhPolyNEON": lanes, "umac nhPolySSE41": lanes,
		"chacha20poly1305 cryptAVX2": used, "chacha20poly1305 cryptAVX512": used, "chacha20poly1305 cryptSSE41": used,
		"chacha20poly1305 cryptHalvedAVX512IFMA": bytes("arguments", [2]int{16, 48}),
	}
	for i := range proof.Kernels {
		k := proof.Kernels[i].Sample()
		want := unsaid[k.Name()]
		slices.Sort(want)
		// In these kernels, Left relies on what Invariant states. All executions reach
		// the loop's head, so Unsaid may start there.
		fromHead := k.Func == "tagLanesAVX512IFMA" || k.Func == "cryptAVX512IFMA" || k.Func == "cryptHalvedAVX512IFMA"
		t.Run(k.Name(), func(t *testing.T) {
			f, fn := read(t, k)
			parts := []engine.Part{k.First()}
			if mactest.Whole() {
				parts = proof.Kernels[i].Parts()
			}
			for _, part := range parts {
				if part.Kernel.From != "" {
					continue
				}
				s, err := engine.NewSession(part.Kernel, f, fn, part.Variant)
				if err != nil {
					t.Fatal(err)
				}
				got, err := s.Unsaid(shortest(s), fromHead)
				if err != nil {
					t.Errorf("%s: %v", part.Variant, err)
				}
				s.Store.Drop()
				// Other variants may leave fewer bytes open than the first one.
				more := slices.DeleteFunc(slices.Clone(got), func(place string) bool { return slices.Contains(want, place) })
				if len(more) > 0 || part.Variant == k.First().Variant && !slices.Equal(got, want) {
					t.Errorf("%s: undetermined bytes: got %q, want %q", part.Variant, got, want)
				}
			}
		})
	}
}

// shortest returns the first length above 0 that callers may pass.
func shortest(s *engine.Session) int64 {
	k := s.Kernel
	if k.Unit == 0 {
		return 0
	}
	n := max(k.Unit, (k.Min+k.Unit-1)/k.Unit*k.Unit)
	for n < k.Max && k.Given != nil && !k.Given(&s.Case, n) {
		n += k.Unit
	}
	return n
}

// TestUnclaimed checks that each assertion rejects a different value in each place that
// it names. It tries the assertions at loop heads, at labels and at the end of each
// segment. An assertion that checks less than it states is therefore detected.
func TestUnclaimed(t *testing.T) {
	for i := range proof.Kernels {
		k := proof.Kernels[i].Sample()
		if k.Invariant == nil && k.After == nil && k.At == nil {
			continue
		}
		if got := unclaimed(t, k); len(got) > 0 {
			t.Errorf("%s: unchecked places: %q", k.Name(), got)
		}
	}
}

// unclaimed returns the places where the assertions of a kernel and its segments accept
// a different value.
func unclaimed(t *testing.T, k *engine.Kernel) (places []string) {
	t.Helper()
	file, fn := read(t, k)
	parts := []engine.Part{k.First()}
	for i := range k.Segments {
		parts = append(parts, k.Segments[i].Parts()[0])
	}
	for _, part := range parts {
		s, err := engine.NewSession(part.Kernel, file, fn, part.Variant)
		if err != nil {
			t.Fatal(err)
		}
		list, err := s.Unclaimed()
		s.Store.Drop()
		if err != nil {
			t.Errorf("%s: %v", k.Name(), err)
		}
		places = append(places, list...)
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// TestUnclaimedNotices removes Where from assertions at a loop's head, at a label and
// at the end of a segment. Unclaimed must then find the places that Where has checked.
func TestUnclaimedNotices(t *testing.T) {
	for _, test := range []struct {
		name, kernel string
		change       func(k *engine.Kernel)
		places       []string
	}{
		{"Where", "blocksAMD64", func(k *engine.Kernel) {
			invariant := k.Invariant
			k.Invariant = func(c *engine.Case) *engine.Assertion {
				a := invariant(c)
				a.Where = nil
				return a
			}
		}, []string{"after an iteration: DI", "after an iteration: R8", "after an iteration: R9", "on entry: DI", "on entry: R8", "on entry: R9"}},
		{"Note", "cryptAVX512IFMA", func(k *engine.Kernel) {
			summed := k.At["summed"]
			k.At = maps.Clone(k.At)
			k.At["summed"] = func(c *engine.Case, s engine.View) *engine.Assertion {
				a := summed(c, s)
				if a != nil {
					a.Where = nil
				}
				return a
			}
		}, lanes("at summed: Z18", "at summed: Z19", "at summed: Z20")},
		{"Exit", "cryptAVX2", func(k *engine.Kernel) {
			for i := range k.Segments {
				exit := k.Segments[i].Own().Exit
				k.Segments[i].Exit = func(c *engine.Case) *engine.Assertion {
					a := exit(c)
					a.Where = nil
					return a
				}
			}
		}, []string{"at the end: BX", "at the end: CX", "at the end: DX"}},
	} {
		k := kernel(t, test.kernel).Sample()
		test.change(k)
		if got := unclaimed(t, k); !slices.Equal(got, test.places) {
			t.Errorf("without %s: got unchecked places %q, want %q", test.name, got, test.places)
		}
	}
}

// lanes returns the places of the eight lanes of vectors.
func lanes(vectors ...string) (places []string) {
	for _, v := range vectors {
		for at := range 8 {
			places = append(places, fmt.Sprintf("%s[%d]", v, 8*at))
		}
	}
	slices.Sort(places)
	return places
}

// TestUnsaidNotices removes Left, which checks h. Unsaid must then find all bytes of h.
func TestUnsaidNotices(t *testing.T) {
	k := kernel(t, "blocksAMD64")
	k.Left = func(*engine.Case, engine.View, int64) error { return nil }
	f, fn := read(t, k)
	s, err := engine.NewSession(k, f, fn, k.Variants[0])
	if err != nil {
		t.Fatal(err)
	}
	defer s.Store.Drop()
	if got, err := s.Unsaid(0, false); err != nil || len(got) != 24 {
		t.Errorf("%q, %v", got, err)
	}
}

// TestSpecOfRest checks that what Spec states about a length is what it states about an
// iteration and about the remaining length. Proofs of loops rely on it.
func TestSpecOfRest(t *testing.T) {
	for i := range proof.Kernels {
		k := proof.Kernels[i].Sample()
		t.Run(k.Name(), func(t *testing.T) {
			f, fn := read(t, k)
			parts := []engine.Part{k.First()}
			if mactest.Whole() {
				parts = proof.Kernels[i].Parts()
			}
			for _, part := range parts {
				s, err := engine.NewSession(part.Kernel, f, fn, part.Variant)
				if err != nil {
					t.Fatal(err)
				}
				list, err := s.RestDiffers()
				if err != nil || len(list) > 0 {
					t.Errorf("%s: Spec differs at %q, error %v", part.Variant, list, err)
				}
				s.Store.Drop()
			}
		})
	}
}
