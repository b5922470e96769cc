// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Object checks that the machine code in compiled programs matches the .s files that
// the prover reads, so that the proofs do not depend on Go's assembler or linker.
//
//	go run ./internal/proof/object [PROGRAM ...]
//
// With no arguments, the command builds and checks one program per architecture. It
// doesn't check that programs actually call the proven functions. Run it from the
// module root.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
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
		var shortened []string
		for _, f := range r.functions {
			if f.err != nil {
				return fmt.Errorf("%s: %s: %w", program, f.name, f.err)
			}
			if f.shortened > 0 {
				shortened = append(shortened, f.name)
			}
		}
		total += len(r.functions)
		fmt.Printf("%s: %d functions, %d instructions, equal to what the prover reads", r.arch, len(r.functions), r.instructions)
		if len(shortened) > 0 {
			fmt.Printf("; jumps lead to the end of a chain of jumps in %s", strings.Join(shortened, ", "))
		}
		fmt.Println()
	}
	if total == 0 || all && total != len(proof.Kernels) {
		return fmt.Errorf("compared %d functions, want %d", total, len(proof.Kernels))
	}
	return nil
}

type result struct {
	arch         string
	functions    []*comparison
	instructions int
}

func compare(root, name string) (*result, error) {
	p, err := open(name)
	if err != nil {
		return nil, err
	}
	var kernels []*engine.Kernel
	for i := range proof.Kernels {
		if k := &proof.Kernels[i]; strings.HasSuffix(k.File, "_"+p.arch.name+".s") && p.has(k) {
			kernels = append(kernels, k)
		}
	}
	code, err := p.disassemble(kernels)
	if err != nil {
		return nil, err
	}
	r, files := &result{arch: p.arch.name}, map[string]*asm.File{}
	for _, k := range kernels {
		if files[k.File] == nil {
			if files[k.File], _, err = k.Read(root); err != nil {
				return nil, err
			}
		}
		fn := files[k.File].Func(k.Func)
		c := &comparison{name: k.Name(), program: p, routine: code[symbol(k)], file: files[k.File], fn: fn}
		if c.err == nil {
			c.err = c.compare(p.symbols[symbol(k)].Value)
		}
		r.functions = append(r.functions, c)
		r.instructions += len(fn.Code)
	}
	return r, nil
}

const module = "github.com/unimac/unimac/"

// build links a program that calls all functions, without changing the repository.
func (a *architecture) build(root, dir string) (program string, err error) {
	replace := map[string]string{}
	packages, calls := map[string]bool{}, ""
	for i := range proof.Kernels {
		if k := &proof.Kernels[i]; strings.HasSuffix(k.File, "_"+a.name+".s") {
			p := module + path.Dir(k.File)
			packages[fmt.Sprintf("\t_ %q\n", p)] = true
			calls += fmt.Sprintf("\tCALL %s·%s(SB)\n", strings.NewReplacer("/", "∕", ".", "·").Replace(p), k.Func)
		}
	}
	for name, text := range map[string]string{
		"all.go": "package main\n\nimport (\n" + strings.Join(slices.Sorted(maps.Keys(packages)), "") + ")\n\nfunc all()\n\nfunc main() { all() }\n",
		"all.s":  "TEXT ·all(SB), 0, $0-0\n" + calls + "\tRET\n",
	} {
		file := filepath.Join(dir, a.name+name)
		replace[name] = file
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	overlay := filepath.Join(dir, a.name+".json")
	list, _ := json.Marshal(map[string]any{"Replace": replace}) // strings can always be encoded
	if err := os.WriteFile(overlay, list, 0o600); err != nil {
		return "", err
	}
	program = filepath.Join(dir, a.name)
	build := exec.Command("go", "build", "-overlay", overlay, "-o", program, ".")
	build.Dir = filepath.Join(root, "internal", "proof", "testdata") // contains no other Go files
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+a.name, "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, nil
}
