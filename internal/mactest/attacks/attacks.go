// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package attacks reads the wrong kernels that the prover must reject.
package attacks

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/engine"
)

// An Attack is a kernel with a deliberate error, which the prover must reject.
type Attack struct {
	Name, Kernel string
	Reason       string // part of the error with which the proof must fail, or empty
	Variants     []string
	parts        [][2]string // before and after
}

// Read reads the attacks from internal/proof/testdata/attacks.txt. A "## name" line
// starts an attack, and "@@" starts each edit of its function. An edit is written like
// a diff hunk and must match exactly one place in the function. root is the module's
// directory.
func Read(root string) (list []*Attack, err error) {
	data, err := os.ReadFile(filepath.Join(root, "internal", "proof", "testdata", "attacks.txt"))
	if err != nil {
		return nil, err
	}
	var a *Attack
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		key, value, _ := strings.Cut(line, ": ")
		switch name, begins := strings.CutPrefix(line, "## "); {
		case begins:
			a = &Attack{Name: name}
			list = append(list, a)
		case a == nil || line == "":
		case key == "kernel":
			a.Kernel = value
		case key == "variants":
			a.Variants = strings.Split(value, "; ")
		case key == "refused":
			a.Reason = value
		case line == "@@":
			a.parts = append(a.parts, [2]string{})
		default:
			part, code := &a.parts[len(a.parts)-1], line[1:]+"\n"
			if line[0] != '+' {
				part[0] += code
			}
			if line[0] != '-' {
				part[1] += code
			}
		}
	}
	return list, nil
}

// Function returns k's changed function and the file that contains it.
func (a *Attack) Function(root string, k *engine.Kernel) (*asm.File, *asm.Func, error) {
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(k.File)))
	if err != nil {
		return nil, nil, err
	}
	before, function, _ := strings.Cut(string(data), "\nTEXT ·"+k.Func+"(SB),")
	function, after, _ := strings.Cut("TEXT ·"+k.Func+"(SB),"+function, "\nTEXT ")
	var lines []string
	for line := range strings.Lines(function) {
		code, _, _ := strings.Cut(line, "//")
		if words := strings.Fields(code); len(words) > 0 {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	text := "\n" + strings.Join(lines, "\n") + "\n"
	for _, part := range a.parts {
		if n := strings.Count(text, "\n"+part[0]); n != 1 {
			return nil, nil, fmt.Errorf("attacks: %s has these lines %d times:\n%s", k.Func, n, part[0])
		}
		text = strings.Replace(text, "\n"+part[0], "\n"+part[1], 1)
	}
	if after != "" {
		text += "TEXT " + after
	}
	f, err := asm.Parse(filepath.Base(k.File), before+text)
	if err != nil {
		return nil, nil, err
	}
	return f, f.Func(k.Func), nil
}
