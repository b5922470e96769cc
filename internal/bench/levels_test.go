// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/bench/goals"
	"github.com/unimac/unimac/internal/speed"
)

// TestLevel has a script in the place of the program, which tells what it was told.
func TestLevel(t *testing.T) {
	script := filepath.Join(t.TempDir(), "bench")
	text := "#!/bin/sh\nprintf '{\"Goal\":7,\"Cell\":\"%s; %s; %s; %s\"}\\n' \"$*\" \"$GODEBUG\" \"$OPENSSL_ia32cap\" \"$UNIMAC_BENCH_IPSECMB\"\n"
	if err := os.WriteFile(script, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
	got, err := measureLevel(script, levels[1], "UMAC", true, io.Discard)
	want := map[int]string{7: "-goals -cells -quick=true -run UMAC; cpu.avx512f=off,cpu.avx2=off; ~0x1000180000000000:~0x600f0230128; SSE"}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, error %v, want %v", got, err, want)
	}
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexit 1\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := measureLevel(script, levels[0], "UMAC", true, io.Discard); err == nil || !strings.HasPrefix(err.Error(), "AVX2 alone: ") {
		t.Errorf("error %v of a process that fails", err)
	}
}

// TestAddAVX2 has a script in the place of the program, too.
func TestAddAVX2(t *testing.T) {
	script := filepath.Join(t.TempDir(), "bench")
	text := "#!/bin/sh\nprintf '[{\"Name\":\"c\",\"Entrants\":[{\"Name\":\"unimac\",\"NS\":[7]},{\"Name\":\"peer\",\"NS\":[8]}]}]'\n" +
		"test \"$*; $GODEBUG\" = '-cells -quick=true -run ^c$; cpu.avx512f=off'\n"
	if err := os.WriteFile(script, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
	c := speed.Contest{Name: "c", Entrants: []speed.Entrant{{Name: "unimac", Label: "ours", Ours: true, NS: []float64{1}}, {Name: "peer", NS: []float64{2}}}}
	if err := addAVX2(script, true, &c, io.Discard); err != nil {
		t.Fatal(err)
	}
	if len(c.Entrants) != 3 || c.Entrants[1].Name != "unimac-avx2" || c.Entrants[1].Label != "ours, AVX2" || c.Entrants[1].NS[0] != 7 {
		t.Errorf("%+v", c.Entrants)
	}
}

func TestWriteLevel(t *testing.T) {
	var b strings.Builder
	ratio := goals.Ratio{SpeedAtLeast: 9}
	results := []goals.Result{
		{Goal: goals.Goal{Peer: "nettle", Ratio: ratio}, Measured: 2},
		{Goal: goals.Goal{Peer: "libsodium", Ratio: ratio}, Measured: 3},
		{Missing: io.EOF},
	}
	err := writeLevel(&b, []int{0, 4, 5}, results)
	want := `{"Goal":0,"Cell":"2.00 ×"}
{"Goal":4,"Cell":"3.00 ×, theirs at full width"}
{"Goal":5,"Cell":"not measured"}
`
	if err != nil || b.String() != want {
		t.Errorf("%s, error %v, want\n%s", &b, err, want)
	}
	table := goalTable(results[:2], [][]string{{"AVX2 alone", "2.00 ×", ""}}, nil)
	if lines := strings.Split(table, "\n"); !strings.HasSuffix(lines[0], "| AVX2 alone |") || !strings.HasSuffix(lines[2], "| 2.00 ×     |") {
		t.Errorf("columns:\n%s", table)
	}
}
