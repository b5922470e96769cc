// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package timing

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A reading is the analysis of a package's use of secrets. Values of types that hold
// only lengths, counts, results, names and addresses (int, bool, string, pointers,
// slices) are public, and so are numbers of other types computed only from public
// values. All other values may be secret: words, bytes, arrays. An expression that
// derives a public value from a possible secret is an entrance.
type reading struct {
	fset   *token.FileSet
	info   *types.Info
	inside string                // the module's path, whose functions are analysed as well
	secret map[types.Object]bool // variables that may be secret
	known  map[string]string     // public fields and parameters, with reasons
	name   string                // name of the current function in the compiler's listing
	enters map[string][]string   // entrances, by "file:line"
	counts map[string]bool       // lines that compute with possible secrets
	within map[string]string     // functions that contain these lines
	asked  map[string]bool       // names in known that were looked up
	files  map[string]bool
}

func newReading() *reading {
	return &reading{fset: token.NewFileSet(), inside: module, known: known, enters: map[string][]string{},
		counts: map[string]bool{}, within: map[string]string{}, asked: map[string]bool{}, files: map[string]bool{}}
}

// readPackages analyses the module's packages listed by go list, which lists imports
// before their importers.
func (r *reading) readPackages(t *testing.T, list io.Reader) {
	exports := map[string]string{}
	for d := json.NewDecoder(list); d.More(); {
		var p struct {
			ImportPath, Dir, Export string
			GoFiles                 []string
		}
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if !strings.HasPrefix(p.ImportPath, r.inside) {
			continue
		}
		var files []*ast.File
		for _, name := range p.GoFiles {
			name = filepath.Join(p.Dir, name)
			file, err := parser.ParseFile(r.fset, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files, r.files[name] = append(files, file), true
		}
		config := types.Config{Importer: importer.ForCompiler(r.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
		if err := r.check(p.ImportPath, files, config); err != nil {
			t.Fatal(err)
		}
	}
}

// check type-checks a package's files and analyses their functions.
func (r *reading) check(path string, files []*ast.File, config types.Config) error {
	r.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	if _, err := config.Check(path, r.fset, files, r.info); err != nil {
		return err
	}
	for _, file := range files {
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			r.name = strings.TrimPrefix(path, r.inside) + "."
			if fn.Recv != nil {
				recv := types.ExprString(fn.Recv.List[0].Type)
				if strings.HasPrefix(recv, "*") {
					recv = "(" + recv + ")"
				}
				r.name += recv + "."
			}
			r.name += fn.Name.Name
			r.follow(fn)
			ast.Inspect(fn.Body, r.visit)
		}
	}
	return nil
}

// follow finds the variables of a function that may be secret: its parameters, those of
// function literals, variables assigned possible secrets, and variables whose address
// is taken.
func (r *reading) follow(fn *ast.FuncDecl) {
	r.secret = map[types.Object]bool{}
	given := map[types.Object][]ast.Expr{}
	give := func(to, from ast.Expr) {
		if id, ok := ast.Unparen(to).(*ast.Ident); ok && r.info.ObjectOf(id) != nil {
			given[r.info.ObjectOf(id)] = append(given[r.info.ObjectOf(id)], from)
		}
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncType:
			for _, field := range n.Params.List {
				for _, id := range field.Names {
					r.secret[r.info.Defs[id]] = !r.isKnown(r.name + ":" + id.Name)
				}
			}
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				give(to, n.Rhs[min(i, len(n.Rhs)-1)])
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if i < len(n.Values) {
					give(id, n.Values[i])
				}
			}
		case *ast.RangeStmt:
			give(n.Key, n.X)
			give(n.Value, &ast.IndexExpr{X: n.X})
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				give(n.X, n)
			}
		}
		return true
	})
	for changed := true; changed; {
		changed = false
		for v, all := range given {
			if !r.secret[v] && !r.arePublic(all...) {
				r.secret[v], changed = true, true
			}
		}
	}
}

func (r *reading) isKnown(name string) bool {
	r.asked[name] = true
	return r.known[name] != ""
}

// holdsPublic reports whether all values of a type are public.
func holdsPublic(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsBoolean|types.IsString) != 0 || slices.Contains([]types.BasicKind{types.Int, types.Uintptr, types.UnsafePointer, types.UntypedNil}, u.Kind())
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature:
		return true
	case *types.Interface:
		return types.Implements(t, types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
	}
	return false
}

