// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os/exec"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/unimac/unimac/internal/proof/engine"
)

// disassembler is part of Debian's package llvm.
const disassembler = "llvm-objdump"

type program struct {
	arch    *architecture
	image   image
	symbols map[string]elf.Symbol
	twice   map[string]bool // symbols with more than one address
}

// A line is a disassembled instruction with "label" or "data" for addresses.
type line struct {
	text  string
	at    uint64
	to    uint64 // jump target or data address; 0 if none
	bytes []byte
}

// open reads a program, which may be position-independent: loading keeps distances.
func open(name string) (*program, error) {
	f, err := elf.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p := &program{symbols: map[string]elf.Symbol{}, twice: map[string]bool{}}
	for _, a := range architectures {
		if a.machine == f.Machine && f.Class == elf.ELFCLASS64 && f.Data == elf.ELFDATA2LSB && (f.Type == elf.ET_EXEC || f.Type == elf.ET_DYN) {
			p.arch = a
		}
	}
	if p.arch == nil {
		return nil, fmt.Errorf("%s: a file of type %s for %s, %s, %s; want a 64-bit little-endian program for amd64 or arm64", name, f.Type, f.Machine, f.Class, f.Data)
	}
	if p.image, err = readImage(f, p.arch.page); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, s := range symbols {
		if old, ok := p.symbols[s.Name]; ok && (old.Value != s.Value || old.Size != s.Size) {
			p.twice[s.Name] = true
		}
		p.symbols[s.Name] = s
	}
	return p, nil
}

func symbol(k *engine.Kernel) string { return module + path.Dir(k.File) + "." + k.Func + ".abi0" }

func (p *program) has(k *engine.Kernel) bool {
	_, ok := p.symbols[symbol(k)]
	return ok
}

// code returns a function's bytes, which must be in executable, read-only memory.
func (p *program) code(name string) ([]byte, error) {
	s := p.symbols[name]
	code, flags := p.image.at(s.Value, s.Size)
	switch {
	case p.twice[name]:
		return nil, fmt.Errorf("%s has several addresses", name)
	case len(code) == 0:
		return nil, fmt.Errorf("no segment contains %s", name)
	case flags != elf.PF_R|elf.PF_X:
		return nil, fmt.Errorf("%s is in a segment with flags %s, want %s", name, flags, elf.PF_R|elf.PF_X)
	}
	return code, nil
}

// constant reports whether read-only memory at the address at holds the bytes want.
func (p *program) constant(at uint64, want []byte) bool {
	got, flags := p.image.at(at, uint64(len(want)))
	return string(got) == string(want) && flags&elf.PF_W == 0
}

func (p *program) disassemble(kernels []*engine.Kernel) (map[string][]line, error) {
	var functions []routine
	for _, k := range kernels {
		name := symbol(k)
		code, err := p.code(name)
		if err != nil {
			return nil, err
		}
		functions = append(functions, routine{name: name, at: p.symbols[name].Value, code: code})
	}
	return p.arch.disassemble(functions)
}

type routine struct {
	name string
	at   uint64
	code []byte
}

var (
	title = regexp.MustCompile(`^[0-9a-f]+ <(.*)>:$`)
	row   = regexp.MustCompile(`^\s*([0-9a-f]+):\s+(.+?)\s*(?:<.*|# .*|//.*)?$`) // without comments
)

// disassemble decodes the functions without the program's headers, which may hide code.
func (a *architecture) disassemble(functions []routine) (map[string][]line, error) {
	if len(functions) == 0 {
		return nil, nil
	}
	byName := map[string]routine{}
	for _, f := range functions {
		byName[f.name] = f
	}
	run := exec.Command(disassembler, "--disassemble", "--no-show-raw-insn", "--disassemble-zeroes", "--mattr="+a.attributes, "-")
	run.Stdin = bytes.NewReader(object(a.machine, functions))
	out, err := run.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", run, err)
	}
	code, f := map[string][]line{}, routine{}
	for text := range strings.Lines(string(out)) {
		if m := title.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
			f = byName[m[1]]
		}
		m := row.FindStringSubmatch(strings.TrimRight(text, "\n"))
		if m == nil {
			continue
		}
		at, err := strconv.ParseUint(m[1], 16, 64)
		if err != nil {
			return nil, err
		}
		code[f.name] = append(code[f.name], line{text: decimal(m[2]), at: at})
	}
	for name, list := range code {
		f := byName[name]
		if err := split(list, f); err != nil {
			return nil, err
		}
		code[name] = a.lines(list)
	}
	return code, nil
}

// split sets each line's bytes. It rejects gaps between instructions.
func split(list []line, f routine) error {
	at := f.at
	for i := range list {
		next := f.at + uint64(len(f.code))
		if i+1 < len(list) {
			next = list[i+1].at
		}
		if list[i].at != at || next <= at || next > f.at+uint64(len(f.code)) {
			return fmt.Errorf("%s: the disassembler skips bytes at %#x", f.name, at)
		}
		list[i].bytes = f.code[at-f.at : next-f.at]
		at = next
	}
	return nil
}

func object(machine elf.Machine, functions []routine) []byte {
	const header, entry, symbolSize = 64, 64, 24
	names := []byte("\x00")
	symbols := make([]elf.Sym64, 1, len(functions)+1)
	sections := []elf.Section64{{}}
	var contents []byte
	for _, f := range functions {
		symbols = append(symbols, elf.Sym64{Name: uint32(len(names)), Info: elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC), Shndx: uint16(len(sections)), Value: f.at, Size: uint64(len(f.code))})
		sections = append(sections, elf.Section64{
			Name: uint32(len(names)), Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_ALLOC | elf.SHF_EXECINSTR),
			Addr: f.at, Off: header + uint64(len(contents)), Size: uint64(len(f.code)), Addralign: 1,
		})
		names = append(append(names, f.name...), 0)
		contents = append(contents, f.code...)
	}
	for len(contents)%8 != 0 {
		contents = append(contents, 0)
	}
	strings := len(sections) + 1
	at := header + uint64(len(contents))
	sections = append(sections,
		elf.Section64{Type: uint32(elf.SHT_SYMTAB), Off: at, Size: uint64(symbolSize * len(symbols)), Link: uint32(strings), Info: 1, Entsize: symbolSize, Addralign: 8},
		elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: at + uint64(symbolSize*len(symbols)), Size: uint64(len(names)), Addralign: 1})
	h := elf.Header64{
		Type: uint16(elf.ET_EXEC), Machine: uint16(machine), Version: uint32(elf.EV_CURRENT), Ehsize: header,
		Shoff: at + uint64(symbolSize*len(symbols)+len(names)), Shentsize: entry, Shnum: uint16(len(sections)), Shstrndx: uint16(strings),
	}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	var file bytes.Buffer
	for _, part := range []any{h, contents, symbols, names, sections} {
		binary.Write(&file, binary.LittleEndian, part) // writing to a buffer cannot fail
	}
	return file.Bytes()
}

var hexadecimal = regexp.MustCompile(`0x[0-9a-f]+`)

// decimal normalizes numbers and spaces, which differ between disassembler versions.
func decimal(text string) string {
	return hexadecimal.ReplaceAllStringFunc(strings.Join(strings.Fields(text), " "), func(s string) string {
		v, err := strconv.ParseUint(s, 0, 64)
		if err != nil {
			return s
		}
		return fmt.Sprint(int64(v))
	})
}

func value(s string) int64 {
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(err)
	}
	return v
}
