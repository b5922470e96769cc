// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"debug/elf"
	"fmt"
	"maps"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/unimac/unimac/internal/proof/engine"
)

// disassembler is in Debian's package llvm.
const disassembler = "llvm-mc"

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
	i := slices.IndexFunc(architectures, func(a *architecture) bool { return a.machine == f.Machine })
	if i < 0 || f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB || f.Type != elf.ET_EXEC && f.Type != elf.ET_DYN {
		return nil, fmt.Errorf("%s: a file of type %s for %s, %s, %s; want a 64-bit little-endian program for amd64 or arm64",
			name, f.Type, f.Machine, f.Class, f.Data)
	}
	p.arch = architectures[i]
	symbols, err := f.Symbols()
	if err == nil {
		p.image, err = readImage(f, p.arch.page)
	}
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

// disassemble decodes kernels, which must all exist, and returns the routines by symbol.
func (p *program) disassemble(kernels []*engine.Kernel) (map[string]*routine, error) {
	byName := map[string]*routine{}
	for _, k := range kernels {
		name := symbol(k)
		code, err := p.code(name)
		if err != nil {
			return nil, err
		}
		byName[name] = &routine{at: p.symbols[name].Value, rest: code}
	}
	return byName, p.arch.disassemble(slices.Collect(maps.Values(byName)))
}

// A routine is the machine code of a function.
type routine struct {
	at    uint64
	lines []line
	rest  []byte // the code after lines
	err   error  // why the code is refused
}

// encoded matches an instruction and its encoding in llvm-mc's output.
var encoded = regexp.MustCompile(`(?m)^\s*(\S.*?)\s*(?:#|//) encoding: \[(.*)\]$`)

// disassemble decodes routines, each of which follows a separator. For every
// instruction, llvm-mc also prints the bytes with which it would encode it. The code must
// contain the same bytes, because prefixes and bits that the text does not show may
// change what a processor executes: AMD's truncate the target of a jump after 0x66.
func (a *architecture) disassemble(routines []*routine) error {
	var input strings.Builder
	for _, f := range routines {
		fmt.Fprintf(&input, "% #x % #x\n", a.separator, f.rest)
	}
	run := exec.Command(disassembler, "--disassemble", "--show-encoding", "--arch="+a.llvm, "--mattr="+a.attributes)
	run.Stdin = strings.NewReader(input.String())
	out, err := run.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", run, err)
	}
	var f *routine
	next, halts := 0, 0
	for _, m := range encoded.FindAllStringSubmatch(string(out), -1) {
		text := strings.Join(strings.Fields(m[1]), " ")
		if strings.HasPrefix(text, "hlt") {
			halts++
			continue
		}
		if halts >= 3 && next < len(routines) { // an instruction may have swallowed the others
			f = routines[next]
			next++
		} else {
			f.decode(text, strings.Split(m[2], ","))
		}
		halts = 0
	}
	for _, f := range routines {
		if f.err == nil && len(f.rest) > 0 {
			f.err = fmt.Errorf("the disassembler skips bytes before %#x", f.at)
		}
		f.lines = a.lines(f.lines)
	}
	return nil
}

// decode moves the instruction text from rest to lines. In its encoding, llvm-mc writes
// A for the bytes of a jump's target.
func (f *routine) decode(text string, encoding []string) {
	n := len(encoding)
	for i, b := range encoding {
		if f.err == nil && (n > len(f.rest) || b != "A" && b != fmt.Sprintf("0x%02x", f.rest[i])) {
			f.err = fmt.Errorf("%s at %#x is encoded as % x, want %s", text, f.at, f.rest[:min(n, len(f.rest))], encoding)
		}
	}
	if f.err == nil {
		f.lines = append(f.lines, line{text: text, at: f.at, bytes: f.rest[:n]})
		f.at, f.rest = f.at+uint64(n), f.rest[n:]
	}
}

func value(s string) int64 {
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(err)
	}
	return v
}
