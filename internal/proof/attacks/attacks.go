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
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "## "); ok {
			list = append(list, &Attack{Name: name})
			continue
		}
		if len(list) == 0 || line == "" {
			continue
		}
		a := list[len(list)-1]
		if value, ok := strings.CutPrefix(line, "kernel: "); ok {
			a.Kernel = value
		} else if value, ok := strings.CutPrefix(line, "variants: "); ok {
			a.Variants = strings.Split(value, "; ")
		} else if value, ok := strings.CutPrefix(line, "refused: "); ok {
			a.Reason = value
		} else if line == "@@" {
			a.parts = append(a.parts, [2]string{})
		} else {
			part := &a.parts[len(a.parts)-1]
			code := line[1:] + "\n"
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
	var before, function, after strings.Builder
	to := &before
	for line := range strings.Lines(string(data)) {
		code, _, _ := strings.Cut(line, "//")
		words := strings.Fields(code)
		switch {
		case len(words) > 1 && words[0] == "TEXT" && words[1] == "·"+k.Func+"(SB),":
			to = &function
		case len(words) > 1 && words[0] == "TEXT" && to == &function:
			to = &after
		}
		if to != &function {
			to.WriteString(line)
		} else if len(words) > 0 {
			to.WriteString(strings.Join(words, " ") + "\n")
		}
	}
	text := "\n" + function.String()
	for _, part := range a.parts {
		if n := strings.Count(text, "\n"+part[0]); n != 1 {
			return nil, nil, fmt.Errorf("attacks: %s has these lines %d times:\n%s", k.Func, n, part[0])
		}
		text = strings.Replace(text, "\n"+part[0], "\n"+part[1], 1)
	}
	f, err := asm.Parse(filepath.Base(k.File), before.String()+text+after.String())
	if err != nil {
		return nil, nil, err
	}
	return f, engine.Find(f, k.Func), nil
}
