// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package asm

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Read reads a file.
func Read(name string) (*File, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return Parse(name, string(text))
}

// Parse reads the text of a file.
func Parse(name, text string) (*File, error) {
	f := &File{Name: name, Data: map[string][]byte{}}
	r := reader{file: f, sizes: map[string]int64{}, known: map[string]Operand{}}
	for i, line := range strings.Split(text, "\n") {
		if err := r.line(line, i+1); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
	}
	for name, size := range r.sizes {
		if int64(len(f.Data[name])) != size {
			return nil, fmt.Errorf("%s: %s has %d bytes of data, GLOBL says %d", f.Name, name, len(f.Data[name]), size)
		}
	}
	for name := range f.Data {
		if _, ok := r.sizes[name]; !ok {
			return nil, fmt.Errorf("%s: %s has no GLOBL", f.Name, name)
		}
	}
	return f, nil
}

type reader struct {
	file  *File
	fn    *Func
	sizes map[string]int64   // what GLOBL says
	known map[string]Operand // without lists of registers; most come many times
}

func (r *reader) line(line string, number int) error {
	if i := strings.Index(line, "//"); i >= 0 {
		line = line[:i]
	}
	line = strings.TrimSpace(line)
	word, rest, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
	rest = strings.TrimSpace(rest)
	switch {
	case line == "" || line == `#include "textflag.h"`:
		return nil
	case word == "TEXT":
		return r.text(rest, number)
	case word == "DATA":
		return r.data(rest)
	case word == "GLOBL":
		return r.global(rest)
	case strings.HasPrefix(line, "#"):
		return fmt.Errorf("a directive of the preprocessor: %s", line)
	}
	if r.fn == nil {
		return fmt.Errorf("code before the first TEXT: %s", line)
	}
	if label, ok := strings.CutSuffix(line, ":"); ok {
		if _, twice := r.fn.Labels[label]; twice || !isName(label) {
			return fmt.Errorf("label %q, twice or no name", label)
		}
		r.fn.Labels[label] = len(r.fn.Code)
		return nil
	}
	args := split(rest)
	in := Instr{Op: word, Line: number, Args: make([]Operand, len(args))}
	for i, s := range args {
		var err error
		if in.Args[i], err = r.operand(s); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
	}
	r.fn.Code = append(r.fn.Code, in)
	return nil
}

// operand is the function of this name.
func (r *reader) operand(s string) (o Operand, err error) {
	o, ok := r.known[s]
	if !ok {
		if o, err = operand(s); err == nil && o.Regs == nil {
			r.known[s] = o
		}
	}
	return o, err
}

// text reads ·name(SB), NOSPLIT, $frame-args.
func (r *reader) text(rest string, number int) error {
	args := split(rest)
	if len(args) < 2 || len(args) > 3 {
		return fmt.Errorf("TEXT with %d operands", len(args))
	}
	name, ok1 := strings.CutPrefix(args[0], "·")
	name, ok2 := strings.CutSuffix(name, "(SB)")
	if !ok1 || !ok2 || len(args) == 3 && args[1] != "NOSPLIT" && args[1] != "0" {
		return fmt.Errorf("TEXT %s", rest)
	}
	size, _ := strings.CutPrefix(args[len(args)-1], "$")
	frame, params, ok := strings.Cut(size, "-")
	if !ok {
		return fmt.Errorf("TEXT without the size of its arguments: %s", rest)
	}
	fn := &Func{Name: name, Line: number, Split: len(args) == 2 || args[1] == "0", Labels: map[string]int{}}
	var err1, err2 error
	fn.Frame, err1 = strconv.ParseInt(frame, 0, 32)
	fn.Args, err2 = strconv.ParseInt(params, 0, 32)
	if err1 != nil || err2 != nil {
		return fmt.Errorf("TEXT with sizes %s", size)
	}
	r.file.Funcs = append(r.file.Funcs, fn)
	r.fn = fn
	return nil
}

// data reads name<>+offset(SB)/size, $value.
func (r *reader) data(rest string) error {
	args := split(rest)
	if len(args) != 2 {
		return fmt.Errorf("DATA with %d operands", len(args))
	}
	symbol, size, _ := strings.Cut(args[0], "/")
	at, err := operand(symbol)
	if err != nil || at.Kind != Symbol {
		return fmt.Errorf("DATA %s", rest)
	}
	n, err := strconv.Atoi(size)
	value, err2 := operand(args[1])
	if err != nil || err2 != nil || value.Kind != Immediate || n != 1 && n != 2 && n != 4 && n != 8 {
		return fmt.Errorf("DATA %s", rest)
	}
	if at.Imm != int64(len(r.file.Data[at.Name])) {
		return fmt.Errorf("DATA %s: not in order", rest)
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(value.Imm))
	r.file.Data[at.Name] = append(r.file.Data[at.Name], b[:n]...)
	return nil
}

// global reads name<>(SB), flags, $size. Data that code reads must be read only.
func (r *reader) global(rest string) error {
	args := split(rest)
	if len(args) != 3 {
		return fmt.Errorf("GLOBL with %d operands", len(args))
	}
	at, err1 := operand(args[0])
	size, err2 := operand(args[2])
	if err1 != nil || err2 != nil || at.Kind != Symbol || size.Kind != Immediate || args[1] != "RODATA|NOPTR" {
		return fmt.Errorf("GLOBL %s", rest)
	}
	r.sizes[at.Name] = size.Imm
	return nil
}

// split separates operands at the commas outside brackets.
func split(s string) (out []string) {
	depth, from := 0, 0
	for i, c := range s {
		switch c {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(s[from:i]))
				from = i + 1
			}
		}
	}
	if s = strings.TrimSpace(s[from:]); s != "" {
		out = append(out, s)
	}
	return out
}

func isName(s string) bool {
	for i, c := range s {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
