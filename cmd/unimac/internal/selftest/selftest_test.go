// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package selftest

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/cmd/unimac/internal/cli/clitest"
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

// root returns a command tree that contains only selftest.
func root() *cli.Command { return &cli.Command{Name: "unimac", Sub: []*cli.Command{Command()}} }

func runWith(stdin string, args ...string) clitest.Result {
	return clitest.Run(root(), strings.NewReader(stdin), args...)
}

// allVectors returns all vectors in the order of the file.
func allVectors(t *testing.T) (all []*vector) {
	vectors, packages, err := readVectors()
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range packages {
		all = append(all, vectors[pkg]...)
	}
	return all
}

// setVectors makes the command check only these vectors until the test ends.
func setVectors(t *testing.T, all []*vector) {
	saved := vectorsFile
	t.Cleanup(func() { vectorsFile = saved })
	var err error
	if vectorsFile, err = json.Marshal(all); err != nil {
		t.Fatal(err)
	}
}

// short returns one vector for each package.
func short(all []*vector) []*vector {
	return slices.CompactFunc(all, func(a, b *vector) bool { return a.Package == b.Package })
}

func TestSelftest(t *testing.T) {
	inUse := map[string]string{}
	for _, pkg := range dispatch.Packages() {
		inUse[pkg] = dispatch.InUse(pkg)
	}
	r := runWith("", "selftest")
	r.Want(t, 0, "umac ", "")
	for _, l := range cpu.Levels() {
		if !strings.Contains(r.Stdout, l.String()) {
			t.Errorf("the output lacks level %s", l)
		}
	}
	for _, v := range short(allVectors(t)) {
		for _, name := range dispatch.List(v.Package) {
			row := findRow(r.Stdout, v.Package, name)
			want := "ok"
			if !dispatch.Available(v.Package, name) {
				want = "not on this machine"
			}
			if !strings.Contains(row, want) || strings.Contains(row, "yes") != (name == dispatch.InUse(v.Package)) {
				t.Errorf("%s, %s: got row %q, want %q, and yes only for the implementation in use", v.Package, name, row, want)
			}
		}
	}
	for pkg, name := range inUse {
		if got := dispatch.InUse(pkg); got != name {
			t.Errorf("%s: %s is in use afterwards, want %s", pkg, got, name)
		}
	}
}

func findRow(table, pkg, name string) string {
	for row := range strings.Lines(table) {
		if f := strings.Fields(row); len(f) > 2 && f[0] == pkg && f[1] == name {
			return row
		}
	}
	return ""
}

// TestSelftestFails changes a vector. All implementations of its package that this
// machine supports must fail, and no others.
func TestSelftestFails(t *testing.T) {
	all := short(allVectors(t))
	wrong := *all[0]
	wrong.Want = flipped(wrong.Want)
	setVectors(t, append(all, &wrong))
	r := runWith("", "selftest")
	r.Want(t, 1, "FAILED", "unimac selftest: "+wrong.Package+", ")
	for row := range strings.Lines(r.Stdout) {
		if f := strings.Fields(row); len(f) > 2 && dispatch.Available(f[0], f[1]) && (f[0] == wrong.Package) != (f[2] == "FAILED") {
			t.Errorf("got row %q, want FAILED only in the rows of %s", row, wrong.Package)
		}
	}
	for _, name := range dispatch.List(wrong.Package) {
		if want := wrong.Package + ", " + name + ": "; strings.Contains(r.Stderr, want) != dispatch.Available(wrong.Package, name) {
			t.Errorf("got stderr %q, want %q if the implementation is available, and only then", r.Stderr, want)
		}
	}
}

// TestCheckWith checks that each level is selected while its vectors are checked, and
// reset afterwards.
func TestCheckWith(t *testing.T) {
	lacking := cpu.NEON // not available on amd64
	if lacking.Available() {
		lacking = cpu.SSE41
	}
	var choice dispatch.Choice
	dispatch.Register("fake", &choice, cpu.AMD64, lacking)
	normal := choice
	for _, name := range dispatch.List("fake") {
		ran := "none"
		result, err := checkWith("fake", name, []*vector{{}}, func(*vector) error {
			if ran = dispatch.InUse("fake"); choice.Level == cpu.AMD64 {
				return errWrongAnswer
			}
			return nil
		})
		want := "ok"
		switch {
		case !dispatch.Available("fake", name):
			want = "not on this machine"
		case name == "amd64":
			want = "FAILED"
		}
		if result != want || (result == "FAILED") != errors.Is(err, errWrongAnswer) {
			t.Errorf("%s: got %s, error %v, want %s", name, result, err, want)
		}
		if available := dispatch.Available("fake", name); available != (ran == name) {
			t.Errorf("%s: ran %v, want it to run only if it is available", name, ran)
		}
		if choice != normal {
			t.Errorf("%s: the choice was not restored", name)
		}
	}
	// The package has no vector.
	setVectors(t, short(allVectors(t)))
	runWith("", "selftest").Want(t, 1, "umac ", "unimac selftest: fake has implementations but no test\n")
}

// TestCheckNotices changes each output, key and message, and expects each check to
// fail.
func TestCheckNotices(t *testing.T) {
	for _, right := range allVectors(t) {
		if max(right.Pattern, len(right.Msg)*right.Times) > 1<<17 {
			continue // too slow
		}
		for name, change := range map[string]func(v *vector){
			"output": func(v *vector) { v.Want = flipped(v.Want) },
			"key":    func(v *vector) { v.Key = flipped(v.Key) },
			"length": func(v *vector) { v.Times, v.Pattern = v.Times*2+2, v.Pattern+1 },
		} {
			v := *right
			change(&v)
			switch {
			case name == "key" && len(v.Key) == 0, name == "length" && (len(v.Inputs) > 0 || v.Algorithm == "HChaCha20"):
				continue
			}
			if err := v.check(); err == nil {
				t.Errorf("%s, %d bytes: check accepts a vector with another %s", v.Algorithm, len(right.message()), name)
			}
		}
	}
}

// flipped returns a copy of d with one bit changed.
func flipped(d digits) digits {
	d = slices.Clone(d)
	if len(d) > 0 {
		d[len(d)-1] ^= 1
	}
	return d
}
