// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package impl is the registry of implementations.
//
// A package that has kernels keeps a [Choice] and registers the levels of instructions that they
// come in. Each operation asks the level which of its kernels may run and, where a lower level's
// may take less time, a table of the package which pays, with a column for each kind of processor.
// Tests, the self-test and the benchmarks select; nothing else does, and nothing may while another
// goroutine computes.
package impl

import (
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/cpu"
)

// MaxCall is how many bytes a kernel may be given at once: the scheduler cannot
// interrupt assembly, so a longer call would hold up garbage collection.
const MaxCall = 64 << 10

// CheckCall panics if n, the number of bytes for a call of assembly, is greater than [MaxCall]. A function
// that calls a kernel whose time depends on a length calls CheckCall first: a test of internal/proof/contracts
// checks this. What splits messages stands above.
func CheckCall(n int) {
	if n > MaxCall {
		panic("impl: too much for one call of assembly")
	}
}

// Generic is the name of the plain Go, which every package has and which runs
// where no level is available.
const Generic = "generic"

// A Choice is what a package chooses its kernels by.
type Choice struct {
	Level cpu.Level
	Kind  cpu.Kind
}

type registration struct {
	pkg    string
	levels []cpu.Level // the best last
	normal Choice      // what on is, unless somebody selects
	on     *Choice
}

// registered is written by package initialization only.
var registered []registration

// Register adds a package with the levels of its kernels, of which each includes those before it.
// It sets on to the best that is available, and to this kind of processor; from then on the choice
// belongs to the registry.
func Register(pkg string, on *Choice, levels ...cpu.Level) {
	if find(pkg) != nil {
		panic("impl: " + pkg + " is registered already")
	}
	on.Kind = cpu.ThisKind()
	for _, l := range levels {
		if l.Available() {
			on.Level = l
		}
	}
	registered = append(registered, registration{pkg, levels, *on, on})
}

// Packages lists the packages that are registered.
func Packages() (pkgs []string) {
	for _, r := range registered {
		pkgs = append(pkgs, r.pkg)
	}
	return pkgs
}

// List names the levels of a package, the best first. The last is always [Generic].
func List(pkg string) (names []string) {
	if r := find(pkg); r != nil {
		for _, l := range slices.Backward(r.levels) {
			names = append(names, name(l))
		}
	}
	return append(names, Generic)
}

func name(l cpu.Level) string {
	if l == cpu.Generic {
		return Generic
	}
	return strings.ToLower(l.String())
}

// Available reports whether this machine can run a level of a package.
func Available(pkg, level string) bool {
	l, ok := levelOf(pkg, level)
	return ok && l.Available()
}

// InUse names the level that runs now.
func InUse(pkg string) string {
	if r := find(pkg); r != nil {
		return name(r.on.Level)
	}
	return Generic
}

// Select has the kernels of one level take whatever they can. It reports false,
// and changes nothing, where this machine cannot run it.
func Select(pkg, level string) bool { return SelectFor(pkg, level, cpu.Alone) }

// SelectFor has a package work as on a kind of processor that has no more than a level.
func SelectFor(pkg, level string, kind cpu.Kind) bool {
	l, ok := levelOf(pkg, level)
	if !ok || !l.Available() {
		return false
	}
	if r := find(pkg); r != nil {
		*r.on = Choice{l, kind}
	}
	return true
}

// Reset undoes what was selected.
func Reset(pkg string) {
	if r := find(pkg); r != nil {
		*r.on = r.normal
	}
}

func find(pkg string) *registration {
	if i := slices.IndexFunc(registered, func(r registration) bool { return r.pkg == pkg }); i >= 0 {
		return &registered[i]
	}
	return nil
}

// levelOf returns the level of a package that has a name.
func levelOf(pkg, level string) (cpu.Level, bool) {
	if level == Generic {
		return cpu.Generic, true
	}
	if r := find(pkg); r != nil {
		for _, l := range r.levels {
			if name(l) == level {
				return l, true
			}
		}
	}
	return 0, false
}
