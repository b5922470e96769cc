// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package asm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// Read parses the named file.
func Read(name string) (*File, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return Parse(name, string(text))
}

// Parse parses the text of a file.
func Parse(name, text string) (*File, error) {
	f := &File{Name: name, Data: map[string][]byte{}}
	r := reader{file: f, sizes: map[string]int64{}, operands: map[string]Operand{}}
	for line := range strings.Lines(text) {
		r.number++
		if err := r.line(line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, r.number, err)
		}
	}
	for name, size := range r.sizes {
		if int64(len(f.Data[name])) != size {
			return nil, fmt.Errorf("%s: data of %s has %d bytes, want %d as in GLOBL", f.Name, name, len(f.Data[name]), size)
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
	file     *File
	fn       *Func
	number   int                // line number
	sizes    map[string]int64   // size of each symbol according to GLOBL
	operands map[string]Operand // cache of parsed operands, most of which occur many times in a file
}

// form compiles a pattern. NAME, NUMBER, OFFSET and REGISTER match any such token.
func form(text string) *regexp.Regexp {
	return regexp.MustCompile("^(?:" + strings.NewReplacer(
		"NAME", `[a-zA-Z_]\w*`,
		"NUMBER", `[-+]?[0-9a-fA-Fx]+`,
		"OFFSET", `[-+][0-9a-fA-Fx]+`,
		"REGISTER", `(?:[ABCD]X|SI|DI|BP|SP|CL|ZR|RSP|g|[RXYZKVF]\d\d?)`,
	).Replace(text) + ")$")
}

// directives maps a line's first word to its syntax and parser.
var directives = map[string]struct {
	form *regexp.Regexp
	read func(r *reader, m []string) error
}{
	"#include": {form(`"textflag.h"`), func(*reader, []string) error { return nil }},
	"TEXT":     {form(`·(NAME)\(SB\),( NOSPLIT,| 0,)? \$(\d+)-(\d+)`), (*reader).text},
	"DATA":     {form(`(NAME)<>(OFFSET)\(SB\)/([1248]), \$(NUMBER)`), (*reader).data},
	// Data that code reads must be read-only.
	"GLOBL": {form(`(NAME)<>\(SB\), RODATA\|NOPTR, \$(\d+)`), (*reader).global},
}

var (
	label     = form(`(NAME):`)
	operation = form(`[A-Z][A-Z0-9.]*`)
)

func (r *reader) line(line string) error {
	line, _, _ = strings.Cut(line, "//")
	line = strings.Join(strings.Fields(line), " ")
	op, rest, _ := strings.Cut(line, " ")
	d, directive := directives[op]
	switch m := label.FindStringSubmatch(line); {
	case line == "":
		return nil
	case directive:
		if m := d.form.FindStringSubmatch(rest); m != nil {
			return d.read(r, m)
		}
	case r.fn == nil: // code precedes the first TEXT
	case m != nil:
		if _, twice := r.fn.Labels[m[1]]; !twice {
			r.fn.Labels[m[1]] = len(r.fn.Code)
			return nil
		}
	case operation.MatchString(op):
		args, err := r.list(rest)
		r.fn.Code = append(r.fn.Code, Instr{Op: op, Line: r.number, Args: args})
		return err
	}
	return fmt.Errorf("unsupported line or duplicate label: %s", line)
}

func (r *reader) text(m []string) error {
	frame, err1 := number(m[3])
	args, err2 := number(m[4])
	r.fn = &Func{Name: m[1], Line: r.number, Frame: frame, Args: args, Split: m[2] != " NOSPLIT,", Labels: map[string]int{}}
	r.file.Funcs = append(r.file.Funcs, r.fn)
	return errors.Join(err1, err2)
}

func (r *reader) data(m []string) error {
	name := m[1]
	offset, err1 := number(m[2])
	size, err2 := number(m[3])
	value, err3 := number(m[4])
	if offset != int64(len(r.file.Data[name])) {
		return fmt.Errorf("DATA %s: offset %d, want %d", name, offset, len(r.file.Data[name]))
	}
	b := binary.LittleEndian.AppendUint64(nil, uint64(value))
	r.file.Data[name] = append(r.file.Data[name], b[:size]...)
	return errors.Join(err1, err2, err3)
}

func (r *reader) global(m []string) (err error) {
	r.sizes[m[1]], err = number(m[2])
	return err
}

// forms lists the operand forms. Named groups are fields of Operand.
var forms = []struct {
	kind Kind
	text *regexp.Regexp
}{
	{Register, form(`(?<Reg>REGISTER)`)},
	{Register, form(`(?<Reg>V\d\d?)\.(?<Arrangement>B16|B8|H8|H4|S4|S2|D2|D1|Q1)`)},
	{Register, form(`(?<Reg>V\d\d?)\.(?<Arrangement>[BHSD])\[(?<Lane>\d\d?)\]`)},
	{Register, form(`(?<Reg>R\d\d?)(?<Shift><<|>>|->)(?<Amount>\d\d?)`)},
	{Memory, form(`(?<Imm>NUMBER)?\((?<Reg>REGISTER)\)(?:\((?<Index>REGISTER)(?:\*(?<Scale>[1248]))?\))?`)},
	{Immediate, form(`\$(?<Imm>NUMBER)`)},
	{Argument, form(`(?<Name>NAME)(?<Imm>OFFSET)?\(FP\)`)},
	{Symbol, form(`(?<Name>NAME)<>(?<Imm>OFFSET)?\(SB\)`)},
	{AddressOf, form(`\$(?<Name>NAME)<>(?<Imm>OFFSET)?\(SB\)`)},
	{Label, form(`(?<Name>NAME)`)},
	{List, form(`\[(?<Regs>.+)\]`)},
	{List, form(`\((?<Regs>.+,.+)\)`)},
}

func (r *reader) operand(s string) (Operand, error) {
	if o, ok := r.operands[s]; ok {
		return o, nil
	}
	o := Operand{Lane: -1, Scale: 1}
	fields := map[string]any{
		"Imm": &o.Imm, "Reg": &o.Reg, "Index": &o.Index, "Scale": &o.Scale, "Name": &o.Name,
		"Arrangement": &o.Arrangement, "Lane": &o.Lane, "Shift": &o.Shift, "Amount": &o.Amount, "Regs": &o.Regs,
	}
	for _, f := range forms {
		m := f.text.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		o.Kind = f.kind
		for i, field := range f.text.SubexpNames() {
			var err error
			switch field := fields[field].(type) {
			case *string:
				*field = m[i]
			case *int64:
				if m[i] != "" {
					*field, err = number(m[i])
				}
			case *[]Operand:
				*field, err = r.list(m[i])
			}
			if err != nil {
				return o, err
			}
		}
		r.operands[s] = o
		return o, nil
	}
	return o, fmt.Errorf("unsupported operand %q", s)
}

var separate = regexp.MustCompile(`(?:[^,()\[\]]|\([^()]*\)|\[[^\[\]]*\])+`)

func (r *reader) list(s string) (list []Operand, err error) {
	parts := separate.FindAllString(s, -1)
	if strings.Join(parts, ",") != s {
		return nil, fmt.Errorf("malformed operand list %q", s)
	}
	for _, part := range parts {
		o, err := r.operand(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	return list, nil
}

func number(s string) (int64, error) {
	if v, err := strconv.ParseInt(s, 0, 64); err == nil {
		return v, nil
	}
	v, err := strconv.ParseUint(s, 0, 64)
	return int64(v), err
}
