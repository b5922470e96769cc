// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package processor

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/proof/machine"
)

const root = "../../.."

// TestAMD64 compares the meanings with this machine's processor.
func TestAMD64(t *testing.T) {
	with := runner(t, amd)
	test(t, amdHere(), with)
}

// TestARM64 compares the meanings with this machine's processor or with qemu-aarch64.
func TestARM64(t *testing.T) { test(t, arm, runner(t, arm)) }

// runner returns the command that runs programs of an architecture, or nil if none is
// needed.
func runner(t *testing.T, a *architecture) []string {
	switch {
	case runtime.GOARCH == a.name && runtime.GOOS == "linux" && a == arm:
		return mactest.Emulator(t)
	case a == arm:
		qemu, err := exec.LookPath("qemu-aarch64")
		if err != nil {
			uncompared(t, "neither an arm64 nor an emulator: %v", err)
		}
		return []string{qemu}
	case runtime.GOARCH != "amd64" || runtime.GOOS != "linux":
		t.Skip("tests on linux/amd64 compare these")
	case !cpu.AVX2AES.Available():
		uncompared(t, "this processor does not have all of %v", cpu.AVX2AES.Sets())
	}
	return nil
}

// uncompared skips a test that cannot run the forms. In CI, it fails the test.
func uncompared(t *testing.T, format string, args ...any) {
	t.Helper()
	says := "the meanings of instructions are NOT compared with a processor: " + fmt.Sprintf(format, args...)
	if os.Getenv("CI") != "" {
		t.Fatal(says)
	}
	t.Skip(says)
}

// TestOperations checks that each meaning belongs to an instruction in a file, and that
// each instruction in the files has a meaning and is compared, unless the instruction
// is listed with a reason.
func TestOperations(t *testing.T) {
	for _, a := range []*architecture{amd, arm} {
		list, err := forms(root, a.name, &a.names)
		if err != nil {
			t.Fatal(err)
		}
		occurs := map[string]bool{}
		for i := range list {
			op, _, _ := strings.Cut(a.Decode(&list[i].in).Op, ".")
			occurs[op] = true
			if !slices.Contains(a.operations, op) {
				t.Errorf("%s: instruction %s has no meaning", a.name, op)
			}
		}
		for _, op := range a.operations {
			if occurs[op] == (a.names.ignored[op] != "") {
				t.Errorf("%s: %s has a meaning, and occurs and is compared: %t", a.name, op, occurs[op])
			}
		}
	}
}

func test(t *testing.T, a *architecture, with []string) {
	trials := 64
	if testing.Short() {
		trials = 1
	}
	list, err := forms(root, a.name, &a.names)
	if err != nil {
		t.Fatal(err)
	}
	all := len(list)
	if list = slices.DeleteFunc(list, func(f form) bool { return !a.has(f) }); len(list) < all {
		t.Logf("NOT compared, as this processor does not have them: %d forms of %d", all-len(list), all)
	}
	r := rand.New(rand.NewPCG(1, 2))
	states, after := a.states(t, list, trials, with, r)
	n, compared, symbolic := a.layout.size, 0, 0
	m := a.newModel()
	for i := range list {
		p, err := m.program(&list[i])
		if err != nil {
			t.Errorf("%s: %v", list[i].in.String(), err)
			continue
		}
		for j := range trials {
			at := (i*trials + j) * n
			if err := m.compare(&list[i], p, states[at:at+n], after[at:at+n]); err != nil {
				t.Errorf("%s: %v", list[i].in.String(), err)
				break
			}
			compared++
			if j == 0 && !list[i].jump {
				notices(t, m, &list[i], p, states[at:at+n], after[at:at+n], r)
				ok, err := m.symbolic(p, states[at:at+n], after[at:at+n])
				if err != nil {
					t.Errorf("%s on unknowns: %v", list[i].in.String(), err)
				}
				if ok {
					symbolic++
				}
			}
		}
		if m.blank.T.Size() > 1<<20 {
			m = a.newModel()
		}
	}
	t.Logf("%d forms, %d runs, %d forms on unknowns", len(list), compared, symbolic)
	if symbolic < len(list)/2 {
		t.Errorf("only %d of %d forms are executed on unknowns", symbolic, len(list))
	}
}

// states returns random states, trials for each form, before and after the processor
// executed the form.
func (a *architecture) states(t *testing.T, list []form, trials int, with []string, r *rand.Rand) (before, after []byte) {
	t.Helper()
	before = make([]byte, 0, trials*len(list)*a.layout.size)
	for range trials * len(list) {
		s := a.layout.random(r)
		a.layout.setWord(s, a.layout.flags, r.Uint64()&a.maskFlags)
		a.layout.setWord(s, 8*a.number(a.names.index), uint64(r.IntN(8)))
		before = append(before, s...)
	}
	after, err := a.execute(t.TempDir(), list, before, trials, with)
	if err != nil {
		t.Fatal(err)
	}
	return before, after
}

// notices checks that the comparison fails if one bit of the processor's result is
// flipped.
func notices(t *testing.T, m *model, f *form, p *machine.Program, before, after []byte, r *rand.Rand) {
	t.Helper()
	wrong := append([]byte(nil), after...)
	wrong[m.layout.vectors+r.IntN(m.layout.registers)*m.layout.width+r.IntN(m.layout.loaded)] ^= 1 << r.IntN(8)
	if m.compare(f, p, before, wrong) == nil {
		t.Errorf("%s: flipping a bit of a vector is not detected", f.in.String())
	}
	wrong = append(wrong[:0], after...)
	wrong[r.IntN(4)] ^= 1 << r.IntN(8)
	if m.compare(f, p, before, wrong) == nil {
		t.Errorf("%s: flipping a bit of a word is not detected", f.in.String())
	}
}
