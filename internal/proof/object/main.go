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
	"debug/elf"
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
		for _, c := range list {
			if c.err != nil {
				return fmt.Errorf("%s: %s: %w", program, c.name, c.err)
			}
		}
		total += len(list)
		fmt.Printf("%s: %d functions, equal to what the prover reads\n", program, len(list))
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

// An architecture describes disassembly syntax and the code that the assembler adds.
type architecture struct {
	name      string
	machine   elf.Machine
	page      uint64   // the largest page size of its systems
	llvm      []string // options of the disassembler
	separator []byte   // three HLT after what an instruction may swallow, and NOP
	padding   string   // fills the space after a function
	jump, ret string   // the unconditional jump in Go's syntax, and the return in LLVM's

	// line replaces the address in l by the word label or data.
	line func(l *line)
	// join adds the instruction next to l if one source instruction yields both.
	join func(l *line, next string) bool
	// normal returns one spelling for all alternative spellings of an instruction.
	normal func(text string) string
	// text returns the expected disassembly. arguments is their offset from SP.
	text func(in *asm.Instr, arguments int64) string

	// The assembler adds code for the stack: a check, code that grows the stack, and code
	// before the function's code and before RET. In their texts, {size} is the size of the
	// stack that a function uses: its frame and saved bytes, rounded down to align. {rest}
	// is 8 bytes less, {checked} is stackSmall bytes less.
	saved, align       int64
	check, grow, leave []string
	enter              func(size int64) []string
}

var architectures = []*architecture{amd64, arm64}

// These labels name the function, its stack-growing code and runtime.morestack.
const (
	start     = "·start"
	grow      = "·grow"
	morestack = "runtime.morestack_noctxt.abi0"
)

// The assembler checks stacks from stackSmall bytes. Only larger ones up to stackBig are supported.
const stackSmall, stackBig = 128, 4096

// A comparison compares a function with its source.
type comparison struct {
	name string
	*program
	*routine
	file      *asm.File
	fn        *asm.Func
	sizes     *strings.Replacer
	next      int      // index in lines
	places    []uint64 // addresses of the source instructions
	shortened int      // number of jumps that the assembler removed from chains of jumps
}

// compare rejects all code except fn's instructions and those that the assembler adds.
func (c *comparison) compare() error {
	a, size := c.arch, int64(0)
	if c.fn.Frame > 0 {
		size = (c.fn.Frame + a.saved) &^ (a.align - 1)
	}
	c.sizes = strings.NewReplacer("{size}", fmt.Sprint(size), "{rest}", fmt.Sprint(size-8), "{checked}", fmt.Sprint(size-stackSmall))
	c.lines = append(c.lines, line{text: "the end", at: c.at})
	labels := map[string]uint64{start: c.lines[0].at, morestack: c.symbols[morestack].Value}
	var enter, leave, grown []string
	if c.fn.Split && size >= stackSmall {
		if size == stackSmall || size > stackBig {
			return fmt.Errorf("a frame of %d bytes needs a stack check that is not known here", c.fn.Frame)
		}
		enter, grown = a.check, a.grow
	}
	if size > 0 {
		enter, leave = slices.Concat(enter, a.enter(size)), a.leave
	}
	if err := c.are(nil, enter...); err != nil {
		return err
	}
	for i := range c.fn.Code {
		in := &c.fn.Code[i]
		c.places = append(c.places, c.lines[c.next].at)
		want := slices.Concat(leave, []string{a.ret})
		if in.Op != "RET" {
			want = []string{a.text(in, size+8)} // 8 bytes for the return address
		}
		if err := c.are(in.Args, want...); err != nil {
			return fmt.Errorf("line %d, %s: %w", in.Line, in, err)
		}
	}
	c.places = append(c.places, 0) // no instruction
	labels[grow] = c.lines[c.next].at
	if err := c.are(nil, grown...); err != nil {
		return err
	}
	for _, l := range c.lines[c.next : len(c.lines)-1] {
		if l.text != a.padding {
			return fmt.Errorf("unexpected code at %#x: %s", l.at, l.text)
		}
	}
	return c.checkJumps(labels)
}

// are compares the next lines with texts. In texts, an arrow and the label's name follow
// the word label. Data to which a line refers is among args.
func (c *comparison) are(args []asm.Operand, texts ...string) error {
	for _, text := range texts {
		l := &c.lines[c.next]
		var want string
		if want, l.label, _ = strings.Cut(c.sizes.Replace(text), "→"); c.arch.normal(l.text) != c.arch.normal(want) {
			return fmt.Errorf("%s at %#x, want %s", l.text, l.at, want)
		}
		for _, o := range args {
			bytes, at := c.file.Data[o.Name], l.to-uint64(o.Imm)
			got, flags := c.loaded(at, uint64(len(bytes)))
			wrong := string(got) != string(bytes) || flags&elf.PF_W != 0 || len(bytes) >= 16 && at%16 != 0
			if wrong && (o.Kind == asm.Symbol || o.Kind == asm.AddressOf) {
				return fmt.Errorf("%s at %#x names data at %#x, want read-only, aligned %x there", l.text, l.at, at, bytes)
			}
		}
		c.next++
	}
	return nil
}

// checkJumps checks jump targets. The assembler may have shortened chains of jumps.
func (c *comparison) checkJumps(labels map[string]uint64) error {
	for _, j := range c.lines {
		want, ok := labels[j.label]
		if n, inText := c.fn.Labels[j.label]; inText {
			count := len(c.fn.Code)
			for steps := 0; steps < count && c.places[n] != j.to && n < count && c.fn.Code[n].Op == c.arch.jump; steps++ {
				n = c.fn.Labels[c.fn.Code[n].Args[0].Name]
				c.shortened++
			}
			want, ok = c.places[n], true
		}
		if j.label != "" && (!ok || j.to != want) {
			return fmt.Errorf("a jump to %s leads to %#x, want %#x", j.label, j.to, want)
		}
	}
	return nil
}
