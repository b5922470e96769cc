// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// words says the loop's invariant in words.
func (r *run) words() string {
	var replaced []string
	moved := map[int64][]string{} // by bytes
	for o, n := range r.moves {
		if !slices.Contains(moved[n], o.Name) {
			moved[n] = append(moved[n], o.Name)
		}
	}
	seen := map[string]bool{}
	for leaf, t := range r.become {
		name := r.Info(leaf).Name
		if object, _, ok := strings.Cut(name, "["); ok {
			name = object
		} else if d, ok := r.IsConst(r.Sub(t, leaf)); ok {
			if d == 0 || name == "n" || name == "turns" {
				continue
			}
			name = fmt.Sprintf("%s + %d", name, int64(d))
		}
		if !seen[name] {
			seen[name] = true
			replaced = append(replaced, name)
		}
	}
	var moves []string
	for _, n := range slices.Sorted(maps.Keys(moved)) {
		slices.Sort(moved[n])
		moves = append(moves, fmt.Sprintf("%s %d bytes on", strings.Join(moved[n], ", "), n))
	}
	slices.Sort(replaced)
	text := "as on arrival for the rest: " + strings.Join(moves, ", ")
	for _, name := range replaced {
		if strings.Contains(name, "+") {
			text += ", " + name
		} else {
			text += ", " + name + " as it is then"
		}
	}
	if r.Kernel.Invariant != nil {
		text += ", and what the statement says"
	}
	return text
}

// lengths says which lengths callers may give.
func (k *Kernel) lengths() string {
	switch {
	case k.Unit == 0:
		return "fixed"
	case k.Lengths != "":
		return k.Lengths
	case k.Unit == 1:
		return fmt.Sprintf("%d to %d bytes", k.Min, k.Max)
	}
	return fmt.Sprintf("multiples of %d to %d bytes", k.Unit, k.Max)
}

// Row is what a kernel's line of the README's table begins with.
func (k *Kernel) Row(r *Result) string {
	variants := ""
	if k.Variants != nil && k.Lengths == "" { // else they are lengths
		variants = " (" + strings.Join(k.Variants, "; ") + ")"
	}
	wiped := ""
	if k.Wipes {
		wiped = "; no secret is left in the frame"
	}
	invariant := r.Invariant
	if invariant == "" {
		invariant = "none"
	}
	return fmt.Sprintf("| %s | %s%s%s | %s | %s |", k.Name(), k.Claim, variants, wiped, k.lengths(), invariant)
}

// Name returns the kernel's name in README.md, in survivors.txt and on command lines: its
// package and its function. It is no path, so that files can move.
func (k *Kernel) Name() string {
	return path.Base(path.Dir(k.File)) + " " + k.Func
}
