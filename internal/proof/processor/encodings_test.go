// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package processor

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/asm"
)

// TestEncodings assembles each form and compares its encoding (VEX, EVEX or legacy)
// with the instruction sets that amd64.Sets returns.
func TestEncodings(t *testing.T) {
	list, err := forms(root, "amd64", &amd.names)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	text.WriteString("TEXT ·forms(SB), 4, $0-0\n") // NOSPLIT
	for i := range list {
		text.WriteString(list[i].in.String() + "\n")
	}
	text.WriteString("there:\nRET\n")
	offsets, code := assemble(t, text.String())
	counts := map[string]int{}
	for i := range list {
		offset, ok := offsets[i+2]
		if !ok || offset >= len(code) {
			t.Fatalf("%s: not found in the assembled code", list[i].in.String())
		}
		got := map[byte]string{0x62: "EVEX", 0xc4: "VEX", 0xc5: "VEX"}[code[offset]]
		want := encoding(&list[i].in)
		if got != want {
			t.Errorf("%s is encoded as %q, want %q", list[i].in.String(), got, want)
		}
		counts[want]++
	}
	t.Logf("%d in VEX, %d in EVEX, %d in neither", counts["VEX"], counts["EVEX"], counts[""])
}

// encoding returns the encoding that the instruction sets of in imply.
func encoding(in *asm.Instr) (is string) {
	for _, set := range amd64.Sets(in) {
		switch {
		case strings.HasPrefix(set, "AVX512") && in.Op[0] != 'K':
			return "EVEX"
		case strings.HasPrefix(set, "AVX"), set == "BMI2", set == "VAES":
			is = "VEX"
		}
	}
	return is
}

// assemble returns the code of a function and the offset of each line in it.
func assemble(t *testing.T, text string) (offsets map[int]int, code []byte) {
	name := filepath.Join(t.TempDir(), "forms.s")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("go", "tool", "asm", "-S", "-p", "forms", "-o", name+".o", name)
	run.Env = append(os.Environ(), "GOARCH=amd64", "GOOS=linux", "GOFLAGS=")
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	offsets = map[int]int{}
	for _, m := range regexp.MustCompile(`(?m)^\t0x([0-9a-f]+) \d+ \(.*:(\d+)\)`).FindAllStringSubmatch(string(out), -1) {
		at, _ := strconv.ParseInt(m[1], 16, 32)
		line, _ := strconv.Atoi(m[2])
		offsets[line] = int(at)
	}
	for _, m := range regexp.MustCompile(`(?m)^\t0x[0-9a-f]+((?: [0-9a-f]{2})+) `).FindAllStringSubmatch(string(out), -1) {
		for _, b := range strings.Fields(m[1]) {
			var v byte
			fmt.Sscanf(b, "%x", &v)
			code = append(code, v)
		}
	}
	return offsets, code
}
