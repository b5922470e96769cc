// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Command estimate uses llvm-mca to estimate how many cycles a function takes on
// several arm64 processors. It reads the code from a compiled binary, so the function
// can be written in Go or in assembly.
//
//	estimate -loops FUNCTION PROGRAM
//	estimate -call FUNCTION PROGRAM [ARGUMENT ...]
//
// The first form prints the cycles per iteration of each loop in a function, if
// iterations overlap. A loop is the code from the target of a backward jump to the
// jump.
//
// The second form runs the program under qemu-aarch64 and prints the cycles of the last
// call to the function, including the functions that it calls.
//
// The estimate assumes that all jumps are predicted and take no time, that every load
// hits the L1 cache, and that no load waits for an earlier store to the same address.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	mca       = flag.String("mca", "llvm-mca", "the program llvm-mca")
	objdump   = flag.String("objdump", "llvm-objdump", "the program llvm-objdump")
	cpus      = flag.String("cpu", "neoverse-n1,neoverse-v1,apple-m1,cortex-a72", "the processors, as llvm-mca names them")
	loopsIn   = flag.String("loops", "", "estimate the loops of this function")
	callOf    = flag.String("call", "", "estimate the last call of this function")
	functions = regexp.MustCompile(`^([0-9a-f]+) <(.*)>:$`)
	lines     = regexp.MustCompile(`^ *([0-9a-f]+):\s+(\S.*?)(?: <.*>)?$`)
	jumps     = regexp.MustCompile(`^(?:b|bl|br|blr|ret|cbn?z|tbn?z|b\.\w+)(?:\s.*?(0x[0-9a-f]+))?$`)
	skipped   = regexp.MustCompile(`^(?:adrp?|mrs|msr|udf|<unknown>|\.)`)
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: estimate -loops FUNCTION PROGRAM\n       estimate -call FUNCTION PROGRAM [ARGUMENT ...]")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 || (*loopsIn == "") == (*callOf == "") {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "estimate:", err)
		os.Exit(1)
	}
}

func run(command []string) error {
	p, err := disassemble(command[0])
	if err != nil {
		return err
	}
	fmt.Printf("%-14s %12s", "", "instructions")
	for _, cpu := range strings.Split(*cpus, ",") {
		fmt.Printf(" %12s", cpu)
	}
	fmt.Println()
	if *callOf != "" {
		trace, err := p.call(*callOf, command)
		if err != nil {
			return err
		}
		return estimate("call", p.code(trace), 1)
	}
	f, ok := p.byName[*loopsIn]
	if !ok {
		return fmt.Errorf("no function %s", *loopsIn)
	}
	for end := f.start; end < f.end; end += 4 {
		if start, ok := p.jump(end); ok && f.start <= start && start <= end {
			var addresses []uint64
			for a := start; a <= end; a += 4 {
				addresses = append(addresses, a)
			}
			if err := estimate(fmt.Sprintf("%#x-%#x", start-f.start, end-f.start), p.code(addresses), 100); err != nil {
				return err
			}
		}
	}
	return nil
}

type program struct {
	instructions map[uint64]string
	byName       map[string]*function
}

type function struct{ start, end uint64 }

