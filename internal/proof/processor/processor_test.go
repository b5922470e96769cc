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
	"github.com/unimac/unimac/internal/proof/arm64"
)

const root = "../../.."

// TestAMD64 compares with the processor that it runs on.
func TestAMD64(t *testing.T) {
	switch {
	case runtime.GOARCH != "amd64" || runtime.GOOS != "linux":
		t.Skip("tests on linux/amd64 compare these")
	case !cpu.AVX512IFMA() || !cpu.AVX512AES():
		uncompared(t, "this processor does not have all of %v", append(cpu.InstructionSets("AVX512IFMA"), "AES"))
	}
	test(t, amd, nil)
}

// TestARM64 compares with the processor, or an emulator of one.
func TestARM64(t *testing.T) {
	if runtime.GOARCH == "arm64" && runtime.GOOS == "linux" {
		test(t, arm, strings.Fields(os.Getenv("UNIMAC_TEST_EMULATOR")))
		return
	}
	qemu, err := exec.LookPath("qemu-aarch64")
	if err != nil {
		uncompared(t, "neither an arm64 nor an emulator: %v", err)
	}
	test(t, arm, []string{qemu})
}

// uncompared ends a test that cannot compare. CI must be able to.
func uncompared(t *testing.T, format string, args ...any) {
	t.Helper()
	says := "the meanings of instructions are NOT compared with a processor: " + fmt.Sprintf(format, args...)
	if os.Getenv("CI") != "" {
		t.Fatal(says)
	}
	t.Skip(says)
}

// TestOperations has each meaning belong to an instruction that a file has, and that is compared or
// named with a reason; and each instruction of the files have a meaning.
func TestOperations(t *testing.T) {
	for _, a := range []*architecture{amd, arm} {
		list, err := forms(root, a.name, &a.names)
		if err != nil {
			t.Fatal(err)
		}
		occurs := map[string]bool{}
		for i := range list {
			in := &list[i].in
			if in.Op == "WORD" {
				if in, err = arm64.Decode(in); err != nil {
					t.Fatal(err)
				}
			}
			op, _, _ := strings.Cut(in.Op, ".")
			occurs[op] = true
			if !slices.Contains(a.operations, op) {
				t.Errorf("%s: %s has no meaning", a.name, op)
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
	r := rand.New(rand.NewPCG(1, 2))
	var states []byte
	for range list {
		for range trials {
			s := a.layout.random(r)
			a.layout.setWord(s, a.layout.flags, r.Uint64()&a.maskFlags)
			a.layout.setWord(s, 8*a.number(a.names.index), uint64(r.IntN(8)))
			states = append(states, s...)
		}
	}
	after, err := a.execute(t.TempDir(), list, states, trials, with)
	if err != nil {
		t.Fatal(err)
	}
	n, compared := a.layout.size, 0
	m := a.newModel()
	for i := range list {
		for j := range trials {
			at := (i*trials + j) * n
			if err := m.compare(&list[i], states[at:at+n], after[at:at+n]); err != nil {
				t.Errorf("%s: %v", list[i].in.String(), err)
				break
			}
			compared++
			if j == 0 && !list[i].jump {
				notices(t, m, &list[i], states[at:at+n], after[at:at+n], r)
			}
		}
		if m.store.Size() > 1<<20 {
			m = a.newModel()
		}
	}
	t.Logf("%d forms, %d runs", len(list), compared)
}

// notices has the comparison fail if the processor had given another bit.
func notices(t *testing.T, m *model, f *form, before, after []byte, r *rand.Rand) {
	t.Helper()
	wrong := append([]byte(nil), after...)
	wrong[m.layout.vectors+r.IntN(32*m.layout.width)] ^= 1 << r.IntN(8)
	if m.compare(f, before, wrong) == nil {
		t.Errorf("%s: a bit of a vector more or less makes no difference", f.in.String())
	}
	wrong = append(wrong[:0], after...)
	wrong[r.IntN(4)] ^= 1 << r.IntN(8)
	if m.compare(f, before, wrong) == nil {
		t.Errorf("%s: a bit of a word more or less makes no difference", f.in.String())
	}
}
