// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// tiny returns the statement of a function that copies n bytes from src to dst. n is a
// multiple of 8. The function also takes a secret and a public word.
func tiny() *engine.Kernel {
	return tinyWith(func(c *engine.Case) term.Term { return c.Input("public", true) })
}

// tinyWith is like tiny, but public declares the last argument.
func tinyWith(public func(c *engine.Case) term.Term) *engine.Kernel {
	var dst, src *machine.Object
	return &engine.Kernel{
		File: "tiny_amd64.s", Func: "tinyAVX512", Claim: "dst = src",
		Range: engine.Range{Unit: 8, Min: 8, Max: 1024},
		Loop: engine.Loop{
			Step: 8,
			Advance: func(c *engine.Case) {
				c.Move(dst, 8)
				c.Move(src, 8)
			},
		},
		Unwiped: true,
		Setup: func(c *engine.Case) {
			dst, src = engine.Writable(c.Bytes("dst", c.N)), c.Bytes("src", c.N)
			c.Arg(dst.Base, src.Base, c.N, c.Input("secret", false), public(c))
		},
		Spec: func(c *engine.Case, n int64, _ bool) {
			for i := range n {
				c.ExpectBytes(dst, i, src.Initial(i))
			}
		},
	}
}

// tinyAMD64 returns an amd64 function that satisfies tiny, with extra instructions
// before the loop, in the loop and after it.
func tinyAMD64(frame, begin, loop, end string) string {
	return "TEXT ·tinyAVX512(SB), NOSPLIT, $" + frame + "-40\nMOVQ dst+0(FP), DI\nMOVQ src+8(FP), SI\nMOVQ n+16(FP), CX\n" + begin +
		"\nagain:\nMOVQ (SI), AX\nMOVQ AX, (DI)\n" + loop +
		"\nADDQ $8, SI\nADDQ $8, DI\nSUBQ $8, CX\nJNZ again\n" + end + "\nRET\n"
}

func tinyARM64(frame, begin, loop, end string) string {
	return "TEXT ·tinyNEON(SB), NOSPLIT, $" + frame + "-40\nMOVD dst+0(FP), R0\nMOVD src+8(FP), R1\nMOVD n+16(FP), R2\n" + begin +
		"\nagain:\nMOVD (R1), R3\nMOVD R3, (R0)\n" + loop +
		"\nADD $8, R1\nADD $8, R0\nSUBS $8, R2, R2\nBNE again\n" + end + "\nRET\n"
}

