// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package arm64

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// disassemble assembles a file for arm64 and returns the instructions in the syntax of
// go tool objdump.
func disassemble(t *testing.T, f *File) []string {
	t.Helper()
	dir := t.TempDir()
	source, object := filepath.Join(dir, "f.s"), filepath.Join(dir, "f.o")
	if err := os.WriteFile(source, f.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	// The files use only NOSPLIT from this header.
	if err := os.WriteFile(filepath.Join(dir, "textflag.h"), []byte("#define NOSPLIT 4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	goTool(t, "asm", "-p", "f", "-I", dir, "-o", object, source)
	var instructions []string
	line := regexp.MustCompile(`(?m)^  f\.s:\d+\t+0x[0-9a-f]+\t+[0-9a-f]{8}\t+(.*?)\s*$`)
	for _, match := range line.FindAllStringSubmatch(goTool(t, "objdump", object), -1) {
		instructions = append(instructions, match[1])
	}
	return instructions
}

func goTool(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"tool"}, args...)...)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go tool %s: %v\n%s", args[0], err, out)
	}
	return string(out)
}

// TestEncodings checks that the encoding of every instruction, and the comment beside
// it, match the requested instruction for all registers. It compares them with the
// output of go tool objdump.
func TestEncodings(t *testing.T) {
	f := NewFile("a test")
	f.Function("f", "()", 0)
	var want []string
	expect := func(format string, args ...any) { want = append(want, fmt.Sprintf(format, args...)) }

	// Use each register in each position, with different registers in the other
	// positions.
	for a := range V(32) {
		for _, step := range []V{0, 1, 7, 18} {
			m, n, d := a, (a+step)%32, (a+3*step)%32
			f.VUMULL(m, n, d)
			expect("VUMULL V%d.S2, V%d.S2, V%d.D2", m, n, d)
			f.VUMULL2(m, n, d)
			expect("VUMULL2 V%d.S4, V%d.S4, V%d.D2", m, n, d)
			f.VUMLAL(m, n, d)
			expect("VUMLAL V%d.S2, V%d.S2, V%d.D2", m, n, d)
			f.VUMLAL2(m, n, d)
			expect("VUMLAL2 V%d.S4, V%d.S4, V%d.D2", m, n, d)
			for i := range 4 {
				f.VUMULLOne(m, i, n, d)
				expect("VUMULL V%d.S[%d], V%d.S2, V%d.D2", m, i, n, d)
				f.VUMULL2One(m, i, n, d)
				expect("VUMULL2 V%d.S[%d], V%d.S4, V%d.D2", m, i, n, d)
				f.VUMLALOne(m, i, n, d)
				expect("VUMLAL V%d.S[%d], V%d.S2, V%d.D2", m, i, n, d)
				f.VUMLAL2One(m, i, n, d)
				expect("VUMLAL2 V%d.S[%d], V%d.S4, V%d.D2", m, i, n, d)
			}
			f.VXTN(n, d)
			expect("VXTN V%d.D2, V%d.S2", n, d)
			f.VXTN2(n, d)
			expect("VXTN2 V%d.D2, V%d.S4", n, d)
			shift := 1 + int(m)
			f.VSHRN(shift, n, d)
			expect("VSHRN $%d, V%d.D2, V%d.S2", shift, n, d)
			f.VSHRN2(shift, n, d)
			expect("VSHRN2 $%d, V%d.D2, V%d.S4", shift, n, d)
		}
	}

	comments := regexp.MustCompile(`(?m)^\tWORD \$0x[0-9a-f]{8} // (.*)$`).FindAllStringSubmatch(string(f.Bytes()), -1)
	got := disassemble(t, f)
	if len(comments) != len(want) || len(got) < len(want) {
		t.Fatalf("wrote %d instructions and decoded %d, want %d", len(comments), len(got), len(want))
	}
	for i, w := range want {
		if got[i] != w {
			t.Errorf("got %[2]s, want %[1]s", w, got[i])
		}
		if comments[i][1] != w {
			t.Errorf("comment %[2]q, want %[1]q", w, comments[i][1])
		}
	}
}

