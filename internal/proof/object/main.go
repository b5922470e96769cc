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
	"fmt"
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
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "object:", err)
		os.Exit(1)
	}
}

func run(programs []string) error {
	all := len(programs) == 0
	if all {
		dir, err := os.MkdirTemp("", "unimac-object-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		for _, arch := range architectures {
			program, err := arch.build(".", dir)
			if err != nil {
				return err
			}
			programs = append(programs, program)
		}
	}
	total := 0
	for _, program := range programs {
		list, err := compare(".", program)
		if err != nil {
			return err
		}
		instructions := 0
		for _, c := range list {
			if c.err != nil {
				return fmt.Errorf("%s: %s: %w", program, c.name, c.err)
			}
			instructions += len(c.fn.Code)
		}
		total += len(list)
		fmt.Printf("%s: %d functions, %d instructions, equal to what the prover reads\n", program, len(list), instructions)
	}
	if total == 0 || all && total != len(proof.Kernels) {
		return fmt.Errorf("compared %d functions, want %d", total, len(proof.Kernels))
	}
	return nil
}

// compare compares all kernels in a program with their files.
func compare(root, name string) (list []*comparison, err error) {
	p, err := open(name)
	if err != nil {
		return nil, err
	}
	kernels := slices.DeleteFunc(p.arch.kernels(), func(k *engine.Kernel) bool { return p.symbols[symbol(k)].Name == "" })
	code, err := p.disassemble(kernels)
	if err != nil {
		return nil, err
	}
	files := map[string]*asm.File{}
	for i, k := range kernels {
		if files[k.File] == nil {
			if files[k.File], _, err = k.Read(root); err != nil {
				return nil, err
			}
		}
		c := &comparison{name: k.Name(), program: p, routine: code[i], file: files[k.File], fn: files[k.File].Func(k.Func)}
		if c.err == nil {
			c.err = c.compare()
		}
		list = append(list, c)
	}
	return list, nil
}

const module = "github.com/unimac/unimac/"

func symbol(k *engine.Kernel) string { return module + path.Dir(k.File) + "." + k.Func + ".abi0" }

// kernels returns the kernels of an architecture.
func (a *architecture) kernels() (list []*engine.Kernel) {
	for i := range proof.Kernels {
		if k := &proof.Kernels[i]; strings.HasSuffix(k.File, "_"+a.name+".s") {
			list = append(list, k)
		}
	}
	return list
}

// build links a program that calls all functions, without changing the repository.
func (a *architecture) build(root, dir string) (program string, err error) {
	imports, calls := "", ""
	for _, k := range a.kernels() {
		p := module + path.Dir(k.File)
		imports += fmt.Sprintf("import _ %q\n", p)
		calls += fmt.Sprintf("\tCALL %s·%s(SB)\n", strings.NewReplacer("/", "∕", ".", "·").Replace(p), k.Func)
	}
	program = filepath.Join(dir, a.name)
	for suffix, text := range map[string]string{
		".go":   "package main\n\n" + imports + "\nfunc all()\n\nfunc main() { all() }\n",
		".s":    "TEXT ·all(SB), 0, $0-0\n" + calls + "\tRET\n",
		".json": fmt.Sprintf(`{"Replace": {"all.go": %q, "all.s": %q}}`, program+".go", program+".s"),
	} {
		if err := os.WriteFile(program+suffix, []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	build := exec.Command("go", "build", "-overlay", program+".json", "-o", program, ".")
	build.Dir = filepath.Join(root, "internal", "proof", "testdata") // contains no other Go files
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+a.name, "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, nil
}
