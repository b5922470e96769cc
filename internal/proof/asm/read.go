// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package asm

import (
	"encoding/binary"
	"fmt"
	"os"
	"regexp"
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
	r := reader{file: f, sizes: map[string]int64{}}
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
	sizes map[string]int64 // what GLOBL says
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
		if in.Args[i], err = operand(s); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
	}
	r.fn.Code = append(r.fn.Code, in)
	return nil
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

var (
	// AX, X0, R1, V2, F3, K4, ZR, RSP.
	register = regexp.MustCompile(`^(?:[ABCD]X|SI|DI|BP|SP|CL|ZR|RSP|g|[RXYZKVF][0-9]{1,2})$`)
	// V0.B16, V1.D[0].
	vector = regexp.MustCompile(`^(V[0-9]{1,2})\.(B16|B8|H8|H4|S4|S2|D2|D1|Q1|[BHSD])(?:\[([0-9]{1,2})\])?$`)
	// R1<<32.
	shifted = regexp.MustCompile(`^(R[0-9]{1,2})(<<|>>|->)([0-9]{1,2})$`)
	// -8(AX)(BX*4).
	memory = regexp.MustCompile(`^([-+]?(?:0x)?[0-9a-fA-F]+)?\(([A-Z0-9]+)\)(?:\(([A-Z0-9]+)(?:\*([1248]))?\))?$`)
	// name<>+8(SB).
	symbol = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)<>([-+](?:0x)?[0-9a-fA-F]+)?\(SB\)$`)
	// name+8(FP).
	argument = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)([-+](?:0x)?[0-9a-fA-F]+)?\(FP\)$`)
)

// operand reads one operand.
func operand(s string) (Operand, error) {
	if value, ok := strings.CutPrefix(s, "$"); ok {
		return immediate(value)
	}
	if inner, ok := enclosed(s, "[", "]"); ok {
		return list(inner)
	}
	if inner, ok := enclosed(s, "(", ")"); ok && strings.Contains(inner, ",") {
		return list(inner)
	}
	if register.MatchString(s) {
		return Operand{Kind: Register, Reg: s, Lane: -1}, nil
	}
	if m := vector.FindStringSubmatch(s); m != nil {
		o := Operand{Kind: Register, Reg: m[1], Arrangement: m[2], Lane: -1}
		if element := len(m[2]) == 1; element != (m[3] != "") {
			return o, fmt.Errorf("operand %s", s)
		} else if element {
			o.Lane, _ = strconv.Atoi(m[3])
		}
		return o, nil
	}
	if m := shifted.FindStringSubmatch(s); m != nil {
		amount, err := strconv.ParseInt(m[3], 10, 64)
		return Operand{Kind: Register, Reg: m[1], Lane: -1, Shift: m[2], Amount: amount}, err
	}
	if m := symbol.FindStringSubmatch(s); m != nil {
		return named(Symbol, m)
	}
	if m := argument.FindStringSubmatch(s); m != nil {
		return named(Argument, m)
	}
	if m := memory.FindStringSubmatch(s); m != nil && register.MatchString(m[2]) && (m[3] == "" || register.MatchString(m[3])) {
		return addressed(m)
	}
	if isName(s) {
		return Operand{Kind: Label, Name: s}, nil
	}
	return Operand{}, fmt.Errorf("operand %q", s)
}

func enclosed(s, open, end string) (string, bool) {
	if strings.HasPrefix(s, open) && strings.HasSuffix(s, end) && strings.Count(s, open) == 1 {
		return s[1 : len(s)-1], true
	}
	return "", false
}

func number(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	if v, err := strconv.ParseInt(s, 0, 64); err == nil {
		return v, nil
	}
	v, err := strconv.ParseUint(s, 0, 64)
	return int64(v), err
}

func immediate(s string) (Operand, error) {
	if m := symbol.FindStringSubmatch(s); m != nil {
		return named(AddressOf, m)
	}
	v, err := number(s)
	return Operand{Kind: Immediate, Imm: v}, err
}

func list(s string) (Operand, error) {
	o := Operand{Kind: List}
	for _, s := range split(s) {
		r, err := operand(s)
		if err != nil || r.Kind != Register {
			return o, fmt.Errorf("a list with %q", s)
		}
		o.Regs = append(o.Regs, r)
	}
	return o, nil
}

func named(kind Kind, m []string) (Operand, error) {
	offset, err := number(m[2])
	return Operand{Kind: kind, Name: m[1], Imm: offset}, err
}

func addressed(m []string) (Operand, error) {
	o := Operand{Kind: Memory, Reg: m[2], Index: m[3], Scale: 1}
	var err error
	if o.Imm, err = number(m[1]); err == nil && m[4] != "" {
		o.Scale, err = number(m[4])
	}
	return o, err
}
