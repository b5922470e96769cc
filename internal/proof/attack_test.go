// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// An attack is an incorrect copy function for amd64 or arm64, whose proof must fail
// with an error that contains err.
type attack struct {
	name, arch, text, err string
}

func tinyAttacks() []attack {
	const back = " back\nJMP on\nback:\nRET\non:"
	amd := func(name, err, frame, begin, loop, end string) attack {
		return attack{name, "amd64", tinyAMD64(frame, begin, loop, end), err}
	}
	arm := func(name, err, frame, begin, loop, end string) attack {
		return attack{name, "arm64", tinyARM64(frame, begin, loop, end), err}
	}
	return []attack{
		amd("returns where dst is aligned", "do not decide", "0", "TESTQ $63, DI\nJZ"+back, "", ""),
		amd("returns where dst is above src", "do not decide", "0", "CMPQ DI, SI\nJA"+back, "", ""),
		amd("returns for every second length", "do not decide", "0", "TESTQ $8, CX\nJZ"+back, "", ""),
		amd("returns for lengths with a bit", "do not decide", "0", "MOVQ CX, BX\nSHRQ $9, BX\nANDQ $1, BX\nJNZ"+back, "", ""),
		amd("flips a bit of the copy", "dst[", "0", "", "MOVQ DI, BX\nSUBQ SI, BX\nMOVQ (SI)(BX*1), AX\nXORQ $1, AX\nMOVQ AX, (SI)(BX*1)", ""),
		amd("stores an undefined frame word", "dst[", "16", "", "MOVQ (SP), AX\nMOVQ AX, (DI)", ""),
		amd("stores over the return address", "8 bytes at frame", "0", "", "", "MOVQ AX, (SP)"),
		amd("changes the first word after the loop", "points to no declared object", "0", "MOVQ DI, R8", "", "MOVQ $0, (R8)"),
		amd("reads src at an offset that overflows", "may have only", "0", "MOVQ $0x2000000000000000, BX\nMOVQ (SI)(BX*8), AX\nMOVQ 8(SI)(BX*8), AX", "", ""),
		amd("writes src and restores it", "stores to src", "0", "", "MOVQ $0, (SI)\nMOVQ AX, (SI)", ""),
		amd("xors the previous word", "R9 is unknown at the loop's head", "0", "XORQ R9, R9", "XORQ R9, AX\nMOVQ AX, (DI)\nMOVQ AX, R9", ""),
		amd("stores a pointer", "want", "0", "", "MOVQ DI, (DI)", ""),
		amd("uses another length", "", "0", "MOVQ public+32(FP), CX", "", ""),
		arm("returns where dst is aligned", "do not decide", "0", "TST $63, R0\nBEQ back\nB on\nback:\nRET\non:", "", ""),
		arm("reads beyond src", "may have only", "0", "", "", "MOVBU (R1), R4"),
	}
}

// TestAttackKernels checks that the proof fails for functions that copy incorrectly or
// access other memory, many of them only for some lengths, alignments or contents.
func TestAttackKernels(t *testing.T) {
	for _, a := range tinyAttacks() {
		t.Run(a.arch+" "+a.name, func(t *testing.T) {
			k := tiny()
			if a.arch == "arm64" {
				k.File, k.Func = "tiny_arm64.s", "tinyNEON"
			}
			f, fn := parse(t, k.File, k.Func, a.text)
			_, err := k.ProveFunc(f, fn, engine.All)
			if err == nil || !strings.Contains(err.Error(), a.err) {
				t.Errorf("proof: got error %v, want %q", err, a.err)
			}
		})
	}
}

