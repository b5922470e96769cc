// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build amd64 || arm64

package contracts

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/proof"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

const root = "../../.."

// TestStubs has each kernel's declaration in Go give arguments of the types, and at the places, that its statement takes:
// an address as a pointer, to bytes or to as much as the statement says, and never as a number, which the garbage
// collector would not see.
func TestStubs(t *testing.T) {
	packages := map[string]*types.Scope{}
	for i := range proof.Kernels {
		k := &proof.Kernels[i]
		_, fn, err := k.Read(root)
		if err != nil {
			t.Fatal(err)
		}
		if packages[k.File] == nil {
			packages[k.File] = scope(t, k)
		}
		stub, ok := packages[k.File].Lookup(k.Func).(*types.Func)
		if !ok {
			t.Errorf("%s has no declaration", k.Name())
			continue
		}
		if err := differs(stub.Signature(), k, fn.Args); err != nil {
			t.Errorf("%s: %v", k.Name(), err)
		}
	}
}

// scope returns what a kernel's package declares, as far as it tells without what it imports.
func scope(t *testing.T, k *engine.Kernel) *types.Scope {
	context := build.Default
	context.GOOS, context.GOARCH, context.BuildTags = "linux", arch(k), nil
	dir := filepath.Join(root, filepath.FromSlash(path.Dir(k.File)))
	p, err := context.ImportDir(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	set, files := token.NewFileSet(), []*ast.File{}
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	// Nothing is imported, so that much else is an error.
	config := types.Config{Error: func(error) {}, IgnoreFuncBodies: true}
	checked, _ := config.Check(p.Name, set, files, nil)
	return checked.Scope()
}

func arch(k *engine.Kernel) string {
	if strings.HasSuffix(k.File, "_arm64.s") {
		return "arm64"
	}
	return "amd64"
}

// differs returns why a declaration is not what a statement takes, in any variant.
func differs(stub *types.Signature, k *engine.Kernel, args int64) error {
	sizes := types.SizesFor("gc", arch(k))
	addresses := map[string]bool{} // in a variant a pointer may be one that nobody reads
	for _, part := range k.Parts() {
		if part.Kernel.From != "" {
			continue
		}
		c := k.Declared(part.Variant)
		objects := map[term.Term]*machine.Object{}
		for _, o := range c.Objects() {
			objects[o.Base] = o
		}
		at, said := int64(0), c.Arguments.Fixed()
		for p := range stub.Params().Variables() {
			size := sizes.Sizeof(p.Type())
			at = (at + size - 1) &^ (size - 1)
			of, from := said[at].Of()
			if _, ok := said[at]; !ok || from != 0 || int64(c.Width(of)/8) != size && c.Op(of) != term.Const {
				return fmt.Errorf("%s has %d bytes at %d, which the statement says nothing of", p.Name(), size, at)
			}
			if err := argument(c, p.Type(), objects[of], sizes); err != nil {
				return fmt.Errorf("%s: %w", p.Name(), err)
			}
			if _, ok := p.Type().Underlying().(*types.Pointer); ok {
				addresses[p.Name()] = addresses[p.Name()] || objects[of] != nil
			}
			at += size
		}
		if at = (at + 7) &^ 7; stub.Results().Len() > 0 {
			at += sizes.Sizeof(stub.Results().At(0).Type())
		}
		if at != args && (at+7)&^7 != args {
			return fmt.Errorf("the declaration has %d bytes of arguments and results, the text %d", at, args)
		}
	}
	for name, is := range addresses {
		if !is {
			return fmt.Errorf("%s is a pointer, for a number", name)
		}
	}
	return nil
}

// argument returns why a type is not that of an argument: the base of an object, or a number.
func argument(c *engine.Case, of types.Type, o *machine.Object, sizes types.Sizes) error {
	pointer, isPointer := of.Underlying().(*types.Pointer)
	basic, isBasic := of.Underlying().(*types.Basic)
	switch {
	case o == nil && !isPointer && (!isBasic || basic.Info()&types.IsInteger == 0 || basic.Kind() == types.Uintptr):
		return fmt.Errorf("%s for a number", of)
	case o == nil:
		return nil
	case !isPointer:
		return fmt.Errorf("%s for the address of %s", of, o.Name)
	}
	if _, first := pointer.Elem().Underlying().(*types.Basic); first { // of many
		return nil
	}
	least, known := c.IsConst(c.SizeOf(o))
	if has := sizes.Sizeof(pointer.Elem()); known && uint64(has) < least {
		return fmt.Errorf("%s of %d bytes, for %s of %d", of, has, o.Name, least)
	}
	return nil
}

// onlyAt has the functions and the types with methods that call kernels without asking for the level: they
// are used at it alone.
var onlyAt = map[string]cpu.Level{
	"BlocksAVX2": cpu.AVX2, "sumFour": cpu.AVX2AES, "compressLanes": cpu.NEON,
	"message.kernel": cpu.AVX512VAES, "message.kernelPair": cpu.AVX512VAES, // by the number of lanes, after pairs
	"IFMA": cpu.AVX512IFMA, "Table": cpu.AVX512IFMA, "kernel": cpu.AVX512IFMA, // by what vectorKernel returned
	"ifmaState": cpu.AVX512IFMA, "lanes": cpu.AVX512IFMA, "onePass": cpu.NEON,
	"runOneStep": cpu.AVX512IFMA, // by the ways in its table
}

// TestLevels has each package register levels that include those before them, and each call of a kernel stand where the
// level includes what the kernel's name says.
func TestLevels(t *testing.T) {
	seen, registered, calls := map[string]bool{}, 0, 0
	for i := range proof.Kernels {
		k := &proof.Kernels[i]
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(path.Dir(k.File)), "*_"+arch(k)+".go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if seen[name] {
				continue
			}
			seen[name] = true
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
					l := levels{t: t, where: filepath.Base(path.Dir(k.File)) + ": " + fn.Name.Name, at: []cpu.Level{atFunction(fn, arch(k))}, body: map[ast.Node]cpu.Level{}}
					ast.Inspect(fn.Body, l.visit)
					registered, calls = registered+l.registered, calls+l.calls
				}
			}
		}
	}
	if registered < 16 || calls < 60 {
		t.Errorf("%d packages register levels, and there are %d calls", registered, calls)
	}
}

