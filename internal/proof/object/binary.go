// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/unimac/unimac/internal/proof/engine"
)

// disassembler is in Debian's package llvm.
const disassembler = "llvm-mc"

type program struct {
	arch     *architecture
	segments []segment // of type PT_LOAD, which are all that the loader reads
	symbols  map[string]elf.Symbol
	twice    map[string]bool // symbols with more than one address
}

type segment struct {
	elf.ProgHeader
	first, last uint64 // addresses of the first page and after the last page
	bytes       []byte // Filesz bytes; the loader fills the rest with zeros
}

// A line is a disassembled instruction with "label" or "data" for addresses.
type line struct {
	text  string
	at    uint64
	to    uint64 // jump target or data address; 0 if none
	label string // label to which it must jump
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
	i := slices.IndexFunc(architectures, func(a *architecture) bool { return a.machine == f.Machine })
	if i < 0 || f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB || f.Type != elf.ET_EXEC && f.Type != elf.ET_DYN {
		return nil, fmt.Errorf("%s: a file of type %s for %s, %s, %s; want a 64-bit little-endian program for amd64 or arm64",
			name, f.Type, f.Machine, f.Class, f.Data)
	}
	p.arch = architectures[i]
	symbols, err := f.Symbols()
	if err := errors.Join(err, p.load(f)); err != nil {
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

// load rejects programs whose memory or sections could differ from the segments.
func (p *program) load(f *elf.File) error {
	for _, prog := range f.Progs {
		if prog.Type != elf.PT_LOAD {
			continue
		}
		page, end := p.arch.page, prog.Vaddr+prog.Memsz
		if prog.Filesz > prog.Memsz || end < prog.Vaddr || prog.Vaddr%page != prog.Off%page {
			return fmt.Errorf("the segment at %#x cannot be mapped", prog.Vaddr)
		}
		s := segment{prog.ProgHeader, prog.Vaddr &^ (page - 1), (end + page - 1) &^ (page - 1), make([]byte, prog.Filesz)}
		if _, err := io.ReadFull(prog.Open(), s.bytes); err != nil {
			return fmt.Errorf("the segment at %#x: %w", s.Vaddr, err)
		}
		// The loader maps whole pages, so segments must not share one.
		for _, other := range p.segments {
			if s.first < other.last && other.first < s.last {
				return fmt.Errorf("the segments at %#x and %#x overlap", other.Vaddr, s.Vaddr)
			}
		}
		p.segments = append(p.segments, s)
	}
	flags, err1 := f.DynValue(elf.DT_FLAGS)
	text, err2 := f.DynValue(elf.DT_TEXTREL)
	if len(text) > 0 || slices.ContainsFunc(flags, func(v uint64) bool { return elf.DynFlag(v)&elf.DF_TEXTREL != 0 }) {
		return errors.New("relocations change the code when the program is loaded")
	}
	// Debuggers show the sections.
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 || s.Type == elf.SHT_NOBITS || s.Size == 0 {
			continue
		}
		shown, err := s.Data()
		if err != nil {
			return fmt.Errorf("section %s: %w", s.Name, err)
		}
		if loaded, _ := p.loaded(s.Addr, uint64(len(shown))); string(loaded) != string(shown) {
			return fmt.Errorf("section %s differs from the segment that is loaded at %#x", s.Name, s.Addr)
		}
	}
	return errors.Join(err1, err2)
}

// loaded returns n bytes at an address and their segment's flags, or nil.
func (p *program) loaded(at, n uint64) ([]byte, elf.ProgFlag) {
	for _, s := range p.segments {
		if from := at - s.Vaddr; at >= s.Vaddr && from <= uint64(len(s.bytes)) && n <= uint64(len(s.bytes))-from {
			return s.bytes[from : from+n], s.Flags
		}
	}
	return nil, 0
}

// disassemble decodes kernels, which must all exist.
func (p *program) disassemble(kernels []*engine.Kernel) (list []*routine, err error) {
	for _, k := range kernels {
		name := symbol(k)
		s := p.symbols[name]
		code, flags := p.loaded(s.Value, s.Size)
		switch {
		case p.twice[name]:
			return nil, fmt.Errorf("%s has several addresses", name)
		case len(code) == 0:
			return nil, fmt.Errorf("no segment contains %s", name)
		case flags != elf.PF_R|elf.PF_X:
			return nil, fmt.Errorf("%s is in a segment with flags %s, want %s", name, flags, elf.PF_R|elf.PF_X)
		}
		list = append(list, &routine{at: s.Value, rest: code})
	}
	return list, p.arch.disassemble(list)
}

// A routine is the machine code of a function.
type routine struct {
	at    uint64
	lines []line
	rest  []byte // the code after lines
	err   error  // why the code is refused
}

// disassemble decodes routines, each of which follows a separator. For every
// instruction, llvm-mc also prints the bytes with which it would encode it. The code must
// contain the same bytes, because prefixes and bits that the text does not show may
// change what a processor executes: AMD's truncate the target of a jump after 0x66.
func (a *architecture) disassemble(routines []*routine) error {
	var input strings.Builder
	for _, f := range routines {
		fmt.Fprintf(&input, "% #x % #x\n", a.separator, f.rest)
	}
	run := exec.Command(disassembler, append(a.llvm, "--disassemble", "--show-encoding")...)
	run.Stdin = strings.NewReader(input.String())
	out, err := run.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", run, err)
	}
	var f *routine
	next, halts := 0, 0
	for printed := range strings.SplitSeq(string(out), "\n") {
		text, encoding, ok := strings.Cut(printed, " encoding: [") // within a comment, after # or //
		text = strings.Join(strings.Fields(strings.TrimRight(text, "#/")), " ")
		switch {
		case !ok:
			continue
		case strings.HasPrefix(text, "hlt"):
			halts++
			continue
		case halts >= 3 && next < len(routines): // an instruction may have swallowed the others
			f = routines[next]
			next++
		default:
			a.decode(f, text, strings.Split(strings.TrimSuffix(encoding, "]"), ","))
		}
		halts = 0
	}
	for _, f := range routines {
		if f.err == nil && len(f.rest) > 0 {
			f.err = fmt.Errorf("the disassembler skips bytes before %#x", f.at)
		}
	}
	return nil
}

// decode moves the instruction text from f.rest to f.lines. In its encoding, llvm-mc
// writes A for the bytes of a jump's target.
func (a *architecture) decode(f *routine, text string, encoding []string) {
	n := len(encoding)
	for i, b := range encoding {
		if f.err == nil && (n > len(f.rest) || b != "A" && b != fmt.Sprintf("0x%02x", f.rest[i])) {
			f.err = fmt.Errorf("%s at %#x is encoded as % x, want %s", text, f.at, f.rest[:min(n, len(f.rest))], encoding)
		}
	}
	if f.err != nil {
		return
	}
	l := line{text: text, at: f.at, bytes: f.rest[:n]}
	f.at, f.rest = f.at+uint64(n), f.rest[n:]
	a.line(&l)
	if i := len(f.lines) - 1; i < 0 || !a.join(&f.lines[i], l.text) {
		f.lines = append(f.lines, l)
	}
}

func value(s string) int64 {
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(err)
	}
	return v
}