// TestTiny checks that a small function is proven, and that changed functions are
// rejected. Each change breaks a rule that no kernel of the module breaks.
func TestTiny(t *testing.T) {
	for _, test := range []struct{ name, text, err string }{
		{"unchanged", tinyAMD64("0", "", "", ""), ""},
		{"uses its frame", tinyAMD64("16", "MOVQ CX, 8(SP)", "MOVQ AX, (SP)", "MOVQ 8(SP), CX"), ""},
		{"stores beyond dst", tinyAMD64("0", "", "", "MOVQ AX, (DI)"), "dst+8; dst may have only 8"},
		{"reads beyond src", tinyAMD64("0", "", "MOVL 5(SI), AX", ""), "4 bytes at src+5; src may have only 8"},
		{"reads before src", tinyAMD64("0", "", "MOVB -1(SI), AX", ""), "1 bytes at src-1"},
		{"offset that overflows", tinyAMD64("0", "MOVQ $0x7fffffffffffffff, BX", "MOVB (SI)(BX*1), AX", ""), "may have only"},
		{"stores to src", tinyAMD64("0", "", "MOVQ AX, (SI)", ""), "stores to src"},
		{"stores to an argument", tinyAMD64("0", "", "", "MOVQ AX, n+16(FP)"), "stores to arguments"},
		{"stores above the frame", tinyAMD64("8", "", "MOVQ AX, 8(SP)", ""), "8 bytes at frame+8; frame may have only 8"},
		{"stores below SP", tinyAMD64("8", "", "MOVQ AX, -8(SP)", ""), "8 bytes at frame-8"},
		{"reads beyond the arguments", tinyAMD64("0", "MOVQ more+40(FP), BX", "", ""), "8 bytes at arguments+40"},
		{"reads an argument after changing SP", tinyAMD64("64", "MOVQ SP, R8\nANDQ $-64, SP\nMOVQ n+16(FP), CX\nMOVQ R8, SP", "", ""), "changes SP"},
		{"address set to 0", tinyAMD64("64", "LEAQ -1(SP), BX\nANDQ $0, BX\nMOVQ CX, (BX)", "", ""), "points to no declared object"},
		{"changes BP", tinyAMD64("0", "", "", "MOVQ AX, BP"), "BP is changed"},
		{"no VZEROUPPER", tinyAMD64("0", "", "VMOVQ AX, X0\nVPBROADCASTQ X0, Y0", ""), "without VZEROUPPER"},
		{"no VZEROUPPER before one return", tinyAMD64("0", "VPXOR Y0, Y0, Y0\nCMPQ CX, $64\nJNE most\nMOVQ (SI), AX\nRET\nmost:", "", "VZEROUPPER"), "do not decide"},
		{"branch on a secret", tinyAMD64("0", "", "TESTQ AX, AX\nJE on\non:", ""), "branches on a secret"},
		{"branch on a secret argument", tinyAMD64("0", "CMPQ secret+24(FP), $0\nJE on\non:", "", ""), "branches on a secret"},
		{"branch on a public argument", tinyAMD64("0", "CMPQ public+32(FP), $0\nJE back\nJMP on\nback:\nRET\non:", "", ""), "do not decide"},
		{"address from a secret", tinyAMD64("0", "", "ANDQ $7, AX\nMOVB (SI)(AX*1), AX", ""), "depends on a secret"},
		{"prefetch address from a secret", tinyAMD64("0", "", "PREFETCHT0 (SI)(AX*1)", ""), "depends on a secret"},
		{"prefetch outside all objects", tinyAMD64("0", "MOVQ public+32(FP), BX", "PREFETCHT0 4096(SI)(BX*1)", ""), ""},
		{"address from a public argument", tinyAMD64("0", "MOVQ public+32(FP), BX\nMOVB (SI)(BX*1), AX", "", ""), "points to no declared object"},
		{"shift by a secret", tinyAMD64("0", "", "SHLXQ AX, AX, AX", ""), "unknown number of bits"},
		{"mask from a secret", tinyAMD64("0", "", "KMOVQ AX, K1\nVMOVDQU8 (SI), K1, X0", ""), "cannot determine mask bit 0"},
		{"two memory operands", tinyAMD64("0", "", "MOVQ (SI), (DI)", ""), "unsupported instruction form"},
		{"element size other than the lane size", tinyARM64("0", "", "VDUP V1.S[1], V2.D2", ""), "unsupported instruction form"},
		{"masked comparison", tinyAMD64("0", "", "VPCMPUQ $1, Z0, Z1, K1, K2", ""), "mask for a destination that is not a vector register"},
		{"masked store of part of a vector", tinyAMD64("0", "", "VEXTRACTI64X2 $1, Z0, K1, (DI)", ""), "mask for a destination that is not a vector register"},
		{"legacy vector operand at an unaligned address", tinyAMD64("0", "", "PADDD (SI), X0", ""), "is not known to be a multiple of 16"},
		{"legacy vector operand in the unaligned frame", tinyAMD64("16", "SHUFPS $27, (SP), X0", "", ""), "is not known to be a multiple of 16"},
		{"load pair into the updated base register", tinyARM64("0", "", "LDP.P 16(R1), (R1, R3)", ""), "updates a base register that is also another operand"},
		{"post-index other than the size of the load", tinyARM64("0", "", "VLD1R.P 8(R1), [V0.S4]", ""), "unsupported instruction form"},
		{"mask that selects bytes beyond src", tinyAMD64("0", "MOVQ $0x1ff, BX\nKMOVQ BX, K1", "VMOVDQU8 (SI), K1, X0", ""), "1 bytes at src+8; src may have only 8"},
		{"early return at one remaining length", tinyAMD64("0", "", "CMPQ CX, $0x100\nJE back\nJMP on\nback:\nRET\non:", ""), "do not decide"},
		{"copies 8 bytes too few", tinyAMD64("0", "SUBQ $8, CX\nJZ back\nJMP again\nback:\nRET", "", ""), "want"},
		{"stores 0 over each word", tinyAMD64("0", "", "MOVQ AX, (DI)\nXORQ AX, AX\nMOVQ AX, (DI)", ""), "want"},
		{"undefined flag", tinyAMD64("0", "", "MULQ AX\nADCQ $0, AX", ""), "undefined flag"},
		{"undefined flag at the loop's head", "TEXT ·tinyAVX512(SB), NOSPLIT, $0-40\nMOVQ dst+0(FP), DI\nMOVQ src+8(FP), SI\nMOVQ n+16(FP), CX\nXORQ AX, AX\n" +
			"again:\nADCQ BX, BX\nMOVQ (SI), AX\nMOVQ AX, (DI)\nADDQ $8, SI\nADDQ $8, DI\nSUBQ $8, CX\nJNZ again\nRET\n", "undefined flag"},
		{"missing RET", strings.Replace(tinyAMD64("0", "", "", ""), "RET", "NOP", 1), "runs past the end of the function"},
		{"wrong size of arguments", strings.Replace(tinyAMD64("0", "", "", ""), "-40", "-48", 1), "has 48 bytes of arguments"},

		{"unchanged", tinyARM64("0", "", "", ""), ""},
		{"uses its frame", tinyARM64("24", "MOVD R2, 8(RSP)", "MOVD R3, 24(RSP)", "MOVD 8(RSP), R2"), ""},
		{"stores over the saved link register", tinyARM64("24", "MOVD R2, (RSP)", "", ""), "8 bytes at frame-8"},
		{"stores above the frame", tinyARM64("24", "", "MOVD R3, 32(RSP)", ""), "8 bytes at frame+24; frame may have only 24"},
		{"stores over the saved frame pointer", tinyARM64("24", "MOVD R2, -8(RSP)", "", ""), "8 bytes at frame-16"},
		{"address selected by a secret", tinyARM64("0", "", "CMP $5, R3\nCSEL EQ, R1, R0, R4\nMOVD (R4), R4", ""), "depends on a secret"},
		{"changes RSP", tinyARM64("24", "SUB $16, RSP\nADD $16, RSP", "", ""), "changes SP"},
		{"store that updates RSP", tinyARM64("24", "MOVD.W R2, -16(RSP)", "", ""), "unsupported address form"},
		{"platform register", tinyARM64("0", "MOVD R2, R18", "", ""), "register R18"},
		{"assembler register", tinyARM64("0", "MOVD R2, R27", "", ""), "register R27"},
		{"load into the updated base register", tinyARM64("0", "MOVD R1, R4", "MOVD.P 8(R4), R4", ""), "updates a base register that is also another operand"},
		{"right shift by 0", tinyARM64("0", "VUSHR $0, V0.D2, V0.D2", "", ""), "shift by 0 is out of range"},
		{"left shift by the lane size", tinyARM64("0", "VSHL $64, V0.D2, V0.D2", "", ""), "shift by 64 is out of range"},
		{"branch on a secret", tinyARM64("0", "", "CBZ R3, on\non:", ""), "branches on a secret"},
		{"branch on a bit of a secret", tinyARM64("0", "", "TBZ $3, R3, on\non:", ""), "branches on a secret"},
		{"lanes that are not bytes", tinyARM64("0", "", "VEXT $1, V0.S4, V0.S4, V0.S4", ""), "unsupported instruction form"},
		{"list without vectors", tinyARM64("0", "", "VLD1R (R1), [8(R1)]", ""), "unsupported instruction form"},
		{"table lookup with a secret index", tinyARM64("0", "", "FMOVD R3, F0\nVTBL V0.B16, [V1.B16], V2.B16", ""), "shuffles by a value that is not constant"},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := tiny()
			if strings.Contains(test.text, "MOVD dst") {
				k.File, k.Func = "tiny_arm64.s", "tinyNEON"
			}
			refused(t, k, test.text, test.err)
		})
	}
}