// public reports whether an expression is public.
func (r *reading) public(e ast.Expr) bool {
	e = ast.Unparen(e)
	if tv, ok := r.info.Types[e]; ok && (tv.Value != nil || holdsPublic(tv.Type)) {
		return true
	}
	switch e := e.(type) {
	case *ast.Ident:
		v, ok := r.info.ObjectOf(e).(*types.Var)
		return ok && (holdsPublic(v.Type()) || v.Parent() == v.Pkg().Scope() || !r.secret[v])
	case *ast.SelectorExpr:
		return r.publicField(e)
	case *ast.IndexExpr:
		switch x := ast.Unparen(e.X).(type) {
		case *ast.Ident:
			v, ok := r.info.ObjectOf(x).(*types.Var)
			return ok && (v.Parent() == v.Pkg().Scope() || r.isKnown(r.name+":"+x.Name))
		case *ast.SelectorExpr:
			return r.publicField(x)
		}
	case *ast.BinaryExpr:
		return r.public(e.X) && r.public(e.Y)
	case *ast.UnaryExpr:
		return e.Op != token.AND && e.Op != token.ARROW && r.public(e.X)
	case *ast.CallExpr:
		fun := r.info.Types[e.Fun]
		pure := fun.IsType() || fun.IsBuiltin() || ofBits(e)
		return pure && r.arePublic(e.Args...)
	}
	return false
}

// publicField reports whether a field is known to be public or is a package variable.
func (r *reading) publicField(e *ast.SelectorExpr) bool {
	s := r.info.Selections[e]
	return s == nil || r.isKnown(r.fieldOf(s.Recv(), e.Sel.Name))
}

// fieldOf returns the name of a field in the form used by known.
func (r *reading) fieldOf(t types.Type, field string) string {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	return strings.TrimPrefix(t.String(), r.inside) + "." + field
}

// isField reports whether the key of a composite literal is a field known to be public.
func (r *reading) isField(literal *ast.CompositeLit, key ast.Expr) bool {
	id, ok := key.(*ast.Ident)
	return ok && r.isKnown(r.fieldOf(r.info.TypeOf(literal), id.Name))
}

func (r *reading) arePublic(list ...ast.Expr) bool {
	return !slices.ContainsFunc(list, func(e ast.Expr) bool { return e != nil && !r.public(e) })
}

// demand records an entrance if one of the expressions may be secret.
func (r *reading) demand(at ast.Node, what string, list ...ast.Expr) {
	if !r.arePublic(list...) {
		r.enter(at, what)
	}
}

func (r *reading) enter(n ast.Node, what string) {
	p := r.fset.Position(n.Pos())
	line := fmt.Sprintf("%s:%d", p.Filename, p.Line)
	r.enters[line], r.within[line] = append(r.enters[line], what), r.name
}

// computes records the lines of a node if one of its operands may be secret.
func (r *reading) computes(n ast.Node, list ...ast.Expr) {
	if r.arePublic(list...) {
		return
	}
	for line := r.fset.Position(n.Pos()).Line; line <= r.fset.Position(n.End()).Line; line++ {
		at := fmt.Sprintf("%s:%d", r.fset.Position(n.Pos()).Filename, line)
		r.counts[at], r.within[at] = true, r.name
	}
}