// TestOperands checks instructions with every form of register name.
func TestOperands(t *testing.T) {
	f := NewFile("a test")
	f.Function("f", "()", 0)
	a, v, w := R(3), V(4), V(31)
	f.Label("again")
	f.Op("ADD", 5, a, R(26))
	f.Op("MOVD", a.At(0), a)
	f.Op("FMOVQ", a.At(16), v.F())
	f.Op("FLDPQ", a.At(-32), Pair(v, w))
	f.Op("VADD", v.S4(), w.S4(), v.S4())
	f.Op("VADD", v.D2(), w.D2(), v.D2())
	f.Op("VADD", v.S2(), w.S2(), v.S2())
	f.Op("VEOR", v.B16(), w.B16(), v.B16())
	f.Op("VMOV", a, v.D(1))
	f.Op("VMOV", a, v.S(3))
	f.Op("CBNZ", a, "again")
	f.Op("RET")
	want := []string{
		"ADD $5, R3, R26",
		"MOVD (R3), R3",
		"FMOVQ 16(R3), F4",
		"FLDPQ -32(R3), (F4, F31)",
		"VADD V4.S4, V31.S4, V4.S4",
		"VADD V4.D2, V31.D2, V4.D2",
		"VADD V4.S2, V31.S2, V4.S2",
		"VEOR V4.B16, V31.B16, V4.B16",
		"VMOV R3, V4.D[1]",
		"VMOV R3, V4.S[3]",
		"CBNZ R3, f.f(SB)",
		"RET",
	}
	got := disassemble(t, f)
	for i, w := range want {
		if i >= len(got) || got[i] != w {
			t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestFile checks the complete text of a file with three functions and a table.
func TestFile(t *testing.T) {
	f := NewFile("internal/asm/example")
	var frame Frame
	local := frame.Local(5)
	f.Function("first", "(x *uint64, n int)", frame.Size())
	f.Arguments(0, 1)
	f.Table("seven", []uint64{7, 1 << 40}, R(2))
	f.Table("seven", []uint64{7, 1 << 40}, R(3))
	f.Address(local, R(4))
	f.Op("MOVD", R(5), local.At(8))
	f.Comment("Wait.")
	f.Label("loop")
	f.Op("SUBS", 1, R(0))
	f.Op("BNE", "loop")
	f.Op("RET")
	f.Function("second", "()", 0)
	f.VUMULL(1, 2, 3)
	f.Op("B", "done")
	f.Label("done")
	f.Op("RET")
	frame = Frame{}
	frame.Local(512)
	f.Function("third", "(x *byte)", frame.Size())
	f.Op("RET")
	const want = `// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Code generated by internal/asm/example. DO NOT EDIT.

//go:build gc && !purego

#include "textflag.h"

// func first(x *uint64, n int)
TEXT ·first(SB), NOSPLIT, $24-16
	MOVD x+0(FP), R0
	MOVD n+8(FP), R1
	MOVD $seven<>(SB), R2
	MOVD $seven<>(SB), R3
	ADD  $16, RSP, R4
	MOVD R5, 24(RSP)

	// Wait.
loop:
	SUBS $1, R0
	BNE  loop
	RET

// func second()
TEXT ·second(SB), NOSPLIT, $0-0
	WORD $0x2ea1c043 // VUMULL V1.S2, V2.S2, V3.D2
	B    done
done:
	RET

// func third(x *byte)
TEXT ·third(SB), 0, $520-8
	RET

DATA seven<>+0(SB)/8, $0x0000000000000007
DATA seven<>+8(SB)/8, $0x0000010000000000
GLOBL seven<>(SB), RODATA|NOPTR, $16
`
	if got := string(f.Bytes()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestSpread checks how Spread merges sequences of different lengths.
func TestSpread(t *testing.T) {
	f := NewFile("a test")
	sequence := func(name string, n int) Code {
		return f.Record(func() {
			for range n {
				f.Op(name)
			}
		})
	}
	for _, tt := range []struct {
		lengths []int
		want    string
	}{
		{[]int{3}, "aaa"},
		{[]int{0, 2}, "bb"},
		{[]int{4, 2}, "abaaba"},
		{[]int{2, 4}, "babbab"},
		{[]int{6, 3, 1}, "abaabcaaba"},
	} {
		var sequences []Code
		for i, n := range tt.lengths {
			sequences = append(sequences, sequence(string(rune('a'+i)), n))
		}
		var got strings.Builder
		for _, op := range Spread(sequences...) {
			got.WriteString(op[0])
		}
		if got.String() != tt.want {
			t.Errorf("lengths %v: got %s, want %s", tt.lengths, got.String(), tt.want)
		}
	}
	if len(f.block) > 0 {
		t.Error("Record wrote to the file")
	}
}

// TestRefusals checks that invalid operands and arguments panic.
func TestRefusals(t *testing.T) {
	f := NewFile("a test")
	for name, write := range map[string]func(){
		"vector register 32":            func() { f.VUMULL(1, 2, 32) },
		"vector register -1":            func() { f.VUMLAL2(-1, 2, 3) },
		"named register 32":             func() { _ = V(32).D2() },
		"word 4":                        func() { f.VUMLALOne(1, 4, 2, 3) },
		"word -1":                       func() { f.VUMULL2One(1, -1, 2, 3) },
		"shift by 0":                    func() { f.VSHRN(0, 1, 2) },
		"shift by 33":                   func() { f.VSHRN2(33, 1, 2) },
		"platform register":             func() { _ = R(18).String() },
		"goroutine register":            func() { _ = R(28).At(0) },
		"general register -1":           func() { f.Op("ADD", 1, R(-1)) },
		"vector without an arrangement": func() { f.Op("VADD", V(1), V(2), V(3)) },
		"unknown argument":              func() { f.Argument("y") },
		"too few registers":             func() { f.Function("g", "(x int)", 0); f.Arguments() },
		"two tables with the same name": func() { f.Table("t", []uint64{1}, 0); f.Table("t", []uint64{2}, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			write()
		}()
	}
}
