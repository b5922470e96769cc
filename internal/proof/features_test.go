// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/engine"
)

// TestFeatures checks that a kernel is rejected if it uses an instruction that the
// level in its name does not include.
func TestFeatures(t *testing.T) {
	for _, test := range []struct{ kernel, after, instruction, err string }{
		{"hChaCha20AVX2", "MOVQ nonce+16(FP), DX", "VPORQ X17, X17, X17", "needs AVX512F"},
		{"hChaCha20AVX2", "MOVQ nonce+16(FP), DX", "VPXOR Y16, Y0, Y0", "unsupported instruction form"},
		{"hChaCha20AVX2", "MOVQ nonce+16(FP), DX", "VPADDD Y16, Y0, Y0", "needs AVX512F"},
		{"hChaCha20AVX2", "MOVQ nonce+16(FP), DX", "VPADDD Z1, Z0, Z0", "needs AVX512F"},
		{"hChaCha20AVX2", "MOVQ nonce+16(FP), DX", "VPSRLD $4, (DX), X0", "needs AVX512F"},
		{"hChaCha20AVX2", "MOVQ nonce+16(FP), DX", "VPSLLDQ $4, (DX), X0", "needs AVX512BW"},
		{"hChaCha20AVX2", "MOVQ nonce+16(FP), DX", "VPBROADCASTD DX, Y0", "needs AVX512F"},
		{"hChaCha20AVX2", "MOVQ nonce+16(FP), DX", "VPADDD.BCST (DX), Y0, Y0", "needs AVX512F"},
		{"hChaCha20AVX2", "MOVQ nonce+16(FP), DX", "KMOVQ DX, K1", "needs AVX512BW"},
		{"hChaCha20AVX2", "MOVQ nonce+16(FP), DX", "VAESENC X0, X0, X0", "needs AES"},
		{"hChaCha20AVX512", "MOVQ nonce+16(FP), DX", "VPSHRDQ $1, Z0, Z0, Z0", "needs AVX512VBMI2"},
		{"hChaCha20AVX512", "MOVQ nonce+16(FP), DX", "VPMADD52LUQ Y0, Y0, Y0", "needs AVX512IFMA"},
		{"subWordAVX2AES", "MOVL w+0(FP), AX", "VAESENC Y0, Y0, Y0", "needs VAES"},
		{"blocksAMD64", "MOVQ n+16(FP), SI", "MULXQ AX, AX, AX", "needs BMI2"},
		{"blocksAMD64", "MOVQ n+16(FP), SI", "VPXOR X0, X0, X0", "needs AVX"},
		{"blocksAMD64", "MOVQ n+16(FP), SI", "ADCXQ AX, AX", "unknown instruction"},
		{"hChaCha20NEON", "MOVD nonce+16(FP), R21", "AESE V0.B16, V1.B16", "needs AES"},
	} {
		k := kernel(t, test.kernel)
		f, fn := planted(t, k, test.after, test.instruction)
		if _, err := k.ProveFunc(f, fn, engine.All); err == nil || !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s in %s: got error %v, want %q", test.instruction, test.kernel, err, test.err)
		}
	}
}

// TestRequired compares the instruction sets that each amd64 function needs with the
// Requires line that its generator has written. The generator treats registers 16 to 31
// as registers 0 to 15, so the test does the same.
func TestRequired(t *testing.T) {
	requires := regexp.MustCompile(`(?m)^// func (\w+)\(.*\n(?:// Requires: (.*)\n)?TEXT `)
	functions := 0
	for i := range Kernels {
		k := &Kernels[i]
		if !strings.HasSuffix(k.File, "_amd64.s") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(k.File)))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range requires.FindAllStringSubmatch(string(text), -1) {
			if m[1] != k.Func {
				continue
			}
			functions++
			var want []string
			if m[2] != "" {
				want = strings.Split(m[2], ", ")
			}
			_, fn := read(t, k)
			got := map[string]bool{}
			for _, in := range fn.Code {
				in.Args = slices.Clone(in.Args)
				for j, o := range in.Args {
					var n int
					if _, err := fmt.Sscanf(o.Reg+" ", "X%d ", &n); err == nil {
						in.Args[j].Reg = fmt.Sprintf("X%d", n%16)
					} else if _, err := fmt.Sscanf(o.Reg+" ", "Y%d ", &n); err == nil {
						in.Args[j].Reg = fmt.Sprintf("Y%d", n%16)
					}
				}
				for _, set := range amd64.Sets(&in) {
					got[set] = true
				}
			}
			for _, set := range cpu.AVX512IFMA.Sets() {
				if got[set] != slices.Contains(want, set) {
					t.Errorf("%s needs %s: got %t, want %t as in its Requires line", k.Name(), set, got[set], !got[set])
				}
			}
		}
	}
	if functions < 30 {
		t.Errorf("compared %d functions, want at least 30", functions)
	}
}
