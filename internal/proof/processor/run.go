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

// program is what runs the forms: for each, it reads as many states as trials says,
// points the base register into the buffer, and writes what the states become.
const program = `package main

import (
	"io"
	"os"
	"unsafe"
)

func main() {
	const size, trials, base, buffer = %d, %d, %d, %d
	in, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	room := make([]byte, size+64)
	// The buffer's middle is a multiple of 64.
	at := -(int(uintptr(unsafe.Pointer(&room[0]))) + buffer + 128) & 63
	state := room[at : at+size]
	for i := 0; len(in) > 0; i++ {
		for range trials {
			copy(state, in[:size])
			in = in[size:]
			address := uint64(uintptr(unsafe.Pointer(&state[buffer+128])))
			*(*uint64)(unsafe.Pointer(&state[base])) = address
			forms[i](&state[0])
			*(*uint64)(unsafe.Pointer(&state[base])) -= address
			os.Stdout.Write(state)
		}
	}
}
`

// execute assembles the forms and runs each on states. It returns those afterwards,
// where the base register is the change of it.
func (a *architecture) execute(dir string, list []form, states []byte, trials int, with []string) ([]byte, error) {
	var text, stubs strings.Builder
	text.WriteString("#include \"textflag.h\"\n\n")
	stubs.WriteString("package main\n\n")
	var table []string
	for i := range list {
		text.WriteString(a.function(&a.layout, i, &list[i]) + "\n")
		fmt.Fprintf(&stubs, "//go:noescape\nfunc form%d(state *byte)\n\n", i)
		table = append(table, fmt.Sprintf("form%d", i))
	}
	fmt.Fprintf(&stubs, "var forms = []func(*byte){\n\t%s,\n}\n", strings.Join(table, ",\n\t"))
	files := map[string]string{
		"go.mod": "module forms\n\ngo 1.26\n", "forms.s": text.String(), "forms.go": stubs.String(),
		"main.go": fmt.Sprintf(program, a.layout.size, trials, a.base(), a.layout.buffer),
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			return nil, err
		}
	}
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", "forms", ".") // so that the cache knows it
	build.Dir = dir
	build.Env = append(os.Environ(), "GOARCH="+a.name, "GOOS=linux", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	run := exec.Command(append(with, filepath.Join(dir, "forms"))[0], append(with, filepath.Join(dir, "forms"))[1:]...)
	run.Stdin = bytes.NewReader(states)
	var stderr bytes.Buffer
	run.Stderr = &stderr
	out, err := run.Output()
	if err == nil && len(out) != len(states) {
		err = fmt.Errorf("%d bytes, want %d", len(out), len(states))
	}
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, stderr.Bytes())
	}
	return out, err
}
