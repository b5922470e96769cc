// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package dispatch is the registry of implementations.
//
// A package with kernels declares a [Choice] and registers the levels of its kernels.
// The choice's level limits the kernels that may run. Of these, each [Operation]
// selects the fastest by a [Table], which is indexed by the kind of processor. An
// operation needs no table if the kernel of the highest level is always the fastest.
// Only tests, the self-test and benchmarks select other levels, and only while no other
// goroutine computes.
package dispatch

import (
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/cpu"
)

// MaxCall is the maximum number of bytes per kernel call. It is limited because the
// scheduler cannot preempt assembly, so a long call would delay garbage collection.
const MaxCall = 64 << 10

// CheckCall panics if n exceeds [MaxCall]. Call CheckCall before every call to a kernel
// whose running time depends on n. A test in internal/proof/contracts enforces this
// rule.
func CheckCall(n int) {
	if n > MaxCall {
		panic("dispatch: too much for one call of assembly")
	}
}

// Generic is the name of the plain Go implementation, which every package has.
const Generic = "generic"

// A Choice determines which kernels a package uses.
type Choice struct {
	Level  cpu.Level
	Kind   cpu.Kind
	forced uint8 // the code path plus 1, or 0 to choose by a [Table]
}

// A Path describes a code path of a package.
type Path struct {
	Name     string
	Level    cpu.Level // the lowest level that can run the path
	Min, Max int       // the supported lengths; a Max of 0 means no limit
}

type registration struct {
	pkg    string
	levels []cpu.Level // in ascending order
	paths  []Path      // indexed by their numbers in the package's tables
	normal Choice      // the initial choice
	choice *Choice

	bindings []func() // called after each change of choice
}

func (r *registration) set(c Choice) {
	*r.choice = c
	for _, bind := range r.bindings {
		bind()
	}
}

// registered is written only during package initialization.
var registered []registration

// Register registers a package and the levels of its kernels, which must be in
// ascending order. It initializes choice with the highest available level and the kind
// of this processor. After that, only package dispatch may change *choice.
func Register(pkg string, choice *Choice, levels ...cpu.Level) {
	if find(pkg) != nil {
		panic("dispatch: " + pkg + " is registered already")
	}
	choice.Kind = cpu.ThisKind()
	for _, l := range levels {
		if l.Available() {
			choice.Level = l
		}
	}
	registered = append(registered, registration{pkg: pkg, levels: levels, normal: *choice, choice: choice})
}

// Packages returns the names of the registered packages.
func Packages() (pkgs []string) {
	for _, r := range registered {
		pkgs = append(pkgs, r.pkg)
	}
	return pkgs
}

// List returns the names of a package's levels in descending order, ending with
// [Generic].
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

// InUse returns the name of the selected level.
func InUse(pkg string) string {
	if r := find(pkg); r != nil {
		return name(r.choice.Level)
	}
	return Generic
}

// Select makes a package use the kernels of the given level at every length that they
// support. It returns false if this machine does not support the level.
func Select(pkg, level string) bool { return SelectFor(pkg, level, cpu.Forced) }

// SelectFor is like [Select] but uses the code paths for the given kind of processor.
func SelectFor(pkg, level string, kind cpu.Kind) bool {
	l, ok := levelOf(pkg, level)
	if !ok || !l.Available() {
		return false
	}
	if r := find(pkg); r != nil {
		r.set(Choice{Level: l, Kind: kind})
	}
	return true
}

// RegisterPaths registers descriptions of a package's code paths. paths[i] must
// describe path number i of the package's tables.
func RegisterPaths(pkg string, paths []Path) { find(pkg).paths = paths }

// Paths returns the code paths of a package that this machine can run.
func Paths(pkg string) (paths []Path) {
	if r := find(pkg); r != nil {
		for _, p := range r.paths {
			if p.Level.Available() {
				paths = append(paths, p)
			}
		}
	}
	return paths
}

// SelectPath makes a package use the named code path for all lengths. It returns false
// if the path does not exist or this machine cannot run it. The caller must use only
// lengths that the path supports.
func SelectPath(pkg, name string) bool {
	r := find(pkg)
	if r == nil {
		return false
	}
	i := slices.IndexFunc(r.paths, func(p Path) bool { return p.Name == name })
	if i < 0 || !r.paths[i].Level.Available() {
		return false
	}
	c := *r.choice
	c.forced = uint8(i) + 1
	r.set(c)
	return true
}

// Reset restores the initial choice.
func Reset(pkg string) {
	if r := find(pkg); r != nil {
		r.set(r.normal)
	}
}

func find(pkg string) *registration {
	if i := slices.IndexFunc(registered, func(r registration) bool { return r.pkg == pkg }); i >= 0 {
		return &registered[i]
	}
	return nil
}

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
