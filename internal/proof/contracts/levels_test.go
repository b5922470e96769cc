// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build amd64 || arm64

package contracts

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/cpu"
)

// chosen maps constants to the kernel level that they represent. A constant may be used
// outside of comparisons only where its level is known, and a case clause that names
// the constant makes its level known.
var chosen = map[string]cpu.Level{
	// TestThresholds of each package requires that a level in its tables includes these.
	"chacha20poly1305.onePassSSE41": cpu.SSE41, "chacha20poly1305.onePassAVX2": cpu.AVX2, "chacha20poly1305.onePassAVX512": cpu.AVX512,
	"chacha20poly1305.steps": cpu.AVX512IFMA, "chacha20poly1305.halvedSteps": cpu.AVX512IFMA, "chacha20poly1305.short": cpu.AVX512IFMA,
	"chacha20.vectorSSE41": cpu.SSE41, "chacha20.vectorAVX2": cpu.AVX2, "chacha20.vectorAVX512": cpu.AVX512, "chacha20.oneBlockAVX512": cpu.AVX512,
	"blake2b.fourAVX2": cpu.AVX2, "blake2b.eightAVX2": cpu.AVX2, "blake2b.fourAVX512": cpu.AVX512, "blake2b.eightAVX512": cpu.AVX512,
}

// TestLevels checks that packages register levels in increasing order, each including
// the previous one. It also checks, through all calls and packages, that a function
// reaches a kernel only after it has tested for the level in the kernel's name. If a
// method is called only through an interface, a type assertion to its receiver counts
// as a call.
func TestLevels(t *testing.T) {
	registered, kernels := 0, 0
	for _, arch := range []string{"amd64", "arm64"} {
		p := load(t, arch)
		for changed := true; changed; {
			changed = false
			for _, f := range p.functions {
				need := f.need
				w := p.walk(f.decl, func(_ ast.Node, callee *types.Func, at cpu.Level) {
					if of := p.need(callee); of > need && !at.Includes(of) {
						need, f.through = of, callee.Name()
					}
				})
				if w.unknown != "" {
					t.Fatalf("%s: %s is used where its level is not known", f.name(), w.unknown)
				}
				if need != f.need {
					f.need, changed = need, true
				}
			}
		}
		for _, f := range p.functions {
			if f.need > cpu.Generic && !p.called[f.object] && !p.dynamic(f.object) {
				t.Errorf("%s: %s reaches a kernel that needs %s through %s without testing for the level", arch, f.name(), f.need, p.path(f))
			}
			p.walk(f.decl, func(n ast.Node, callee *types.Func, _ cpu.Level) {
				if callee.Name() == "Register" && callee.Pkg().Name() == "dispatch" {
					registered++
				}
				if kernelLevel(p, callee) > cpu.Generic {
					kernels++
				}
			})
			checkRegistered(t, p, f.decl)
		}
	}
	if registered < 16 || kernels < 60 {
		t.Errorf("got %d calls of dispatch.Register and %d of kernels, want at least 16 and 60", registered, kernels)
	}
}

// checkRegistered checks the order of the levels that are passed to dispatch.Register.
func checkRegistered(t *testing.T, p *program, fn *ast.FuncDecl) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && types.ExprString(call.Fun) == "dispatch.Register" {
			for i := 3; i < len(call.Args); i++ {
				if before, this := named(call.Args[i-1]), named(call.Args[i]); this <= before || !this.Includes(before) {
					t.Errorf("%s: %s does not include %s", types.ExprString(call), this, before)
				}
			}
		}
		return true
	})
}

// TestCheckCalls checks that each call of a kernel whose time depends on a length
// follows a call of dispatch.CheckCall in the same block or a surrounding block of the
// function.
func TestCheckCalls(t *testing.T) {
	checked := 0
	for _, arch := range []string{"amd64", "arm64"} {
		p := load(t, arch)
		for _, f := range p.functions {
			p.walk(f.decl, func(n ast.Node, callee *types.Func, _ cpu.Level) {
				if !p.assembly(callee) || !hasLength(callee) {
					return
				}
				checked++
				if !checkedBefore(f.decl.Body, n.Pos()) {
					t.Errorf("%s: %s calls %s without calling dispatch.CheckCall first", arch, f.name(), callee.Name())
				}
			})
		}
	}
	if checked < 60 {
		t.Errorf("got %d calls of kernels with a length, want at least 60", checked)
	}
}

// hasLength reports whether a kernel's time depends on an argument: a number of bytes,
// blocks or steps, or a message.
func hasLength(kernel *types.Func) bool {
	for v := range kernel.Signature().Params().Variables() {
		switch v.Name() {
		case "n", "adLen", "steps", "blocks", "messages":
			return true
		case "m":
			if pointer, ok := v.Type().(*types.Pointer); ok && strings.HasSuffix(pointer.Elem().String(), "aegis.message") {
				return true
			}
		}
	}
	return false
}

// checkedBefore reports whether dispatch.CheckCall is called before a position, in a
// block that contains the position.
func checkedBefore(body *ast.BlockStmt, at token.Pos) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if n == nil || at < n.Pos() || n.End() <= at {
			return false
		}
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		}
		for _, s := range list {
			if e, ok := s.(*ast.ExprStmt); ok && e.End() <= at {
				if call, ok := e.X.(*ast.CallExpr); ok && types.ExprString(call.Fun) == "dispatch.CheckCall" {
					found = true
				}
			}
		}
		return true
	})
	return found
}

