// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package processor

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"
)

const root = "../../.."

// TestAMD64 compares with the processor that it runs on.
func TestAMD64(t *testing.T) {
	if runtime.GOARCH != "amd64" || runtime.GOOS != "linux" || !cpu.X86.HasAVX512BW || !cpu.X86.HasAVX512VL || !cpu.X86.HasAVX512IFMA || !cpu.X86.HasAVX512VBMI2 {
		t.Skip("no processor with the instructions")
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
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	test(t, arm, []string{qemu})
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
	list = known(t, a, list)
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

// known leaves out the forms whose meaning is not known: no proof uses them.
func known(t *testing.T, a *architecture, list []form) (out []form) {
	m := a.newModel()
	r := rand.New(rand.NewPCG(1, 2))
	s := a.layout.random(r)
	var unknown []string
	for _, f := range list {
		if err := m.compare(&f, s, s); err != nil && strings.Contains(err.Error(), "no meaning is known") {
			unknown = append(unknown, f.in.String())
			continue
		}
		out = append(out, f)
	}
	if len(unknown) > 0 {
		t.Logf("without a meaning: %s", strings.Join(unknown, "; "))
	}
	return out
}