// TestAttackStatements checks that the prover rejects invalid statements. Otherwise, a
// function that does nothing, or that copies nothing in some calls, would be proven.
func TestAttackStatements(t *testing.T) {
	nothing := strings.Replace(tinyAMD64("0", "", "", ""), "MOVQ AX, (DI)", "", 1)
	after := func(k *engine.Kernel, change func(c *engine.Case)) {
		setup := k.Setup
		k.Setup = func(c *engine.Case) { setup(c); change(c) }
	}
	// one changes the statement to a copy of 8 bytes. Its Spec describes the object
	// that output returns.
	one := func(k *engine.Kernel, name string, output func(dst *machine.Object) *machine.Object) {
		k.Unit, k.Step = 0, 0
		k.Setup = func(c *engine.Case) {
			dst, src := engine.Writable(c.Buffer(name, 8)), c.Buffer("src", 8)
			c.Arg(dst.Base, src.Base, c.Const(64, 8), c.Input("secret", false), c.Input("public", true))
			k.Spec = func(c *engine.Case, _ int64, _ bool) { c.Expect(output(dst), 0, src.Load(0, 8)) }
		}
	}
	for _, test := range []struct {
		name, text, err string
		change          func(k *engine.Kernel)
	}{
		{"output named frame", nothing, "frame[0] is", func(k *engine.Kernel) {
			one(k, "frame", func(dst *machine.Object) *machine.Object { return dst })
		}},
		{"minimum above maximum", nothing, "the bounds of n allow no value", func(k *engine.Kernel) { k.Min, k.Max, k.Step = 16, 8, 0 }},
		{"Given rejects all lengths", nothing, "callers can pass no length", func(k *engine.Kernel) {
			k.Given, k.Step = func(*engine.Case, int64) bool { return false }, 0
		}},
		{"no multiple of the unit in range", nothing, "callers can pass no length", func(k *engine.Kernel) { k.Min, k.Max, k.Step = 9, 15, 0 }},
		{"negative unit", nothing, "unit -8", func(k *engine.Kernel) { k.Unit, k.Step = -8, 0 }},
		{"read-only output", nothing, "which is read-only", func(k *engine.Kernel) {
			after(k, func(c *engine.Case) { object(c, "dst").Writable = false })
			k.Step = 0
			k.Max = 8
		}},
		{"output that Setup does not declare", nothing, "not compared", func(k *engine.Kernel) {
			one(k, "dst", func(dst *machine.Object) *machine.Object { other := *dst; return &other })
		}},
		{"output before the buffer", nothing, "before the start of the object", func(k *engine.Kernel) {
			k.Step, k.Max = 0, 8
			k.Spec = func(c *engine.Case, n int64, _ bool) {
				for i := range n {
					c.ExpectBytes(object(c, "dst"), i-n, object(c, "dst").Initial(i))
				}
			}
		}},
		// For 40 bytes, a 12-byte step leaves 28 bytes, which are not copied. No proven
		// length shows this, because 28 is not a multiple of 8.
		{"step that is not a multiple of the unit", `TEXT ·tinyAVX512(SB), NOSPLIT, $0-40
			MOVQ dst+0(FP), DI
			MOVQ src+8(FP), SI
			MOVQ n+16(FP), CX
		again:
			CMPQ CX, $36
			JB   last
			MOVQ (SI), AX
			MOVQ AX, (DI)
			MOVL 8(SI), AX
			MOVL AX, 8(DI)
			ADDQ $12, SI
			ADDQ $12, DI
			SUBQ $12, CX
			JMP  again
		last:
			CMPQ CX, $28
			JEQ  done
		words:
			MOVQ (SI), AX
			MOVQ AX, (DI)
			ADDQ $8, SI
			ADDQ $8, DI
			SUBQ $8, CX
			JNZ  words
		done:
			RET`, "step 12", func(k *engine.Kernel) {
			k.Step, k.Reached = 12, 24
			k.Advance = func(c *engine.Case) {
				c.Move(object(c, "dst"), 12)
				c.Move(object(c, "src"), 12)
			}
		}},
		// This function does not end for 24 or more bytes.
		{"Advance keeps the length", `TEXT ·tinyAVX512(SB), NOSPLIT, $0-40
			MOVQ dst+0(FP), DI
			MOVQ src+8(FP), SI
			MOVQ n+16(FP), CX
		again:
			CMPQ CX, $24
			JAE  again
			MOVQ (SI), AX
			MOVQ AX, (DI)
			CMPQ CX, $8
			JEQ  done
			MOVQ 8(SI), AX
			MOVQ AX, 8(DI)
		done:
			RET`, "Advance changes n, which is the length", func(k *engine.Kernel) {
			k.Reached = 16
			spec := k.Spec
			k.Spec = func(c *engine.Case, n int64, last bool) {
				if last {
					spec(c, n, last)
				}
			}
			k.Advance = func(c *engine.Case) { c.Become(c.N, c.N) }
		}},
		{"input with contradictory bounds", tinyAMD64("0", "CMPQ public+32(FP), $5\nJBE on\nRET\non:", "", ""), "allow no value", func(k *engine.Kernel) {
			k.Step, k.Max = 0, 8
			after(k, func(c *engine.Case) {
				c.Arguments.Set(32, c.NewLeaf(64, term.LeafInfo{Name: "public", Public: true, Min: 9, Max: 4}))
			})
		}},
		{"step as large as the largest length", nothing, "two iterations", func(k *engine.Kernel) { k.Step = 1024 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := tiny()
			test.change(k)
			refused(t, k, test.text, test.err)
		})
	}
}