// kernelLevel returns the level of an assembly function. It returns Generic for Go
// functions and for functions that every processor of the architecture can run.
func kernelLevel(p *program, f *types.Func) cpu.Level {
	if l := cpu.LevelOf(f.Name()); p.assembly(f) && l > cpu.AMD64 {
		return l
	}
	return cpu.Generic
}

// walk calls use for each function that fn's body uses, with the level that is known
// there.
func (p *program) walk(fn *ast.FuncDecl, use func(n ast.Node, callee *types.Func, at cpu.Level)) *walker {
	w := &walker{program: p, use: use, at: []cpu.Level{cpu.Generic}, blocks: map[ast.Node]cpu.Level{}, compared: map[ast.Node]bool{}}
	ast.Inspect(fn.Body, w.visit)
	return w
}

// A walker visits a function's body. at contains the level that is known at each node
// around the current one; the last entry belongs to the current node.
type walker struct {
	*program
	use      func(n ast.Node, callee *types.Func, at cpu.Level)
	at       []cpu.Level
	blocks   map[ast.Node]cpu.Level // levels known in the blocks of if statements
	compared map[ast.Node]bool
	unknown  string // a constant in chosen that is used at another level
}

func (w *walker) visit(n ast.Node) bool {
	if n == nil {
		w.at = w.at[:len(w.at)-1]
		return true
	}
	at := w.at[len(w.at)-1]
	switch n := n.(type) {
	case *ast.CaseClause:
		for _, c := range n.List {
			w.compared[c] = true
		}
		at = w.least(n.List, at)
	case *ast.IfStmt:
		w.blocks[n.Body] = w.least([]ast.Expr{n.Cond}, at)
		if n.Else != nil {
			w.blocks[n.Else] = max(at, w.otherwise(n.Cond))
		}
		if leaves(n.Body) {
			w.at[len(w.at)-1] = max(at, w.otherwise(n.Cond))
		}
	case *ast.BlockStmt:
		if inside, ok := w.blocks[n]; ok {
			at = inside
		}
	case *ast.BinaryExpr:
		w.compared[n.X], w.compared[n.Y] = true, true
	case *ast.Ident:
		w.ident(n, at)
	case *ast.TypeAssertExpr:
		if n.Type != nil {
			for _, m := range w.methods(w.info.TypeOf(n.Type)) {
				w.use(n, m, at)
			}
		}
	}
	w.at = append(w.at, at)
	return true
}

func (w *walker) ident(n *ast.Ident, at cpu.Level) {
	switch o := w.info.Uses[n].(type) {
	case *types.Func:
		w.use(n, o.Origin(), at)
	case *types.Const:
		if l := w.constant(n); l > cpu.Generic && !w.compared[n] && !at.Includes(l) {
			w.unknown = o.Name()
		}
	}
}

// leaves reports whether a block ends with a return, a continue or a panic.
func leaves(b *ast.BlockStmt) bool {
	switch s := b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.CONTINUE
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		return ok && types.ExprString(call.Fun) == "panic"
	}
	return false
}

// constant returns the level of a constant in chosen, or Generic for another
// expression.
func (p *program) constant(e ast.Expr) cpu.Level {
	if id, ok := e.(*ast.Ident); ok {
		if c, ok := p.info.Uses[id].(*types.Const); ok && c.Pkg() != nil {
			return chosen[path.Base(c.Pkg().Path())+"."+c.Name()]
		}
	}
	return cpu.Generic
}

// least returns the level that is known in a clause: the lowest level that one of its
// conditions requires, or before if that is higher or a condition requires none.
func (p *program) least(conditions []ast.Expr, before cpu.Level) cpu.Level {
	all := []cpu.Level{}
	for _, c := range conditions {
		if at := p.asked(c); at > cpu.Generic {
			all = append(all, at)
		}
	}
	if len(all) == 0 || len(all) < len(conditions) {
		return before
	}
	return max(before, slices.Min(all))
}

// asked returns the level that a condition requires. Such a condition is a level or a
// constant in chosen, as in a case clause, an == or >= comparison with either, or a
// conjunction that contains such a comparison.
func (p *program) asked(condition ast.Expr) cpu.Level {
	b, ok := condition.(*ast.BinaryExpr)
	switch {
	case !ok:
		return max(named(condition), p.constant(condition))
	case b.Op == token.LAND:
		return max(p.asked(b.X), p.asked(b.Y))
	case b.Op == token.EQL || b.Op == token.GEQ:
		return max(named(b.Y), p.constant(b.Y))
	}
	return cpu.Generic
}

// otherwise returns the level that is known if a condition is false. Such a condition
// is x != cpu.AVX2, x < cpu.AVX2 or a disjunction that contains one of these.
func (p *program) otherwise(condition ast.Expr) cpu.Level {
	b, ok := condition.(*ast.BinaryExpr)
	switch {
	case !ok:
	case b.Op == token.LOR:
		return max(p.otherwise(b.X), p.otherwise(b.Y))
	case b.Op == token.NEQ || b.Op == token.LSS:
		return named(b.Y)
	}
	return cpu.Generic
}

// named returns the level that an expression such as cpu.AVX2 names.
func named(e ast.Expr) cpu.Level {
	name, ok := strings.CutPrefix(types.ExprString(e), "cpu.")
	if l := cpu.LevelOf(name); ok && l.String() == name {
		return l
	}
	return cpu.Generic
}
