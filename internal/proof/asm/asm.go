// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package asm parses the Go assembly syntax that this module's .s files use.
package asm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// A File contains the declarations of a .s file.
type File struct {
	Funcs []*Func
	Data  map[string][]byte // keys are symbol names without <>
}

// Func returns the function with the given name, or nil if none exists.
func (f *File) Func(name string) *Func {
	for _, fn := range f.Funcs {
		if fn.Name == name {
			return fn
		}
	}
	return nil
}

// A Func is a TEXT block.
type Func struct {
	Name   string
	Frame  int64 // size of the frame in bytes
	Args   int64 // size of arguments and results in bytes
	Split  bool  // without NOSPLIT: the assembler inserts a stack check
	Code   []Instr
	Labels map[string]int // index in Code of the instruction after the label
}

// An Instr is an instruction.
type Instr struct {
	Op   string // including suffixes, such as VPADDD.BCST
	Args []Operand
	Line int
}

// A Kind is the kind of an operand.
type Kind uint8

const (
	Immediate Kind = iota // $Imm
	Register              // Reg; on arm64 also Arrangement, Lane or Shift
	Memory                // Imm(Reg)(Index*Scale)
	Argument              // Name+Imm(FP)
	Label                 // Name
	Symbol                // Name<>+Imm(SB)
	AddressOf             // $ followed by a Symbol
	List                  // [Regs] of vectors or (Regs) of a pair
)

// An Operand is an operand of an instruction. Its Kind determines the fields in use.
type Operand struct {
	Kind  Kind
	Imm   int64
	Reg   string
	Index string
	Scale int64
	Name  string

	Arrangement string // arm64: B16, S4, D2, D, S …
	Lane        int64  // arm64: index of an element, or -1
	Shift       string // arm64: "<<", ">>" or none
	Amount      int64
	Regs        []Operand
}

// String returns the instruction as assembly text.
func (in *Instr) String() string {
	return strings.TrimSpace(in.Op + " " + join(in.Args))
}

func join(list []Operand) string {
	var texts []string
	for i := range list {
		texts = append(texts, list[i].String())
	}
	return strings.Join(texts, ", ")
}

// String returns o as text, with normalized numbers and without argument offsets.
func (o *Operand) String() string {
	switch o.Kind {
	case Immediate:
		return fmt.Sprintf("$%#x", o.Imm)
	case Register:
		s := o.Reg
		if o.Arrangement != "" {
			s += "." + o.Arrangement
		}
		if o.Lane >= 0 {
			s += fmt.Sprintf("[%d]", o.Lane)
		}
		if o.Shift != "" {
			s += fmt.Sprintf("%s%d", o.Shift, o.Amount)
		}
		return s
	case Memory:
		s := fmt.Sprintf("%d(%s)", o.Imm, o.Reg)
		if o.Index != "" {
			s += fmt.Sprintf("(%s*%d)", o.Index, o.Scale)
		}
		return s
	case Argument:
		return o.Name + "(FP)"
	case Symbol:
		return fmt.Sprintf("%s+%d(SB)", o.Name, o.Imm)
	case AddressOf:
		return "$" + o.Name
	case List:
		if o.Regs[0].Arrangement == "" {
			return "(" + join(o.Regs) + ")"
		}
		return "[" + join(o.Regs) + "]"
	}
	return o.Name
}

// Canonical returns fn as text with positions for labels and contents for symbols.
func (f *File) Canonical(fn *Func) string {
	var text strings.Builder
	fmt.Fprintf(&text, "frame %d arguments %d split %t\n", fn.Frame, fn.Args, fn.Split)
	for _, in := range fn.Code {
		text.WriteString(in.Op)
		for _, o := range in.Args {
			operand := o.String()
			switch o.Kind {
			case Label:
				operand = fmt.Sprintf("to %d", fn.Labels[o.Name])
			case Argument:
				operand = fmt.Sprintf("kind %d %s%+d", o.Kind, o.Name, o.Imm)
			case Symbol, AddressOf:
				operand = fmt.Sprintf("kind %d %x%+d", o.Kind, f.Data[o.Name], o.Imm)
			}
			text.WriteString(", " + operand)
		}
		text.WriteByte('\n')
	}
	return text.String()
}

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
	f := &File{Data: map[string][]byte{}}
	r := reader{file: f, sizes: map[string]int64{}, operands: map[string]Operand{}}
	for line := range strings.Lines(text) {
		r.number++
		if r.line(line); r.err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, r.number, r.err)
		}
	}
	if !maps.EqualFunc(f.Data, r.sizes, func(data []byte, size int64) bool { return int64(len(data)) == size }) {
		return nil, fmt.Errorf("%s: symbols have other sizes in DATA than in GLOBL", name)
	}
	return f, nil
}

type reader struct {
	file     *File
	fn       *Func
	number   int                // line number
	err      error              // of the line
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
	read func(r *reader, m []string)
}{
	"#include": {form(`"textflag.h"`), func(*reader, []string) {}},
	"TEXT":     {form(`·(NAME)\(SB\),( NOSPLIT,| 0,)? \$(\d+)-(\d+)`), (*reader).text},
	"DATA":     {form(`(NAME)<>(OFFSET)\(SB\)/([1248]), \$(NUMBER)`), (*reader).data},
	// Data that code reads must be read-only.
	"GLOBL": {form(`(NAME)<>\(SB\), RODATA\|NOPTR, \$(\d+)`), (*reader).global},
}

