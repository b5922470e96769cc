// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/engine"
)

// A wrongKernel is an attack of testdata/attacks.txt: changes of a kernel that make it compute a wrong result, or leave a
// secret, for some input. An attack begins with ##, its name, the kernel, and variants that the changes concern. Its
// parts begin with @@: as in a diff, lines are kept, removed with -, or added with +. The first two kinds of a part must
// occur once in the function.
type wrongKernel struct {
	name, kernel, err string
	variants          []string
	parts             [][2]string // before and after
}

func wrongKernels(t *testing.T) (list []*wrongKernel) {
	t.Helper()
	data, err := os.ReadFile("testdata/attacks.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "## "); ok {
			list = append(list, &wrongKernel{name: name})
			continue
		}
		if len(list) == 0 || line == "" {
			continue
		}
		a := list[len(list)-1]
		if value, ok := strings.CutPrefix(line, "kernel: "); ok {
			a.kernel = value
		} else if value, ok := strings.CutPrefix(line, "variants: "); ok {
			a.variants = strings.Split(value, "; ")
		} else if value, ok := strings.CutPrefix(line, "refused: "); ok {
			a.err = value
		} else if line == "@@" {
			a.parts = append(a.parts, [2]string{})
		} else {
			part := &a.parts[len(a.parts)-1]
			code := line[1:] + "\n"
			if line[0] != '+' {
				part[0] += code
			}
			if line[0] != '-' {
				part[1] += code
			}
		}
	}
	return list
}

// of returns the changed function.
func (a *wrongKernel) of(t *testing.T, k *engine.Kernel) (*asm.File, *asm.Func) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(k.File)))
	if err != nil {
		t.Fatal(err)
	}
	var before, function, after strings.Builder
	to := &before
	for line := range strings.Lines(string(data)) {
		code, _, _ := strings.Cut(line, "//")
		words := strings.Fields(code)
		switch {
		case len(words) > 1 && words[0] == "TEXT" && words[1] == "·"+k.Func+"(SB),":
			to = &function
		case len(words) > 1 && words[0] == "TEXT" && to == &function:
			to = &after
		}
		if to != &function {
			to.WriteString(line)
		} else if len(words) > 0 {
			to.WriteString(strings.Join(words, " ") + "\n")
		}
	}
	text := "\n" + function.String()
	for _, part := range a.parts {
		if n := strings.Count(text, "\n"+part[0]); n != 1 {
			t.Fatalf("%s has these lines %d times:\n%s", k.Func, n, part[0])
		}
		text = strings.Replace(text, "\n"+part[0], "\n"+part[1], 1)
	}
	return parse(t, filepath.Base(k.File), k.Func, before.String()+text+after.String())
}

// prove proves every variant of k for the lengths and returns the first error.
func prove(k *engine.Kernel, f *asm.File, fn *asm.Func, lengths engine.Lengths) error {
	variants := k.Variants
	if len(variants) == 0 {
		variants = []string{""}
	}
	for _, variant := range variants {
		s, err := engine.NewSession(k, f, fn, variant)
		if err == nil {
			_, err = s.Prove(lengths)
			s.Store.Drop()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TestWrongKernels has the proof of each wrong kernel fail, for the reason that the list gives: of every fourth one, or of
// all if everything is asked for.
func TestWrongKernels(t *testing.T) {
	for i, a := range wrongKernels(t) {
		if !mactest.Whole() && (i%4 > 0 || testing.Short() && i%8 > 0) {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			k := kernel(t, a.kernel).Sample()
			if a.variants != nil {
				k.Variants = a.variants
			}
			f, fn := a.of(t, k)
			// Most attacks fail at some lengths, which take less time than all.
			err := prove(k, f, fn, engine.Some)
			if err == nil {
				err = prove(k, f, fn, engine.All)
			}
			if err == nil || !strings.Contains(err.Error(), a.err) {
				t.Errorf("%v, want %q", err, a.err)
			} else {
				t.Log(err)
			}
		})
	}
}
