// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest/gocommand"
)

// patches are changes to a program after which the code that runs differs from the code
// that the section headers or the disassembly show.
var patches = []struct {
	name, want string
	patch      func(p *patched)
}{
	{"section with other code than its segment", "section .text differs from the segment", func(p *patched) {
		copied := p.append(p.loaded(p.Section(".text").Addr, p.Section(".text").Size))
		p.file[p.offset(p.add.at)+2] ^= 4
		p.text(func(s *elf.Section64) { s.Off = copied })
	}},
	{"segment with other code than its section", "section .text differs from the segment", func(p *patched) {
		code := p.Progs[p.segment(elf.PF_R|elf.PF_X)]
		copied := p.append(p.loaded(code.Vaddr, code.Filesz))
		p.file[copied+p.add.at+2-code.Vaddr] ^= 4
		p.header(p.segment(elf.PF_R|elf.PF_X), func(h *elf.Prog64) { h.Off = copied })
	}},
	{"section marked as not loaded", "want vpaddd", func(p *patched) {
		p.file[p.offset(p.add.at)+2] ^= 4
		p.text(func(s *elf.Section64) { s.Flags = 0 })
	}},
	{"segment loaded over code", "overlap", func(p *patched) {
		page := p.add.at &^ 4095
		copied := p.append(p.loaded(page, 4096))
		p.header(p.note(), func(h *elf.Prog64) {
			*h = elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Off: copied, Vaddr: page, Filesz: 4096, Memsz: 4096, Align: 4096}
		})
	}},
	{"zeros loaded over code", "overlap", func(p *patched) {
		p.header(p.note(), func(h *elf.Prog64) {
			*h = elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Vaddr: p.add.at &^ 4095, Memsz: 1, Align: 4096}
		})
	}},
	{"writable code", "flags", func(p *patched) {
		p.header(p.segment(elf.PF_R|elf.PF_X), func(h *elf.Prog64) { h.Flags |= uint32(elf.PF_W) })
	}},
	{"two functions with one name", "several addresses", func(p *patched) {
		name := uint32(0)
		p.symbol(victim, func(s *elf.Sym64) { name = s.Name })
		p.symbol("runtime.main", func(s *elf.Sym64) { s.Name = name })
	}},
	{"EVEX encoding in a kernel without AVX-512", "{evex}", func(p *patched) {
		// VAESENCLAST X0, X7, X7 in 6 bytes in place of 5. What follows moves into the padding.
		p.grow([]byte{0xc4, 0xe2, 0x41, 0xdd, 0xf8}, []byte{0x62, 0xf2, 0x45, 0x08, 0xdd, 0xf8})
	}},
	{"segment prefix before RET", "encoded as 2e", func(p *patched) { p.grow([]byte{0xc3}, []byte{0x2e, 0xc3}) }},
	{"REX prefix before RET", "encoded as 48", func(p *patched) { p.grow([]byte{0xc3}, []byte{0x48, 0xc3}) }},
}

// victim is a function that patches change.
const victim = module + "internal/chacha20poly1305.cryptAVX2.abi0"

// TestPatched requires that each patched program is refused, for its own reason.
func TestPatched(t *testing.T) {
	gocommand.Need(t)
	if _, err := exec.LookPath(disassembler); err != nil {
		t.Skipf("skipping: patched programs are NOT tried: %v", err)
	}
	dir := t.TempDir()
	name, err := amd64.build(root, dir)
	if err != nil {
		t.Fatal(err)
	}
	original, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(original))
	if err != nil {
		t.Fatal(err)
	}
	p, err := open(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := code(t, p, "chacha20poly1305 cryptAVX2")
	add := lines[slices.IndexFunc(lines, func(l line) bool { return strings.HasPrefix(l.text, "vpaddd %ymm") })]
	for _, test := range patches {
		t.Run(test.name, func(t *testing.T) {
			p := &patched{T: t, File: f, file: slices.Clone(original), add: add}
			test.patch(p)
			changed := filepath.Join(dir, "changed")
			if err := os.WriteFile(changed, p.file, 0o600); err != nil {
				t.Fatal(err)
			}
			list, err := compare(root, changed)
			if err == nil {
				for _, f := range list {
					err = errors.Join(err, f.err)
				}
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want %q", err, test.want)
			}
		})
	}
}

// A patched is a program to which a patch is applied.
type patched struct {
	*testing.T
	*elf.File // the original

	file []byte
	add  line // an instruction of victim
}

func (p *patched) offset(at uint64) uint64 { return offset(p.T, p.File, at) }

// loaded returns a copy of the n bytes at an address.
func (p *patched) loaded(at, n uint64) []byte {
	from := p.offset(at)
	return slices.Clone(p.file[from : from+n])
}

// append appends contents to the file at a page boundary and returns their offset.
func (p *patched) append(contents []byte) uint64 {
	p.file = append(p.file, make([]byte, -len(p.file)&4095)...)
	at := uint64(len(p.file))
	p.file = append(p.file, contents...)
	return at
}

// segment returns the index of the loaded segment that has the given flags.
func (p *patched) segment(flags elf.ProgFlag) int {
	return slices.IndexFunc(p.Progs, func(g *elf.Prog) bool { return g.Type == elf.PT_LOAD && g.Flags == flags })
}

// note returns the index of a program header that loads nothing.
func (p *patched) note() int {
	return slices.IndexFunc(p.Progs, func(g *elf.Prog) bool { return g.Type == elf.PT_NOTE })
}

// header changes a program header.
func (p *patched) header(i int, f func(*elf.Prog64)) {
	change64(p, binary.LittleEndian.Uint64(p.file[32:])+56*uint64(i), f)
}

// text changes the header of section .text.
func (p *patched) text(f func(*elf.Section64)) {
	i := slices.Index(p.Sections, p.Section(".text"))
	change64(p, binary.LittleEndian.Uint64(p.file[40:])+64*uint64(i), f)
}

// symbol changes the symbol with a name.
func (p *patched) symbol(name string, f func(*elf.Sym64)) {
	all, err := p.Symbols()
	if err != nil {
		p.Fatal(err)
	}
	i := slices.IndexFunc(all, func(s elf.Symbol) bool { return s.Name == name })
	change64(p, p.Section(".symtab").Offset+24*uint64(i+1), f) // Symbols omits the first
}

// grow replaces the last occurrence of an instruction in victim by an encoding that is
// one byte longer, and moves the code after it by one byte.
func (p *patched) grow(from, to []byte) {
	p.symbol(module+"internal/umac.encryptAVX2AES.abi0", func(s *elf.Sym64) {
		code := p.loaded(s.Value, s.Size)
		i := bytes.LastIndex(code, from)
		if i < 0 || p.file[p.offset(s.Value+s.Size)] != 0xcc {
			p.Fatal("the function does not contain the code, or no padding follows")
		}
		copy(p.file[p.offset(s.Value):], slices.Replace(code, i, i+len(from), to...))
		s.Size++
	})
}

// change64 changes a structure of the file.
func change64[S any](p *patched, at uint64, f func(*S)) {
	var s S
	binary.Read(bytes.NewReader(p.file[at:]), binary.LittleEndian, &s)
	f(&s)
	var out bytes.Buffer
	binary.Write(&out, binary.LittleEndian, s)
	copy(p.file[at:], out.Bytes())
}
