// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Object compares the machine code of the proven functions in linked programs, as llvm-objdump reads it, with
// the instructions that the prover reads in the .s files: so that no proof rests on Go's assembler and linker.
//
//	go run ./internal/proof/object [PROGRAM ...]
//
// It runs in the module's root. The programs are ELF files for amd64 or arm64. Without one, it builds two that
// have all functions.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/unimac/unimac/internal/proof"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/engine"
)

func main() {
	if err := run(".", os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "object:", err)
		os.Exit(1)
	}
}

func run(root string, programs []string) error {
	all := len(programs) == 0
	if all {
		dir, err := os.MkdirTemp("", "unimac-object-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		for _, arch := range architectures {
			program, err := arch.build(root, dir)
			if err != nil {
				return err
			}
			programs = append(programs, program)
		}
	}
	total := 0
	for _, program := range programs {
		r, err := compare(root, program)
		if err != nil {
			return err
		}
		for _, f := range r.functions {
			if f.err != nil {
				return fmt.Errorf("%s: %s: %w", program, f.name, f.err)
			}
		}
		total += len(r.functions)
		fmt.Printf("%s: %d functions, %d instructions, as the prover reads them", r.arch, len(r.functions), r.instructions)
		if names := r.shortened(); len(names) > 0 {
			fmt.Printf("; a jump goes where a chain of jumps ends in %s", strings.Join(names, ", "))
		}
		fmt.Println()
	}
	if total == 0 || all && total != len(proof.Kernels) {
		return fmt.Errorf("%d functions were compared, of %d", total, len(proof.Kernels))
	}
	return nil
}

// A result is what was compared of a program.
type result struct {
	arch         string
	functions    []function
	instructions int
}

type function struct {
	name      string
	shortened int // jumps that the assembler has led to the end of a chain
	err       error
}

// shortened returns the functions that have jumps to the end of a chain.
func (r *result) shortened() (names []string) {
	for _, f := range r.functions {
		if f.shortened > 0 {
			names = append(names, f.name)
		}
	}
	return names
}

// compare compares each proven function that a program has.
func compare(root, program string) (*result, error) {
	b, err := open(program)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	var kernels []*engine.Kernel
	for i := range proof.Kernels {
		if k := &proof.Kernels[i]; strings.HasSuffix(k.File, "_"+b.arch.name+".s") && b.has(k) {
			kernels = append(kernels, k)
		}
	}
	code, err := b.disassemble(kernels)
	if err != nil {
		return nil, err
	}
	r, files := &result{arch: b.arch.name}, map[string]*asm.File{}
	for _, k := range kernels {
		if files[k.File] == nil {
			if files[k.File], _, err = k.Read(root); err != nil {
				return nil, err
			}
		}
		fn := engine.Find(files[k.File], k.Func)
		c := comparison{binary: b, file: files[k.File], fn: fn, code: code[symbol(k)]}
		err := c.compare(b.symbols[symbol(k)])
		r.functions = append(r.functions, function{k.Name(), c.shortened, err})
		r.instructions += len(fn.Code)
	}
	return r, nil
}