// TestTinyComparisons checks that no comparison is decided from ranges if a sign or a
// wrap may change its result. Otherwise, the prover would ignore that the function
// returns without copying for some public words or lengths.
func TestTinyComparisons(t *testing.T) {
	const back = " back\nJMP on\nback:\nRET\non:"
	for _, test := range []struct{ name, begin string }{
		{"32 bits, less than", "CMPL public+32(FP), $0\nJLT" + back},
		{"32 bits, at most", "MOVL public+32(FP), BX\nORL $1, BX\nCMPL BX, $0\nJLE" + back},
		{"32 bits, at least", "MOVL $0x7fffffff, BX\nCMPL BX, public+32(FP)\nJGE on\nRET\non:"},
		{"16 bits, less than", "MOVWQZX public+32(FP), BX\nORQ $1, BX\nCMPW BX, $0\nJLT" + back},
		{"8 bits, less than", "CMPB public+32(FP), $0\nJLT" + back},
		{"8 bits of a length", "MOVQ CX, BX\nSHRQ $3, BX\nCMPB BX, $0\nJLT" + back},
		{"8 bits of a length, negated", "MOVQ CX, BX\nSHRQ $3, BX\nNEGB BX\nJLT on\nRET\non:"},
		{"32 bits, doubled", "MOVL public+32(FP), BX\nMOVL BX, R8\nADDL BX, R8\nCMPL R8, BX\nJB" + back},
		{"32 bits, plus 1", "MOVL public+32(FP), BX\nMOVL BX, R8\nINCL R8\nCMPL R8, BX\nJBE" + back},
		{"8 bits, doubled", "MOVQ public+32(FP), BX\nMOVQ BX, R8\nADDB BX, R8\nCMPB R8, BX\nJB" + back},
		{"16 bits, doubled", "MOVQ public+32(FP), BX\nMOVQ BX, R8\nADDW BX, R8\nCMPW R8, BX\nJA on\nRET\non:"},
		{"64 bits, product that overflows", "MOVQ CX, BX\nSHLQ $55, BX\nMOVQ BX, R8\nADDQ CX, BX\nSUBQ CX, R8\nCMPQ BX, R8\nJLE" + back},
	} {
		t.Run(test.name, func(t *testing.T) {
			refused(t, tiny(), tinyAMD64("0", test.begin, "", ""), "do not decide|unknown instruction")
		})
	}
	// Without signs and wraps, ranges decide these comparisons.
	for _, begin := range []string{
		"CMPQ CX, $0\nJLE" + back, "CMPQ CX, $1025\nJAE" + back,
		"MOVQ CX, BX\nADDQ CX, BX\nCMPQ BX, CX\nJLE" + back,
	} {
		refused(t, tiny(), tinyAMD64("0", begin, "", ""), "")
	}
	refused(t, tiny(), tinyAMD64("0", "MOVQ $8, BX\nCMPB public+32(FP), $0\nCMOVQLT BX, CX", "", ""), "do not|unknown instruction")
}

