// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// attackProgram runs the copy function with a given index on buffers of many lengths
// and positions, some of which begin or end at inaccessible pages. src is read-only.
const attackProgram = `package main

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

const page = 64 << 10

// pages returns a page between two that may not be touched.
func pages() []byte {
	b, err := syscall.Mmap(-1, 0, 3*page, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	return b[page : 2*page]
}

func protect(b []byte, how int) {
	if err := syscall.Mprotect(b, how); err != nil {
		panic(err)
	}
}

func main() {
	i, _ := strconv.Atoi(os.Args[1])
	below, above := pages(), pages()
	for _, b := range [][2][]byte{{below, above}, {above, below}} {
		for n := 8; n <= 1024; n += 8 {
			for _, at := range [][2]int{{page - n, page - n}, {0, page - n}, {64, 8}} {
				protect(b[0], syscall.PROT_READ|syscall.PROT_WRITE)
				protect(b[1], syscall.PROT_READ|syscall.PROT_WRITE)
				dst, src := b[0][at[0]:at[0]+n], b[1][at[1]:at[1]+n]
				for j := range src {
					src[j], dst[j] = byte(j*j+n+1), 0
				}
				want := bytes.Clone(src)
				protect(b[1], syscall.PROT_READ)
				copies[i](&dst[0], &src[0], n, 0x123456789, 8)
				if !bytes.Equal(dst, want) {
					println("wrong")
					os.Exit(1)
				}
			}
		}
	}
	println("right")
}
`

// TestAttackRuns executes the copy functions of TestAttackKernels and checks that each
// gives incorrect output or an invalid access.
func TestAttackRuns(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("skipping: the program runs on linux/amd64 and linux/arm64 only")
	}
	right := map[string]string{"amd64": tinyAMD64("0", "", "", ""), "arm64": tinyARM64("0", "", "", "")}
	list := []attack{{name: "right", arch: runtime.GOARCH, text: right[runtime.GOARCH]}}
	for _, a := range tinyAttacks() {
		if a.arch == runtime.GOARCH {
			list = append(list, a)
		}
	}
	var text, stubs, table strings.Builder
	text.WriteString("#include \"textflag.h\"\n")
	stubs.WriteString("package main\n")
	for i, a := range list {
		name := fmt.Sprintf("copy%d", i)
		text.WriteString(strings.NewReplacer("tinyAVX512", name, "tinyNEON", name).Replace(a.text))
		fmt.Fprintf(&stubs, "func %s(dst, src *byte, n int, secret, public uint64)\n", name)
		table.WriteString(name + ", ")
	}
	fmt.Fprintf(&stubs, "var copies = []func(dst, src *byte, n int, secret, public uint64){%s}\n", table.String())
	dir := t.TempDir()
	for name, data := range map[string]string{
		"go.mod": "module copies\n\ngo 1.26\n", "copies.s": text.String(), "copies.go": stubs.String(), "main.go": attackProgram,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", "copies", ".")
	build.Dir = dir // -trimpath would recompile all packages
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, a := range list {
		out, err := exec.Command(filepath.Join(dir, "copies"), fmt.Sprint(i)).CombinedOutput()
		says, _, _ := strings.Cut(string(out), "\n")
		if (err == nil) != (i == 0) || (says == "right") != (i == 0) {
			t.Errorf("%s: %v, %s", a.name, err, out)
		}
		t.Logf("%s: %s", a.name, says)
	}
}
