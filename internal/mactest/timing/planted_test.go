// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package timing

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// planted is source code with every form of branch on a secret that the analysis must
// detect. The comments mark lines that make a secret public ("enters") and lines that
// compute with secrets ("computes").
const planted = `package planted

import (
	"bytes"
	"crypto/subtle"
	"math/bits"
	"unsafe"
)

type words struct {
	lo, hi uint64
	n      int
	at     uint64
}

var table [256]byte

func asks(w *words, key []byte, x, y uint64, b byte, state *[4]uint32, n int) (int, bool) {
	if key[0] == 1 { // enters
		return 1, true
	}
	if x < y { // enters
		return 2, true
	}
	short := key[:key[1]] // enters
	if len(short) > 3 {
		return 3, true
	}
	odd := x&1 == 1 // enters computes
	if odd {
		return 4, true
	}
	count := int(b) // enters
	for i := 0; i < count; i++ {
		w.lo++ // computes
	}
	w.n = int(w.hi >> 3) // enters computes
	for range b { // enters
	}
	switch b { // enters
	case 1:
	}
	switch 1 {
	case int(x): // enters
	}
	if bytes.Equal(key, key[1:]) { // enters
		return 5, true
	}
	if subtle.ConstantTimeByteEq(b, 1) == 1 { // enters
		return 6, true
	}
	if bits.Len64(x) > 3 { // enters computes
		return 7, true
	}
	if string(key) == "secret" { // enters
		return 8, true
	}
	if *state == ([4]uint32{}) { // enters
		return 9, true
	}
	w.lo = uint64(table[b]) // enters
	w.lo = min(x, y) // enters
	w.lo = x / y // enters computes
	made := make([]byte, x) // enters
	inner := x
	inner = inner + 1 // computes
	func() {
		if inner > 2 { // enters
			w.hi = 0
		}
	}()
	func(given uint32) {
		if given > 2 { // enters
			w.hi = 0
		}
	}(7)
	if p := (*int)(unsafe.Pointer(&key[0])); *p > 1 { // enters
		return 10, true
	}
	w.at = x // enters
	*w = words{at: y} // enters
	if 0 < x && n > 0 || len(made) > 9 { // enters
		return 11, true
	}
	var carry uint64
	w.lo, carry = bits.Add64(x, y, 0) // computes
	w.hi = carry
	mask := -(x >> 63) // computes
	w.hi &= mask // computes
	return n, false
}

func lengths(w *words, key, msg []byte, n int, err error) []byte {
	total := uint64(len(msg)) * 8
	if total > 1<<32 || err != nil || key == nil || cap(msg) < n {
		return nil
	}
	var buffer [64]byte
	for blocks := uint(n); blocks > 0; blocks-- {
		w.n += copy(buffer[w.n:], msg)
		w.at += uint64(n)
	}
	for i, c := range msg[:min(n, len(msg))] {
		buffer[i%64] = c
		switch {
		case w.n == 64, w.at > total:
			clear(buffer[:])
		}
	}
	words := [2]byte{table[n], table[len(msg)]}
	*w = words2(n)
	return append(msg, words[:]...)
}

func words2(n int) words { return words{n: n, at: uint64(n)} }
`

// TestPlanted checks that the analysis reports all branches on secrets in planted and
// no branches that depend only on lengths.
func TestPlanted(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command")
	}
	r := newReading()
	r.inside, r.known = "planted.example/", map[string]string{"planted.words.at": "a number of bytes"}
	file, err := parser.ParseFile(r.fset, "planted.go", planted, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	lookup := func(path string) (io.ReadCloser, error) {
		name, err := exec.Command("go", "list", "-export", "-f", "{{.Export}}", path).Output()
		if err != nil {
			return nil, err
		}
		return os.Open(strings.TrimSpace(string(name)))
	}
	if err := r.check("planted", []*ast.File{file}, types.Config{Importer: importer.ForCompiler(r.fset, "gc", lookup)}); err != nil {
		t.Fatal(err)
	}
	for i, text := range strings.Split(planted, "\n") {
		line := fmt.Sprintf("planted.go:%d", i+1)
		_, comment, _ := strings.Cut(text, "// ")
		if got, want := len(r.enters[line]) > 0, strings.Contains(comment, "enters"); got != want {
			t.Errorf("entrance = %t, want %t: %s", got, want, text)
		}
		if got, want := r.counts[line], strings.Contains(comment, "computes"); got != want {
			t.Errorf("computes with secrets = %t, want %t: %s", got, want, text)
		}
	}
}
