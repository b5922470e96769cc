// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/table"
)

func (r *Session) words() string {
	moved := map[int64][]string{} // by bytes
	for o, n := range r.moves {
		moved[n] = append(moved[n], o.Name)
	}
	var parts, inputs []string
	for _, n := range slices.Sorted(maps.Keys(moved)) {
		slices.Sort(moved[n])
		parts = append(parts, fmt.Sprintf("%s %d bytes on", strings.Join(slices.Compact(moved[n]), ", "), n))
	}
	for leaf, t := range r.become {
		name, _, isByte := strings.Cut(r.Info(leaf).Name, "[")
		by, known := r.IsConst(r.Sub(t, leaf))
		switch {
		case isByte || !known:
			inputs = append(inputs, name+" as it is then")
		case by != 0 && name != "n" && name != "turns":
			inputs = append(inputs, fmt.Sprintf("%s + %d", name, int64(by)))
		}
	}
	slices.Sort(inputs)
	parts = append(parts, slices.Compact(inputs)...)
	if r.Kernel.Invariant != nil {
		parts = append(parts, "and what the statement says")
	}
	return "as on arrival for the rest: " + strings.Join(parts, ", ")
}

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

// Row returns the kernel's row in the table of proofs.
func (k *Kernel) Row(r *Result) table.Row {
	row := table.Row{Kernel: k.Name(), Claim: k.Claim, Lengths: k.lengths(), Invariant: r.Invariant, Digest: r.Digest}
	if k.Variants != nil && k.Lengths == "" { // otherwise, the variants are lengths
		row.Claim += " (" + strings.Join(k.Variants, "; ") + ")"
	}
	if k.wipes() {
		row.Claim += "; no secret is left in the frame"
	}
	if row.Invariant == "" {
		row.Invariant = "none"
	}
	return row
}

// Name identifies the kernel by folder and function, so that files can move.
func (k *Kernel) Name() string {
	return path.Base(path.Dir(k.File)) + " " + k.Func
}
