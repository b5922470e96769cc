// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package impl is the registry of implementations.
//
// A package that has several implementations of one kernel keeps a boolean for
// each but the plain Go, asks them in order of preference where the kernel is
// called, and registers them here in that order. Tests, the self-test and the
// benchmarks walk the registry and switch implementations on one at a time;
// nothing else does, and nothing may while another goroutine computes.
package impl

import "slices"

// MaxCall is how many bytes a kernel may be given at once: the scheduler cannot
// interrupt assembly, so a longer call would hold up garbage collection.
const MaxCall = 64 << 10

// CheckCall panics if a call of assembly would be given more than [MaxCall] bytes.
// It stands where assembly is called; what splits a message is above.
func CheckCall(n int) {
	if n > MaxCall {
		panic("impl: too much for one call of assembly")
	}
}

// Generic is the name of the plain Go, which every package has and which runs
// where no registered implementation is on.
const Generic = "generic"

type implementation struct {
	pkg, name string
	available bool
	normal    bool // what on is, unless somebody selects
	on        *bool
}

// registered is written by package initialization only.
var registered []implementation

// Register adds an implementation of a package's kernel. The variable on holds
// whether this machine can run it; afterwards it belongs to the registry. The
// calls of one package come in order of preference.
func Register(pkg, name string, on *bool) {
	if name == Generic || indexOf(pkg, name) >= 0 {
		panic("impl: " + pkg + " has " + name + " already")
	}
	registered = append(registered, implementation{pkg, name, *on, *on, on})
}

// RegisterIdle is Register for an implementation that is not used on this machine,
// though it can run, because without it the work takes less time. It is off unless
// somebody selects it.
func RegisterIdle(pkg, name string, on *bool) {
	Register(pkg, name, on)
	*on, registered[len(registered)-1].normal = false, false
}

// Packages lists the packages that registered an implementation.
func Packages() []string {
	var pkgs []string
	for _, im := range registered {
		if !slices.Contains(pkgs, im.pkg) {
			pkgs = append(pkgs, im.pkg)
		}
	}
	return pkgs
}

// List names the implementations of a package in order of preference. The last
// is always [Generic].
func List(pkg string) []string {
	var names []string
	for _, im := range registered {
		if im.pkg == pkg {
			names = append(names, im.name)
		}
	}
	return append(names, Generic)
}

// Available reports whether this machine can run an implementation.
func Available(pkg, name string) bool {
	if name == Generic {
		return true
	}
	i := indexOf(pkg, name)
	return i >= 0 && registered[i].available
}

// InUse names the implementation that runs now.
func InUse(pkg string) string {
	for _, im := range registered {
		if im.pkg == pkg && *im.on {
			return im.name
		}
	}
	return Generic
}

// Select leaves exactly one implementation of a package on. It reports false,
// and changes nothing, where this machine cannot run it.
func Select(pkg, name string) bool {
	if !Available(pkg, name) {
		return false
	}
	for _, im := range registered {
		if im.pkg == pkg {
			*im.on = im.name == name
		}
	}
	return true
}

// Reset turns everything on again that this machine uses.
func Reset(pkg string) {
	for _, im := range registered {
		if im.pkg == pkg {
			*im.on = im.normal
		}
	}
}

func indexOf(pkg, name string) int {
	return slices.IndexFunc(registered, func(im implementation) bool {
		return im.pkg == pkg && im.name == name
	})
}
