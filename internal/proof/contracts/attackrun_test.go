// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build amd64 || arm64

package contracts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/cpu"
)

// attackProgram makes ten of the calls in TestAttackCalls, each with and without the
// mistake.
const attackProgram = `package main

import (
	"bytes"
	"fmt"
	"unsafe"
)

func cryptAVX2(m, key, dst, src unsafe.Pointer, n int, ad unsafe.Pointer, adLen, flags int)
func sumAVX2AES(tag, k unsafe.Pointer, lo, hi uint64, at int, msg unsafe.Pointer, n int)
func encryptAVX2AES(blocks, k unsafe.Pointer)
func nhPolyAVX2(st, key, poly, msg unsafe.Pointer, n, streams int)
func lanes4AVX2(l unsafe.Pointer, n int, f uint64)
func blocksAMD64(s, msg unsafe.Pointer, n int)
func blocksAVX2(s, table, msg unsafe.Pointer, n int)

// memory contains the arguments of calls. begin fills it with the same numbers each time.
var memory [1 << 16]uint64

// at returns the address of a byte.
func at(i int) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(&memory[0]), i) }

func word(i int) *uint64 { return (*uint64)(at(i)) }

func content(from, n int) []byte { return bytes.Clone(unsafe.Slice((*byte)(at(from)), n)) }

func begin() {
	for i := range memory {
		memory[i] = uint64(i) * 0x9e3779b97f4a7c15
	}
}

// crypt sets the words of a message, calls cryptAVX2 and returns the tag.
func crypt(n, flags int, words ...uint64) []byte {
	copy(memory[:13], words)
	cryptAVX2(at(0), at(1024), at(8192), at(16384), n, nil, 0, flags)
	return content(88, 16)
}

const streams, rounds = 5 * 512, 5*512 + 8 + 3*32 + 4*32 + 4*72

func sum(s uint64, pad int) []byte {
	*word(4096 + streams), *word(4096 + rounds) = s, 10
	sumAVX2AES(at(1024), at(4096), 1, 2, pad, at(16384), 100)
	return content(1024, 16)
}

func main() {
	for name, call := range map[string]func(wrong bool) []byte{
		"length": func(wrong bool) []byte {
			if wrong {
				return crypt(1000, 3, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1024)
			}
			return crypt(1000, 3, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1000)
		},
		"flag": func(wrong bool) []byte {
			flags := 2
			if wrong {
				flags = 0
			}
			return crypt(1000, flags, 17, 2, 3, 4, 1, 0x0ffffffc0fffffff, 0x0ffffffc0ffffffc, 5, 6, 0, 3048)
		},
		"reduced": func(wrong bool) []byte { // 2^191 is 5·2^61
			h0, h2 := uint64(5<<61), uint64(0)
			if wrong {
				h0, h2 = 0, 1<<63
			}
			return crypt(1000, 2, 17, 2, h0, 0, h2, 0x0ffffffc0fffffff, 0x0ffffffc0ffffffc, 5, 6, 0, 3048)
		},
		"key": func(wrong bool) []byte {
			key := 8192 - 32
			if wrong {
				key++
			}
			copy(memory[:13], []uint64{1, 2, 10: 1000})
			before := content(key, 32)
			cryptAVX2(at(0), at(key), at(8192), at(16384), 1000, nil, 0, 3)
			if bytes.Equal(before, content(key, 32)) {
				return nil
			}
			return before
		},
		"pad": func(wrong bool) []byte {
			if wrong {
				return sum(2, 4)
			}
			return sum(2, 8)
		},
		"streams": func(wrong bool) []byte {
			if wrong {
				sum(3, 12)
			} else {
				sum(1, 12)
			}
			return content(1028, 8) // after the tag
		},
		"blocks": func(wrong bool) []byte {
			*word(4096) = 10
			if wrong {
				encryptAVX2AES(at(4096-127), at(4096))
			} else {
				encryptAVX2AES(at(4096-128), at(4096))
			}
			return content(4096, 8)
		},
		"poly": func(wrong bool) []byte {
			clear(memory[:8])
			for i := range 4 {
				memory[512+i], memory[516+i], memory[520+i] = 3, 9, 62
			}
			if wrong {
				memory[515], memory[519], memory[523] = 0, 0, 0
			}
			nhPolyAVX2(at(0), at(8192), at(4096), at(16384), 4096, 4)
			return content(24, 8)
		},
		"lane": func(wrong bool) (out []byte) {
			defer func() {
				if recover() != nil {
					out = []byte("fault")
				}
			}()
			for i := range 4 {
				*(*unsafe.Pointer)(at(576 + 8*i)) = at(16384 + 1024*i)
			}
			if wrong {
				*word(576 + 24) = 0
			}
			lanes4AVX2(at(0), 256, 0)
			return nil
		},
		"table": func(wrong bool) []byte {
			clear(memory[:5])
			memory[3] = 1
			if wrong {
				memory[3] = 5
			}
			clear(memory[512:600])
			for i := range 5 {
				memory[512+i] = 1 // powers of 1
			}
			h := content(0, 40)
			blocksAVX2(at(0), at(4096), at(16384), 8)
			got := content(0, 24)
			copy(unsafe.Slice((*byte)(at(0)), 40), h)
			blocksAMD64(at(0), at(16384), 8)
			if bytes.Equal(got, content(0, 24)) {
				return nil
			}
			return got
		},
	} {
		begin()
		right := call(false)
		begin()
		again := call(false)
		begin()
		wrong := call(true)
		fmt.Println(name, bytes.Equal(right, again), bytes.Equal(right, wrong))
	}
}
`

// TestAttackRuns executes ten of the calls in TestAttackCalls and checks that the
// mistake changes the result: another tag, memory changed outside the outputs, or a
// fault.
func TestAttackRuns(t *testing.T) {
	if runtime.GOARCH != "amd64" || !cpu.AVX2AES.Available() {
		t.Skip("skipping: the kernels need AVX2 and AES")
	}
	dir := t.TempDir()
	files := map[string]string{"go.mod": "module calls\n\ngo 1.26\n", "main.go": attackProgram}
	for _, name := range []string{"umac/nh", "umac/sum", "blake2b/compress", "chacha20poly1305/chacha20poly1305", "poly1305/blocks"} {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)+"_amd64.s"))
		if err != nil {
			t.Fatal(err)
		}
		files[strings.ReplaceAll(name, "/", "_")+"_amd64.s"] = string(text)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.Command("go", "run", ".")
	run.Dir = dir
	run.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range strings.Fields("length flag reduced key pad streams blocks poly lane table") {
		if !strings.Contains(string(out), fmt.Sprintln(name, true, false)) {
			t.Errorf("%s: the wrong call has the result of the correct call, or two correct calls differ\n%s", name, out)
		}
	}
}
