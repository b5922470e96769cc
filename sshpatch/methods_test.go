// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"fmt"
	"go/ast"
	"io"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/unimac/unimac/internal/mactest/gocommand"
	"github.com/unimac/unimac/sshpatch/internal/packet"
)

// TestMethodsOf compares methodsOf with [reflect.Type.Method].
func TestMethodsOf(t *testing.T) {
	for _, typ := range []reflect.Type{
		reflect.TypeFor[any](),
		reflect.TypeFor[error](),
		reflect.TypeFor[io.ReadWriteCloser](),
		reflect.TypeFor[net.Conn](),
		reflect.TypeFor[ast.Expr](), // has an unexported method
		reflect.TypeFor[reflect.Type](),
		reflect.TypeFor[packet.Cipher](),
		reflect.TypeFor[interface{ read(n int) (m int) }](),
	} {
		methods, ok := methodsOf(typ)
		if !ok || len(methods) != typ.NumMethod() {
			t.Errorf("%v: got %d methods, %v; want %d", typ, len(methods), ok, typ.NumMethod())
			continue
		}
		for i, m := range methods {
			want := typ.Method(i)
			if m.name != want.Name || typeOf(m.signature) != want.Type {
				t.Errorf("%v: method %d is %s %v, want %s %v", typ, i, m.name, typeOf(m.signature), want.Name, want.Type)
			}
		}
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[*os.File](), reflect.TypeFor[macMode]()} {
		if methods, ok := methodsOf(typ); ok {
			t.Errorf("%v: got methods %v, want none", typ, methods)
		}
	}
}

// TestNameAt checks names that do not occur in the interfaces of x/crypto/ssh: a nil
// pointer and a name that is too long.
func TestNameAt(t *testing.T) {
	long := append([]byte{0, 0x80, 0x01}, make([]byte, 128)...)
	for _, encoded := range []*byte{nil, &long[0]} {
		if got := nameAt(encoded); got != "" {
			t.Errorf("got %q, want an empty string", got)
		}
	}
}

// TestProgramSize checks that sshpatch adds at most 400 KB to a stripped program. The
// linker must still be able to remove methods that are not called.
func TestProgramSize(t *testing.T) {
	gocommand.Need(t)
	repository := gocommand.Repository(t)
	size := func(imports, calls string) int64 {
		dir := t.TempDir()
		source := writeFile(t, filepath.Join(dir, "main.go"), fmt.Appendf(nil, `package main
import (
	"golang.org/x/crypto/ssh"
	%s
)
func main() {
	%s
	_, err := ssh.Dial("tcp", "localhost:22", &ssh.ClientConfig{HostKeyCallback: ssh.InsecureIgnoreHostKey()})
	println(err.Error())
}`, imports, calls))
		program := filepath.Join(dir, "program.exe")
		gocommand.Run(t, repository, "build", "-ldflags=-s -w", "-o", program, source)
		info, err := os.Stat(program)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	without := size("", "")
	with := size(`"github.com/unimac/unimac/sshpatch"`, "println(sshpatch.Register() == nil, sshpatch.Accelerate() == nil)")
	if added := with - without; added > 400_000 {
		t.Errorf("sshpatch adds %d bytes to a program of %d, want at most 400,000", added, without)
	}
}
