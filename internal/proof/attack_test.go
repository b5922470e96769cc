// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof/engine"
)

// TestAttackKernels has kernels that copy wrongly, or touch what is not theirs, for some lengths, alignments
// or contents alone.
func TestAttackKernels(t *testing.T) {
	const back = " back\nJMP on\nback:\nRET\non:"
	amd := func(frame, begin, turn, end, err string) [2]string {
		return [2]string{tinyAMD64(frame, begin, turn, end), err}
	}
	arm := func(frame, begin, turn, end, err string) [2]string {
		return [2]string{tinyARM64(frame, begin, turn, end), err}
	}
	for name, test := range map[string][2]string{
		"returns where dst is aligned":          amd("0", "TESTQ $63, DI\nJZ"+back, "", "", "does not decide"),
		"returns where dst is above src":        amd("0", "CMPQ DI, SI\nJA"+back, "", "", "does not decide"),
		"returns for every second length":       amd("0", "TESTQ $8, CX\nJZ"+back, "", "", "does not decide"),
		"returns for lengths with a bit":        amd("0", "MOVQ CX, BX\nSHRQ $9, BX\nANDQ $1, BX\nJZ"+back, "", "", "does not decide"),
		"copies dst on itself":                  amd("0", "", "MOVQ DI, BX\nSUBQ SI, BX\nMOVQ (SI)(BX*1), AX\nXORQ $1, AX\nMOVQ AX, (SI)(BX*1)", "", "dst["),
		"adds what the frame had":               amd("16", "", "MOVQ (SP), AX\nMOVQ AX, (DI)", "", "dst["),
		"stores over the return address":        amd("0", "", "", "MOVQ AX, (SP)", "8 bytes at frame"),
		"changes the first word after the loop": amd("0", "MOVQ DI, R8", "", "MOVQ $0, (R8)", "in no object"),
		"reads src by a multiple that wraps":    amd("0", "MOVQ $0x2000000000000000, BX\nMOVQ (SI)(BX*8), AX\nMOVQ 8(SI)(BX*8), AX", "", "", "which may have only"),
		"writes src and restores it":            amd("0", "", "MOVQ $0, (SI)\nMOVQ AX, (SI)", "", "stores to src"),
		"keeps a word for the next turn":        amd("0", "XORQ R9, R9", "XORQ R9, AX\nMOVQ AX, (DI)\nMOVQ AX, R9", "", "want"),
		"copies a word from a pointer's value":  amd("0", "", "MOVQ DI, (DI)", "", "want"),
		"counts down from another length":       amd("0", "MOVQ public+32(FP), CX", "", "", ""), // below
		"arm64: returns where dst is aligned":   arm("0", "TST $63, R0\nBEQ back\nB on\nback:\nRET\non:", "", "", "does not decide"),
		"arm64: reads beyond src after it":      arm("0", "", "", "MOVBU (R1), R4", "which may have only"),
	} {
		t.Run(name, func(t *testing.T) {
			k := tiny()
			if strings.HasPrefix(name, "arm64") {
				k.File, k.Func = "tiny_arm64.s", "tinyNEON"
			}
			f, fn := parse(t, k.File, k.Func, test[0])
			_, err := k.ProveFunc(f, fn, engine.All)
			if err == nil || !strings.Contains(err.Error(), test[1]) {
				t.Errorf("%v, want %q", err, test[1])
			}
		})
	}
}

// TestAttackStatements has statements under which a kernel that does nothing would be proven.
func TestAttackStatements(t *testing.T) {
	text := strings.Replace(tinyAMD64("0", "", "", ""), "MOVQ AX, (DI)", "", 1)
	for name, change := range map[string]func(k *engine.Kernel){
		"an output called frame": func(k *engine.Kernel) {
			k.Setup = func(c *engine.Case) {
				dst := engine.Writable(c.Buffer("frame", 8))
				src := c.Buffer("src", 8)
				c.Pointers(dst, src)
				c.Arg(c.Const(64, 8))
				c.Arg(c.Input("secret", false))
				c.Arg(c.Input("public", true))
				k.Spec = func(c *engine.Case, _ int64, _ bool) { c.Expect(dst, 0, c.Load(src, 0, 8)) }
			}
			k.Unit, k.Step = 0, 0
		},
		"no lengths":              func(k *engine.Kernel) { k.Min, k.Max, k.Step = 16, 8, 0 },
		"no length that is given": func(k *engine.Kernel) { k.Given, k.Step = func(*engine.Case, int64) bool { return false }, 0 },
	} {
		t.Run(name, func(t *testing.T) {
			k := tiny()
			change(k)
			f, fn := parse(t, k.File, k.Func, text)
			r, err := k.ProveFunc(f, fn, engine.All)
			if err == nil && len(r.Unreached(fn)) == 0 {
				t.Error("accepted")
			}
		})
	}
}
