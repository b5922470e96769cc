// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package amd64 generates Go assembly for amd64 with avo.
package amd64

import (
	"bytes"
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	. "github.com/mmcloughlin/avo/reg"
)

// ZMM and YMM are the vector registers. AVX2 has only the first 16.
var (
	ZMM = [32]VecPhysical{
		Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15,
		Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23, Z24, Z25, Z26, Z27, Z28, Z29, Z30, Z31,
	}
	YMM = lower(ZMM)
)

func lower(zmm [32]VecPhysical) (ymm [32]VecPhysical) {
	for i, z := range zmm {
		ymm[i] = z.AsY().(VecPhysical)
	}
	return ymm
}

// A File is an assembly file under construction.
type File struct {
	*build.Context
	pkg *types.Package
}

// NewFile begins a file. Function signatures may contain pointers to the named types.
func NewFile(pkg string, typeNames ...string) *File {
	f := &File{build.NewContext(), types.NewPackage(pkg, pkg)}
	for _, name := range typeNames {
		t := types.NewTypeName(token.NoPos, f.pkg, name, nil)
		types.NewNamed(t, types.NewStruct(nil, nil), nil)
		f.pkg.Scope().Insert(t)
	}
	f.ConstraintExpr("amd64") // the name of the declarations' file has no architecture suffix
	f.ConstraintExpr("gc")
	f.ConstraintExpr("!purego")
	return f
}

// Function begins a leaf function whose arguments do not escape.
func (f *File) Function(name, signature string, doc ...string) {
	s, err := gotypes.ParseSignatureInPackage(f.pkg, signature)
	if err != nil {
		panic(err)
	}
	f.Context.Function(name)
	f.Attributes(attr.NOSPLIT)
	f.Signature(s)
	f.Doc(doc...)
	f.Pragma("noescape")
}

// Table emits a table of constants and returns its first entry's operand.
func Table[T uint32 | uint64](f *File, name string, values ...T) Mem {
	table := f.StaticGlobal(name)
	f.DataAttributes(attr.RODATA | attr.NOPTR)
	for _, v := range values {
		switch v := any(v).(type) {
		case uint32:
			f.AppendDatum(U32(v))
		case uint64:
			f.AppendDatum(U64(v))
		}
	}
	return table
}

// Aligned allocates size bytes of stack memory and emits code that loads their address
// into the returned register. The address is a multiple of align, which must be a power
// of two no greater than 64.
func Aligned(c *build.Context, size, align int) GPVirtual {
	local, p := c.AllocLocal(size+align), c.GP64()
	c.LEAQ(local, p)
	c.ADDQ(U8(align-1), p)
	c.ANDQ(I8(-align), p)
	return p
}

// Argument returns the memory operand for an argument of the function.
func Argument(c *build.Context, name string) Mem {
	argument, err := c.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return argument.Addr
}

func Load(c *build.Context, name string) GPVirtual {
	return c.Load(c.Param(name), c.GP64()).(GPVirtual)
}

// LowestBits emits code that sets mask's lowest n bits. It overwrites word.
func LowestBits(c *build.Context, n, word, mask Op) {
	c.MOVQ(I32(-1), word)
	c.BZHIQ(n, word, word)
	c.KMOVQ(word, mask)
}

// Loop emits a loop that repeats body. left counts the remaining iterations.
func Loop(c *build.Context, label string, times int, left Op, body func()) {
	c.MOVQ(U32(times), left)
	c.Label(label)
	body()
	c.DECQ(left)
	c.JNZ(LabelRef(label))
}

// Bytes returns the assembly and its Go declarations. Both name the generator.
func (f *File) Bytes(generator string) (assembly, stubs []byte) {
	out, err := f.Result()
	if err != nil {
		panic(fmt.Sprintf("%+v", err))
	}
	cfg := printer.Config{Name: generator, Pkg: f.pkg.Name()}
	var printed [2]bytes.Buffer
	compile := pass.Concat(pass.FunctionPass(f.legacy), pass.Compile, pass.FunctionPass(dropSelfMoves), pass.FunctionPass(labelPlaces),
		&pass.Output{Writer: nopCloser{&printed[0]}, Printer: printer.NewGoAsm(cfg)},
		&pass.Output{Writer: nopCloser{&printed[1]}, Printer: printer.NewStubs(cfg)})
	if err := compile.Execute(out); err != nil {
		panic(err)
	}
	return printed[0].Bytes(), printed[1].Bytes()
}

// Place adds a label that proofs can refer to.
func Place(c *build.Context, name string) {
	// avo drops labels without jumps, so Bytes turns this comment into a label.
	c.Comment(placePrefix + name)
}

const placePrefix = "place: "

func labelPlaces(f *ir.Function) error {
	for i, n := range f.Nodes {
		if c, ok := n.(*ir.Comment); ok && len(c.Lines) == 1 {
			if name, ok := strings.CutPrefix(c.Lines[0], placePrefix); ok {
				f.Nodes[i] = ir.Label(name)
			}
		}
	}
	return nil
}

// dropSelfMoves drops moves from a register to itself, which avo's allocation creates.
func dropSelfMoves(f *ir.Function) error {
	f.Nodes = slices.DeleteFunc(f.Nodes, func(n ir.Node) bool {
		i, ok := n.(*ir.Instruction)
		if !ok || len(i.Operands) != 2 || i.Operands[0].Asm() != i.Operands[1].Asm() {
			return false
		}
		// Moves of narrower registers stay, because they clear the upper bits.
		return i.Opcode == "MOVQ" || i.Opcode == "MOVOA" || i.Opcode == "VMOVDQA64" && i.Operands[0].Asm()[0] == 'Z'
	})
	return nil
}

type nopCloser struct{ *bytes.Buffer }

func (nopCloser) Close() error { return nil }

// Code is a sequence of instructions to interleave with others before emitting them.
type Code []func()

func (c Code) Write() {
	for _, instruction := range c {
		instruction()
	}
}

// Record calls write and returns its instructions without adding them to the function.
func Record(c *build.Context, write func()) (code Code) {
	file, err := c.Result()
	if err != nil {
		panic(fmt.Sprintf("%+v", err))
	}
	functions := file.Functions()
	f := functions[len(functions)-1]
	before := len(f.Nodes)
	write()
	for _, node := range f.Nodes[before:] {
		i, ok := node.(*ir.Instruction)
		if !ok {
			// Keep comments and places after the previous instruction, which must exist.
			last := len(code) - 1
			previous := code[last]
			code[last] = func() { previous(); f.AddNode(node) }
			continue
		}
		code = append(code, func() {
			written := *i // because avo changes operands, and code may be written twice
			written.Operands, written.Inputs, written.Outputs = slices.Clone(i.Operands), slices.Clone(i.Inputs), slices.Clone(i.Outputs)
			f.AddInstruction(&written)
		})
	}
	f.Nodes = f.Nodes[:before]
	return code
}

// Spread merges other evenly into c and keeps both orders.
func (c Code) Spread(other Code) Code {
	var out Code
	at := 0
	for i, instruction := range c {
		for ; at*len(c) < (i+1)*len(other)-len(c)/2; at++ {
			out = append(out, other[at])
		}
		out = append(out, instruction)
	}
	return append(out, other[at:]...)
}
