// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/gocommand"
	"github.com/unimac/unimac/internal/proof"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/proven"
)

const root = "../../.."

func TestMain(m *testing.M) { proven.Main(m) }

// A change flips bits of one byte of a kernel's first instruction that matches text or,
// if data is set, of the data that the instruction refers to. A negative offset counts
// from the instruction's end.
type change struct {
	kernel, what, text string
	at                 int
	xor                byte
	data               bool
	err                string
}

var changes = map[string][]change{
	"amd64": {
		{kernel: "chacha20 xorAVX2", what: "operation", text: `^vpaddd %`, at: -2, xor: 4, err: "want vpaddd"},
		{kernel: "chacha20 xorAVX512", what: "immediate", text: `^vprold `, at: -1, xor: 1, err: "want vprold"},
		{kernel: "chacha20 hChaCha20SSE41", what: "address of data", text: `^movdqu data`, at: -4, xor: 16, err: "names data"},
		{kernel: "umac sumFourAVX2AES", what: "byte of data", text: `data`, data: true, xor: 1, err: "names data"},
		{kernel: "chacha20 xorSSE41", what: "displacement", text: `^movdqu \d+\(%r`, at: -1, xor: 32, err: "want movdqu"},
		{kernel: "blake2b compressAVX2", what: "jump target", text: `^j\w+ label`, at: -4, xor: 1, err: "leads to"},
		{kernel: "blake2b compressAVX512", what: "jump condition", text: `^j\w+ label`, at: 1, xor: 1, err: "want j"},
		{kernel: "blake2b lanes8AVX2", what: "frame size", text: `^subq \$\d+, %rsp`, at: -4, xor: 8, err: "want subq $2080"},
		{kernel: "blake2b lanes4AVX2", what: "frame size before RET", text: `^addq \$\d+, %rsp`, at: -4, xor: 8, err: "want addq $576"},
		{kernel: "chacha20poly1305 cryptAVX2", what: "stack check", text: `^leaq -\d+\(%rsp\), %r12`, at: -4, xor: 8, err: "want leaq"},
		{kernel: "chacha20blake2b compressXORAVX2", what: "target of the call that grows the stack", text: `^callq label`, at: -4, xor: 1, err: "leads to"},
		{kernel: "chacha20poly1305 xorLanesAVX512IFMA", what: "jump target of the stack check", text: `^jbe label`, at: -4, xor: 1, err: "leads to"},
		{kernel: "umac sumAVX2AES", what: "argument offset", text: `^movq \d+\(%rsp\)`, at: -4, xor: 8, err: "want movq 144(%rsp)"},
		{kernel: "multimixer sumAVX512", what: "register", text: `^vpmuludq %`, at: -1, xor: 1, err: "want vpmuludq"},
		{kernel: "poly1305 blocksAMD64", what: "operation with carry", text: `^adcq %`, at: -2, xor: 8, err: "want adcq"},
		{kernel: "chacha20poly1305 xorAVX512IFMA", what: "mask", text: `\{%k1\}`, at: 3, xor: 1, err: "{%k1}"},
	},
	"arm64": {
		{kernel: "chacha20 xorNEON", what: "operation", text: `^add v\d+.4s`, at: 3, xor: 0x20, err: "want add v"},
		{kernel: "salsa20 xorNEON", what: "immediate", text: `^shl v`, at: 2, xor: 1, err: "want shl"},
		{kernel: "chacha20 hChaCha20NEON", what: "argument offset", text: `^ldr x\d+, \[sp`, at: 1, xor: 4, err: "want ldr"},
		{kernel: "chacha20poly1305 sealNEON", what: "frame size", text: `^sub x20, sp`, at: 1, xor: 0x40, err: "want sub x20"},
		{kernel: "chacha20poly1305 openNEON", what: "64-bit constant", text: `^and x\d+, x\d+, #\d{19}`, at: 1, xor: 4, err: "want and"},
		{kernel: "blake2b lanes2NEON", what: "byte of data", text: `data`, data: true, xor: 1, err: "names data"},
		{kernel: "poly1305 blocksNEON", what: "register", text: `^umlal v`, at: 0, xor: 1, err: "want umlal"},
		{kernel: "multimixer sumNEON", what: "branch target", text: `^b\.\w+ label`, at: 0, xor: 0x20, err: "leads to"},
		{kernel: "umac nhNEON", what: "branch condition", text: `^b\.\w+ label`, at: 0, xor: 1, err: "want b."},
		{kernel: "umac nhPolyNEON", what: "offset", text: `^ldp q`, at: 2, xor: 1, err: "want ldp"},
		{kernel: "umac sumNEONAES", what: "part of a constant", text: `^mov x15, #68719476731`, at: 4, xor: 0x20, err: "want mov"},
		{kernel: "umac subWordNEONAES", what: "AES operation", text: `^aese `, at: 1, xor: 0x10, err: "want aese"},
	},
}