// TestTinyStatements checks that a proof fails if the statement is wrong or incomplete
// and the function makes use of it.
func TestTinyStatements(t *testing.T) {
	counted := strings.Replace(tinyAMD64("0", "", "", ""), "n+16(FP), CX", "n+16(FP), CX\nMOVQ CX, BX", 1)
	for _, test := range []struct {
		name, text, err string
		change          func(k *engine.Kernel)
	}{
		{"Spec describes only the end", strings.Replace(counted, "MOVQ AX, (DI)", "CMPQ CX, $8\nJNE on\nMOVQ AX, (DI)\non:", 1), "Spec does not describe", func(k *engine.Kernel) {
			spec := k.Spec
			k.Spec = func(c *engine.Case, n int64, last bool) {
				if last {
					spec(c, n, last)
				}
			}
		}},
		{"Spec leaves dst open after an iteration", strings.Replace(counted, "MOVQ AX, (DI)", "CMPQ CX, $8\nJNE on\nMOVQ AX, (DI)\non:", 1), "Spec does not describe", func(k *engine.Kernel) {
			spec := k.Spec
			k.Spec = func(c *engine.Case, n int64, last bool) {
				if c.Free(object(c, "dst"), 0, n); last {
					spec(c, n, last)
				}
			}
		}},
		{"Advance moves src by 16 bytes", strings.Replace(counted, "ADDQ $8, SI", "ADDQ $16, SI", 1), "the remaining part of src", func(k *engine.Kernel) {
			advance := k.Advance
			k.Advance = func(c *engine.Case) {
				advance(c)
				c.Move(object(c, "src"), 16)
			}
		}},
		{"32-bit argument read as 64 bits", strings.Replace(counted, "again:\n", "CMPQ public+32(FP), $5\nJE again\nagain:\n", 1), "branches on an argument whose upper bytes are unknown", func(k *engine.Kernel) {
			*k = *tinyWith(func(c *engine.Case) term.Term {
				return c.NewLeaf(32, term.LeafInfo{Name: "public", Public: true, Max: 1<<32 - 1})
			})
		}},
		{"undefined register", strings.Replace(counted, "again:\n", "TESTQ R9, R9\nJE again\nagain:\n", 1), "branches on an unknown value", func(k *engine.Kernel) {}},
		{"argument changed in each iteration", strings.Replace(counted, "again:\n", "again:\nADDQ $5, public+32(FP)\n", 1), "arguments[32] is unknown at the loop's head", func(k *engine.Kernel) {
			setup := k.Setup
			k.Setup = func(c *engine.Case) {
				setup(c)
				engine.Writable(c.Arguments)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := tiny()
			test.change(k)
			refused(t, k, test.text, test.err)
		})
	}
}

// refused checks that the proof fails with an error that contains one of the reasons,
// which | separates, or that the proof succeeds if reason is empty.
func refused(t *testing.T, k *engine.Kernel, text, reason string) {
	t.Helper()
	f, fn := parse(t, k.File, k.Func, text)
	_, err := k.ProveFunc(f, fn, engine.All)
	is := func(reason string) bool { return strings.Contains(err.Error(), reason) }
	if (err != nil) != (reason != "") || err != nil && !slices.ContainsFunc(strings.Split(reason, "|"), is) {
		t.Errorf("proof: got error %v, want %q", err, reason)
	}
}

// TestChangedWord checks that a loop is rejected if it changes an argument only in
// later iterations. Its first iteration stores the value that the argument already
// contains.
func TestChangedWord(t *testing.T) {
	var public term.Term
	k := tinyWith(func(c *engine.Case) term.Term {
		engine.Writable(c.Arguments)
		public = c.Input("public", true)
		return public
	})
	advance := k.Advance
	k.Advance = func(c *engine.Case) {
		advance(c)
		c.Become(public, c.AddConst(public, 8))
	}
	refused(t, k, tinyAMD64("0", "MOVQ public+32(FP), R9", "ADDQ $8, R9", ""), "")
	refused(t, k, tinyAMD64("0", "MOVQ public+32(FP), R9", "CMPQ CX, $8\nJEQ skip\nMOVQ R9, public+32(FP)\nskip:\nADDQ $8, R9", ""), "arguments[32] is unknown at the loop's head")
}
