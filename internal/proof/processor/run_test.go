// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package processor

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// program is the source of a program that executes the forms. For each form it reads
// trials states, points the base register to the buffer, and writes the resulting
// states. It imports only syscall, because its packages must be compiled for the other
// architecture.
const program = `package main

import (
	"syscall"
	"unsafe"
)

//go:noescape
func run(number int, state *byte)

func main() {
	const size, count, trials, base, buffer = %d, %d, %d, %d, %d
	room, states := make([]byte, size+64), make([]byte, trials*size)
	// The buffer's middle is a multiple of 64.
	at := -(int(uintptr(unsafe.Pointer(&room[0]))) + buffer + 128) & 63
	state := room[at : at+size]
	for i := range count {
		all(syscall.Read, 0, states)
		for j := range trials {
			copy(state, states[j*size:])
			address := uint64(uintptr(unsafe.Pointer(&state[buffer+128])))
			*(*uint64)(unsafe.Pointer(&state[base])) = address
			run(i, &state[0])
			*(*uint64)(unsafe.Pointer(&state[base])) -= address
			copy(states[j*size:], state)
		}
		all(syscall.Write, 1, states)
	}
}

func all(f func(int, []byte) (int, error), file int, b []byte) {
	for len(b) > 0 {
		n, err := f(file, b)
		if err != nil && err != syscall.EINTR || err == nil && n == 0 {
			panic(err)
		}
		b = b[max(n, 0):]
	}
}
`

// execute assembles the forms, executes each on its states and returns the results. In
// a result, the base register contains the amount by which it changed.
func (a *architecture) execute(dir string, list []form, states []byte, trials int, with []string) ([]byte, error) {
	var text strings.Builder
	text.WriteString("#include \"textflag.h\"\n\n" + a.run(&a.layout))
	for i := range list {
		fmt.Fprintf(&text, "\nTEXT ·form%d(SB), NOSPLIT|NOFRAME, $0-0\n%s", i, a.form(&list[i]))
		fmt.Fprintf(&text, "DATA ·forms+%d(SB)/8, $·form%d(SB)\n", 8*i, i)
	}
	fmt.Fprintf(&text, "GLOBL ·forms(SB), RODATA|NOPTR, $%d\n", 8*len(list))
	files := map[string]string{
		"go.mod": "module forms\n\ngo 1.26\n", "forms.s": text.String(),
		"main.go": fmt.Sprintf(program, a.layout.size, len(list), trials, a.base(), a.layout.buffer),
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			return nil, err
		}
	}
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", "forms", ".") // -trimpath would recompile all packages
	build.Dir = dir
	build.Env = append(os.Environ(), "GOARCH="+a.name, "GOOS=linux", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	run := exec.Command(append(with, filepath.Join(dir, "forms"))[0], append(with, filepath.Join(dir, "forms"))[1:]...)
	run.Stdin = bytes.NewReader(states)
	var stdout, stderr bytes.Buffer
	stdout.Grow(len(states) + bytes.MinRead) // growing in steps would take seconds
	run.Stdout, run.Stderr = &stdout, &stderr
	err := run.Run()
	if err == nil && stdout.Len() != len(states) {
		err = fmt.Errorf("%d bytes, want %d", stdout.Len(), len(states))
	}
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, stderr.Bytes())
	}
	return stdout.Bytes(), err
}