func disassemble(path string) (*program, error) {
	cmd := exec.Command(*objdump, "-d", "--no-show-raw-insn", "--mattr=+aes,+sha2", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &program{make(map[uint64]string), make(map[string]*function)}
	var f *function
	for s := bufio.NewScanner(out); s.Scan(); {
		if m := functions.FindStringSubmatch(s.Text()); m != nil {
			start, _ := strconv.ParseUint(m[1], 16, 64)
			f = &function{start: start}
			p.byName[strings.TrimSuffix(m[2], ".abi0")] = f
		} else if m := lines.FindStringSubmatch(s.Text()); m != nil && f != nil {
			a, _ := strconv.ParseUint(m[1], 16, 64)
			p.instructions[a] = strings.TrimSpace(m[2])
			f.end = a + 4
		}
	}
	return p, cmd.Wait()
}

func (p *program) jump(at uint64) (to uint64, ok bool) {
	m := jumps.FindStringSubmatch(p.instructions[at])
	if m == nil || m[1] == "" || strings.HasPrefix(m[0], "bl\t") {
		return 0, false
	}
	to, err := strconv.ParseUint(m[1], 0, 64)
	return to, err == nil
}

func (p *program) code(addresses []uint64) []string {
	var code []string
	for _, a := range addresses {
		if i := p.instructions[a]; !jumps.MatchString(i) && !skipped.MatchString(i) {
			code = append(code, i)
		}
	}
	return code
}

// unlogged matches functions not to log; memmove and memclr must be logged.
var unlogged = regexp.MustCompile(`^(?:runtime\.(?:[^m]|m[^e]|me[^m]|mem[^mc])|internal/runtime|testing|sync|syscall|time|os|fmt|reflect|flag|strconv|unicode)`)

// call runs a program and traces the last call to name.
func (p *program) call(name string, command []string) ([]uint64, error) {
	f, ok := p.byName[name]
	if !ok {
		return nil, fmt.Errorf("no function %s", name)
	}
	var logged []*function
	for name, f := range p.byName {
		if !unlogged.MatchString(name) {
			logged = append(logged, f)
		}
	}
	slices.SortFunc(logged, func(f, g *function) int { return cmp.Compare(f.start, g.start) })
	var ranges []string
	for i := 0; i < len(logged); {
		start, end := logged[i].start, logged[i].end
		for ; i < len(logged) && logged[i].start < end+64; i++ {
			end = logged[i].end
		}
		ranges = append(ranges, fmt.Sprintf("%#x..%#x", start, end-1))
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	// Without asynchronous preemption, no other code appears in the log.
	cmd := exec.Command("qemu-aarch64", append([]string{"-singlestep", "-d", "exec,nochain", "-D", "/dev/fd/3", "-dfilter", strings.Join(ranges, ",")}, command...)...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1")
	cmd.ExtraFiles = []*os.File{w}
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	w.Close()
	trace, err := p.lastCall(r, f)
	io.Copy(io.Discard, r)
	if failed := cmd.Wait(); failed != nil {
		return nil, fmt.Errorf("%v: %s", failed, output.Bytes())
	}
	return trace, err
}

// lastCall returns the instruction addresses of the last call to f.
func (p *program) lastCall(log io.Reader, f *function) (trace []uint64, err error) {
	var current []uint64
	var thread string
	var before, end uint64 // the previous address, and the call's return address
	s := bufio.NewScanner(log)
	for s.Scan() {
		// Lines have the form Trace 0: 0x7f1234567890
		// [0000000000000000/0000000000012345/...] name
		cpu, rest, _ := strings.Cut(strings.TrimPrefix(s.Text(), "Trace "), ":")
		fields := strings.Split(rest, "/")
		if len(fields) < 3 {
			continue
		}
		pc, err := strconv.ParseUint(fields[1], 16, 64)
		if err != nil {
			return nil, err
		}
		switch {
		// A call that grows the stack starts again.
		case pc == f.start:
			if strings.HasPrefix(p.instructions[before], "bl") {
				end = before + 4
			}
			current, thread = append(current[:0], pc), cpu
		case len(current) > 0 && cpu == thread && pc == end:
			trace, current = append(trace[:0], current...), current[:0]
		case len(current) > 0 && cpu == thread:
			current = append(current, pc)
		}
		before = pc
	}
	if len(trace) == 0 && s.Err() == nil {
		return nil, fmt.Errorf("the function was not called")
	}
	return trace, s.Err()
}

// estimate prints llvm-mca's cycles per iteration, the average of the given iterations.
func estimate(name string, code []string, times int) error {
	fmt.Printf("%-14s %12d", name, len(code))
	for _, cpu := range strings.Split(*cpus, ",") {
		cmd := exec.Command(*mca, "-march=aarch64", "-mattr=+aes,+sha2", "-mcpu="+cpu, "-instruction-info=0", "-resource-pressure=0", fmt.Sprintf("-iterations=%d", times))
		cmd.Stdin = strings.NewReader(strings.Join(code, "\n") + "\n")
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("%s: %v", *mca, err)
		}
		m := regexp.MustCompile(`Total Cycles: +(\d+)`).FindSubmatch(out)
		if m == nil {
			return fmt.Errorf("%s says nothing of cycles", *mca)
		}
		cycles, _ := strconv.Atoi(string(m[1]))
		fmt.Printf(" %12.1f", float64(cycles)/float64(times))
	}
	fmt.Println()
	return nil
}
