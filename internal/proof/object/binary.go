// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"debug/elf"
	"fmt"
	"os/exec"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/unimac/unimac/internal/proof/engine"
)

// disassembler is the program that reads machine code. It is in Debian's package llvm.
const disassembler = "llvm-objdump"

// A binary is a linked program.
type binary struct {
	*elf.File
	arch    *architecture
	name    string
	symbols map[string]elf.Symbol
}

// A line is an instruction as the disassembler writes it, without where a jump goes and where data is.
type line struct {
	text string
	at   uint64
	to   uint64 // the address of a jump, or of data, if it is not 0
}

func open(name string) (*binary, error) {
	f, err := elf.Open(name)
	if err != nil {
		return nil, err
	}
	b := &binary{File: f, name: name, symbols: map[string]elf.Symbol{}}
	for _, a := range architectures {
		if a.machine == f.Machine {
			b.arch = a
		}
	}
	symbols, err := f.Symbols()
	if err == nil && b.arch == nil {
		err = fmt.Errorf("%s is for %s", name, f.Machine)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	for _, s := range symbols {
		b.symbols[s.Name] = s
	}
	return b, nil
}

// symbol returns what the linker calls a function.
func symbol(k *engine.Kernel) string { return module + path.Dir(k.File) + "." + k.Func + ".abi0" }

func (b *binary) has(k *engine.Kernel) bool {
	_, ok := b.symbols[symbol(k)]
	return ok
}

// end returns where a symbol ends.
func end(s elf.Symbol) uint64 { return s.Value + s.Size }

var (
	title = regexp.MustCompile(`^[0-9a-f]+ <(.*)>:$`)
	row   = regexp.MustCompile(`^\s*([0-9a-f]+):\s+(.+?)\s*(?:<.*|# .*|//.*)?$`) // without comments
)

// disassemble returns the code of functions, by their symbols.
func (b *binary) disassemble(kernels []*engine.Kernel) (map[string][]line, error) {
	if len(kernels) == 0 {
		return nil, nil
	}
	var names []string
	for _, k := range kernels {
		names = append(names, symbol(k))
	}
	run := exec.Command(disassembler, "--no-show-raw-insn", "--disassemble-zeroes",
		"--mattr="+b.arch.attributes, "--disassemble-symbols="+strings.Join(names, ","), b.name)
	out, err := run.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", run, err)
	}
	code, name := map[string][]line{}, ""
	for text := range strings.Lines(string(out)) {
		if m := title.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
			name = m[1]
		}
		m := row.FindStringSubmatch(strings.TrimRight(text, "\n"))
		if m == nil {
			continue
		}
		at, err := strconv.ParseUint(m[1], 16, 64)
		if err != nil {
			return nil, err
		}
		if at < end(b.symbols[name]) {
			code[name] = append(code[name], line{text: decimal(m[2]), at: at})
		}
	}
	for name, list := range code {
		code[name] = b.arch.lines(list, end(b.symbols[name]))
	}
	return code, nil
}

var hexadecimal = regexp.MustCompile(`0x[0-9a-f]+`)

// decimal writes an instruction with one blank between words, and numbers in one way, which some versions of the
// disassembler write in another.
func decimal(text string) string {
	return hexadecimal.ReplaceAllStringFunc(strings.Join(strings.Fields(text), " "), func(s string) string {
		v, err := strconv.ParseUint(s, 0, 64)
		if err != nil {
			return s
		}
		return fmt.Sprint(int64(v))
	})
}

// value returns a number that decimal has written.
func value(s string) int64 {
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(err)
	}
	return v
}

// constant reports whether memory that cannot be stored to has some bytes at an address.
func (b *binary) constant(at uint64, want []byte) bool {
	for _, s := range b.Sections {
		if s.Addr <= at && at+uint64(len(want)) <= s.Addr+s.Size && s.Flags&elf.SHF_ALLOC != 0 {
			got := make([]byte, len(want))
			_, err := s.ReadAt(got, int64(at-s.Addr))
			return err == nil && string(got) == string(want) && s.Flags&elf.SHF_WRITE == 0
		}
	}
	return false
}