// atFunction is the level that onlyAt has for a function, or for what it is a method of.
func atFunction(fn *ast.FuncDecl, arch string) cpu.Level {
	l := onlyAt[fn.Name.Name]
	if fn.Recv != nil {
		of := strings.TrimPrefix(types.ExprString(fn.Recv.List[0].Type), "*")
		l = max(onlyAt[of], onlyAt[of+"."+fn.Name.Name])
	}
	if arch == "arm64" && l.Includes(cpu.AVX512VAES) {
		return cpu.NEONAES
	}
	if arch == "arm64" {
		return min(l, 1) * cpu.NEON
	}
	return l
}

// levels visits a function's body. Last in at is the level that is known where it is, for each node around it.
type levels struct {
	t                 *testing.T
	where             string
	at                []cpu.Level
	body              map[ast.Node]cpu.Level // of if
	registered, calls int
}

func (l *levels) visit(n ast.Node) bool {
	if n == nil {
		l.at = l.at[:len(l.at)-1]
		return true
	}
	at := l.at[len(l.at)-1]
	switch n := n.(type) {
	case *ast.CaseClause:
		at = least(n.List, at)
	case *ast.IfStmt:
		l.body[n.Body] = least([]ast.Expr{n.Cond}, at)
		if _, ok := n.Body.List[len(n.Body.List)-1].(*ast.ReturnStmt); ok {
			l.at[len(l.at)-1] = max(at, otherwise(n.Cond))
		}
	case *ast.BlockStmt:
		if inside, ok := l.body[n]; ok {
			at = inside
		}
	case *ast.CallExpr:
		l.call(n, at)
	}
	l.at = append(l.at, at)
	return true
}

func (l *levels) call(call *ast.CallExpr, at cpu.Level) {
	switch name := types.ExprString(call.Fun); {
	case name == "impl.Register":
		l.registered++
		for i := 3; i < len(call.Args); i++ {
			if before, this := named(call.Args[i-1]), named(call.Args[i]); this <= before || !this.Includes(before) {
				l.t.Errorf("%s: %s does not include %s", l.where, this, before)
			}
		}
	case cpu.LevelOf(name) > cpu.AMD64 && !strings.Contains(name, "."):
		l.calls++
		if need := cpu.LevelOf(name); !at.Includes(need) {
			l.t.Errorf("%s: %s is called at %s", l.where, name, at)
		}
	}
}

// least returns the lowest level with which one of a clause's conditions holds, or what is known before.
func least(conditions []ast.Expr, before cpu.Level) cpu.Level {
	all := []cpu.Level{}
	for _, c := range conditions {
		if at := asked(c); at > cpu.Generic {
			all = append(all, at)
		}
	}
	if len(all) == 0 || len(all) < len(conditions) {
		return before
	}
	return slices.Min(all)
}

// asked returns the level that a condition asks for, as cpu.AVX2 does in a switch, x == cpu.AVX2, x >= cpu.AVX2,
// or one of these with others that hold, too.
func asked(condition ast.Expr) cpu.Level {
	b, ok := condition.(*ast.BinaryExpr)
	switch {
	case !ok:
		return named(condition)
	case b.Op == token.LAND:
		return max(asked(b.X), asked(b.Y))
	case b.Op == token.EQL || b.Op == token.GEQ:
		return named(b.Y)
	}
	return cpu.Generic
}

// otherwise returns the level that what follows has if a condition does not hold: x != cpu.AVX2, x < cpu.AVX2, or one of
// these or something else.
func otherwise(condition ast.Expr) cpu.Level {
	b, ok := condition.(*ast.BinaryExpr)
	switch {
	case !ok:
	case b.Op == token.LOR:
		return max(otherwise(b.X), otherwise(b.Y))
	case b.Op == token.NEQ || b.Op == token.LSS:
		return named(b.Y)
	}
	return cpu.Generic
}

// named returns the level that an expression names, as cpu.AVX2.
func named(e ast.Expr) cpu.Level {
	name, ok := strings.CutPrefix(types.ExprString(e), "cpu.")
	if l := cpu.LevelOf(name); ok && l.String() == name {
		return l
	}
	return cpu.Generic
}