func (r *reading) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		switch n.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			if !r.info.Types[n.X].IsNil() && !r.info.Types[n.Y].IsNil() {
				r.demand(n, "a comparison", n.X, n.Y)
			}
		case token.LAND, token.LOR:
		case token.QUO, token.REM:
			if r.info.Types[n.Y].Value == nil {
				r.demand(n, "a division", n.X, n.Y)
			}
			r.computes(n, n.X, n.Y)
		default:
			r.computes(n, n.X, n.Y)
		}
	case *ast.UnaryExpr:
		if n.Op != token.AND && n.Op != token.ARROW {
			r.computes(n, n.X)
		}
	case *ast.AssignStmt:
		if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
			r.computes(n, n.Lhs[0], n.Rhs[0])
		}
		for i, to := range n.Lhs {
			if _, ok := to.(*ast.SelectorExpr); ok && !holdsPublic(r.info.TypeOf(to)) && r.public(to) {
				r.demand(n, "an assignment", n.Rhs[min(i, len(n.Rhs)-1)]) // to a field known to be public
			}
		}
	case *ast.CompositeLit:
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok && r.isField(n, kv.Key) {
				r.demand(kv, "a field", kv.Value)
			}
		}
	case *ast.IncDecStmt:
		r.computes(n, n.X)
	case *ast.IndexExpr:
		if tv := r.info.Types[n.X]; tv.IsValue() {
			if _, isFunc := tv.Type.Underlying().(*types.Signature); !isFunc {
				r.demand(n, "an index", n.Index)
			}
		}
	case *ast.SliceExpr:
		r.demand(n, "a slice", n.Low, n.High, n.Max)
	case *ast.RangeStmt:
		if b, ok := r.info.Types[n.X].Type.Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
			r.demand(n, "a loop", n.X)
		}
	case *ast.SwitchStmt:
		if n.Tag != nil {
			r.demand(n, "a switch", n.Tag)
			for _, c := range n.Body.List {
				r.demand(c, "a case", c.(*ast.CaseClause).List...)
			}
		}
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok && !r.info.Types[call.Fun].IsBuiltin() { // the results are not used
			for _, arg := range append(call.Args, call.Fun) {
				ast.Inspect(arg, r.visit)
			}
			return false
		}
	case *ast.CallExpr:
		r.call(n)
	}
	return true
}

// call looks for entrances in a call: conversions, min, max, make, and functions of
// other modules that return public information about their arguments.
func (r *reading) call(n *ast.CallExpr) {
	fun, result := r.info.Types[n.Fun], r.info.Types[n].Type
	switch {
	case fun.IsType():
		from := r.info.Types[n.Args[0]].Type
		if p, ok := result.Underlying().(*types.Pointer); ok && from.String() == "unsafe.Pointer" {
			if holdsPublic(p.Elem()) {
				r.enter(n, "a conversion to a pointer to a public type")
			}
		} else if b, ok := result.Underlying().(*types.Basic); ok && holdsPublic(result) {
			if _, isSlice := from.Underlying().(*types.Slice); isSlice && b.Info()&types.IsString != 0 {
				r.enter(n, "a conversion to a string")
			}
			r.demand(n, "a conversion", n.Args[0])
		}
	case fun.IsBuiltin():
		if slices.Contains([]string{"min", "max", "make"}, types.ExprString(n.Fun)) {
			r.demand(n, "a call", n.Args...)
		}
	default:
		if ofBits(n) {
			r.computes(n, n.Args...)
		}
		if r.outside(n) && tells(result) && !r.plain(n) {
			r.enter(n, "a call")
		}
	}
}

// ofBits reports whether a call is of a package bits function, which the compiler turns
// into instructions.
func ofBits(n *ast.CallExpr) bool { return strings.HasPrefix(types.ExprString(n.Fun), "bits.") }

// outside reports whether the called function belongs to another module.
func (r *reading) outside(n *ast.CallExpr) bool {
	fun := ast.Unparen(n.Fun)
	if x, ok := fun.(*ast.IndexExpr); ok {
		fun = x.X
	}
	if x, ok := fun.(*ast.SelectorExpr); ok {
		fun = x.Sel
	}
	id, _ := fun.(*ast.Ident)
	f, ok := r.info.ObjectOf(id).(*types.Func)
	return ok && f.Pkg() != nil && !strings.HasPrefix(f.Pkg().Path()+"/", r.inside)
}

// tells reports whether results include a value that is public by type, other than an
// error.
func tells(t types.Type) bool {
	if tuple, ok := t.(*types.Tuple); ok {
		return slices.ContainsFunc(slices.Collect(tuple.Variables()), func(v *types.Var) bool { return tells(v.Type()) })
	}
	_, isBasic := t.Underlying().(*types.Basic)
	return isBasic && holdsPublic(t)
}

// plain reports whether all arguments of a call are public, including the contents of
// slices.
func (r *reading) plain(n *ast.CallExpr) bool {
	given := n.Args
	if s, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && r.info.Selections[s] != nil {
		given = append(slices.Clip(given), s.X)
	}
	return !slices.ContainsFunc(given, func(e ast.Expr) bool {
		tv := r.info.Types[e]
		if tv.Value != nil || tv.IsNil() || tv.IsType() {
			return false
		}
		_, isBasic := tv.Type.Underlying().(*types.Basic)
		return !isBasic || !r.public(e)
	})
}