// TestLinked compares every kernel in a linked program with the code that the prover
// reads, and checks that each changed byte is detected. The whole test also covers the
// other architecture.
func TestLinked(t *testing.T) {
	gocommand.Need(t)
	if _, err := exec.LookPath(disassembler); err != nil {
		if os.Getenv("CI") != "" && runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
			t.Fatal(err)
		}
		t.Skipf("skipping: linked code is NOT compared with the proven code: %v", err)
	}
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range architectures {
		t.Run(a.name, func(t *testing.T) {
			if a.name != runtime.GOARCH {
				mactest.NeedWhole(t)
			}
			t.Parallel()
			dir := t.TempDir()
			program, err := a.build(root, dir)
			if err != nil {
				t.Fatal(err)
			}
			list, err := compare(root, program)
			if err != nil {
				t.Fatal(err)
			}
			right(t, a, list, string(readme))
			changed := filepath.Join(dir, "changed")
			changeBytes(t, program, changed, changes[a.name])
			if list, err = compare(root, changed); err != nil {
				t.Fatal(err)
			}
			for _, f := range list {
				wrong(t, a, f)
			}
		})
	}
}

// right checks that no kernel is missing or differs, and that README names the kernels in which the assembler has
// shortened chains of jumps.
func right(t *testing.T, a *architecture, list []*comparison, readme string) {
	if got, want := len(list), len(a.kernels()); got != want {
		t.Errorf("the program contains %d functions, want %d", got, want)
	}
	instructions := 0
	for _, f := range list {
		instructions += len(f.fn.Code)
		if f.err != nil {
			t.Errorf("%s: %v", f.name, f.err)
		} else if named := strings.Contains(readme, "`"+f.name+"`"); named != (f.shortened > 0) {
			t.Errorf("README.md names %s among the kernels with chains of jumps: %t; %d jumps are shortened", f.name, named, f.shortened)
		}
	}
	t.Logf("%d functions, %d instructions", len(list), instructions)
}

// wrong checks that a changed kernel is reported with the expected error, and that an
// unchanged kernel is not reported.
func wrong(t *testing.T, a *architecture, f *comparison) {
	i := slices.IndexFunc(changes[a.name], func(c change) bool { return c.kernel == f.name })
	switch {
	case i < 0 && f.err != nil:
		t.Errorf("%s differs although it was not changed: %v", f.name, f.err)
	case i >= 0 && (f.err == nil || !strings.Contains(f.err.Error(), changes[a.name][i].err)):
		t.Errorf("%s, %s: got error %v, want %q", f.name, changes[a.name][i].what, f.err, changes[a.name][i].err)
	case i >= 0:
		t.Logf("%s, %s: %v", f.name, changes[a.name][i].what, f.err)
	}
}

// changeBytes writes a copy of a program to which all changes are applied.
func changeBytes(t *testing.T, name, changed string, list []change) {
	p, err := open(name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	bytes, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		lines, text := code(t, p, c.kernel), regexp.MustCompile(c.text)
		i := slices.IndexFunc(lines, func(l line) bool { return text.MatchString(l.text) })
		if i < 0 {
			t.Fatalf("%s has no %s", c.kernel, c.text)
		}
		at := lines[i].at + uint64(c.at)
		switch {
		case c.data:
			at = lines[i].to
		case c.at < 0:
			at = lines[i+1].at + uint64(c.at)
		}
		bytes[offset(t, file, at)] ^= c.xor
	}
	if err := os.WriteFile(changed, bytes, 0o600); err != nil {
		t.Fatal(err)
	}
}

// code returns the instructions of a kernel.
func code(t *testing.T, p *program, kernel string) []line {
	t.Helper()
	i := slices.IndexFunc(proof.Kernels, func(k engine.Kernel) bool { return k.Name() == kernel })
	all, err := p.disassemble([]*engine.Kernel{&proof.Kernels[i]})
	if err != nil {
		t.Fatal(err)
	}
	return all[0].lines
}

// offset returns the file offset of the byte that is loaded at an address.
func offset(t *testing.T, f *elf.File, at uint64) uint64 {
	t.Helper()
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Vaddr <= at && at < p.Vaddr+p.Filesz {
			return p.Off + at - p.Vaddr
		}
	}
	t.Fatalf("nothing is loaded at %#x", at)
	return 0
}