var (
	label     = form(`NAME`)
	operation = form(`[A-Z][A-Z0-9.]*`)
)

func (r *reader) line(line string) {
	line, _, _ = strings.Cut(line, "//")
	line = strings.Join(strings.Fields(line), " ")
	op, rest, _ := strings.Cut(line, " ")
	if d, ok := directives[op]; ok {
		if m := d.form.FindStringSubmatch(rest); m != nil {
			d.read(r, m)
			return
		}
	} else if name, ok := strings.CutSuffix(line, ":"); ok && label.MatchString(name) && r.fn != nil {
		if _, twice := r.fn.Labels[name]; !twice {
			r.fn.Labels[name] = len(r.fn.Code)
			return
		}
	} else if operation.MatchString(op) && r.fn != nil {
		r.fn.Code = append(r.fn.Code, Instr{Op: op, Line: r.number, Args: r.list(rest)})
		return
	} else if line == "" {
		return
	}
	r.fail("unsupported line or duplicate label: %s", line)
}

func (r *reader) fail(format string, args ...any) {
	r.err = errors.Join(r.err, fmt.Errorf(format, args...))
}

func (r *reader) text(m []string) {
	r.fn = &Func{Name: m[1], Frame: r.integer(m[3]), Args: r.integer(m[4]), Split: m[2] != " NOSPLIT,", Labels: map[string]int{}}
	r.file.Funcs = append(r.file.Funcs, r.fn)
}

func (r *reader) data(m []string) {
	data := r.file.Data[m[1]]
	if offset := r.integer(m[2]); offset != int64(len(data)) {
		r.fail("DATA %s: offset %d, want %d", m[1], offset, len(data))
	}
	b := binary.LittleEndian.AppendUint64(nil, uint64(r.integer(m[4])))
	r.file.Data[m[1]] = append(data, b[:r.integer(m[3])]...)
}

func (r *reader) global(m []string) { r.sizes[m[1]] = r.integer(m[2]) }

// forms lists the operand forms. Named groups are fields of Operand.
var forms = []struct {
	kind Kind
	text *regexp.Regexp
}{
	{Register, form(`(?<Reg>REGISTER)`)},
	{Register, form(`(?<Reg>V\d\d?)\.(?<Arrangement>B16|B8|H8|H4|S4|S2|D2)`)},
	{Register, form(`(?<Reg>V\d\d?)\.(?<Arrangement>[BHSD])\[(?<Lane>\d\d?)\]`)},
	{Register, form(`(?<Reg>R\d\d?)(?<Shift><<|>>)(?<Amount>\d\d?)`)},
	{Memory, form(`(?<Imm>NUMBER)?\((?<Reg>REGISTER)\)(?:\((?<Index>REGISTER)(?:\*(?<Scale>[1248]))?\))?`)},
	{Immediate, form(`\$(?<Imm>NUMBER)`)},
	{Argument, form(`(?<Name>NAME)(?<Imm>OFFSET)?\(FP\)`)},
	{Symbol, form(`(?<Name>NAME)<>(?<Imm>OFFSET)?\(SB\)`)},
	{AddressOf, form(`\$(?<Name>NAME)<>(?<Imm>OFFSET)?\(SB\)`)},
	{Label, form(`(?<Name>NAME)`)},
	{List, form(`\[(?<Regs>.+)\]`)},
	{List, form(`\((?<Regs>.+,.+)\)`)},
}

func (r *reader) operand(s string) Operand {
	if o, ok := r.operands[s]; ok {
		return o
	}
	o := Operand{Lane: -1, Scale: 1}
	for _, f := range forms {
		m := f.text.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		o.Kind = f.kind
		for i, name := range f.text.SubexpNames() {
			switch field := reflect.ValueOf(&o).Elem().FieldByName(name); field.Kind() {
			case reflect.String:
				field.SetString(m[i])
			case reflect.Int64:
				if m[i] != "" {
					field.SetInt(r.integer(m[i]))
				}
			case reflect.Slice:
				o.Regs = r.list(m[i])
			}
		}
		r.operands[s] = o
		return o
	}
	r.fail("unsupported operand %q", s)
	return o
}

// list parses operands that are separated by commas outside brackets.
func (r *reader) list(s string) (list []Operand) {
	depth, from := 0, 0
	for i := 0; s != "" && i <= len(s); i++ {
		switch {
		case i == len(s) || s[i] == ',' && depth == 0:
			list, from = append(list, r.operand(strings.TrimSpace(s[from:i]))), i+1
		case s[i] == '(' || s[i] == '[':
			depth++
		case s[i] == ')' || s[i] == ']':
			depth--
		}
	}
	return list
}

func (r *reader) integer(s string) int64 {
	if v, err := strconv.ParseInt(s, 0, 64); err == nil {
		return v
	}
	v, err := strconv.ParseUint(s, 0, 64)
	r.err = errors.Join(r.err, err)
	return int64(v)
}
