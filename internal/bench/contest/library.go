// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"runtime"

	"github.com/unimac/unimac/internal/bench/peer/clib"
)

// A preparer returns an algorithm in a C library and its inputs for messages of size
// bytes.
type preparer func(size int) (clib.Algorithm, clib.Work)

// library returns the entrant of a C library that uses all of the processor's
// instructions.
func library(name, label string, prepare preparer) Entrant {
	return Entrant{Name: name, Label: label, Start: func(size int) (*Work, error) {
		a, w := prepare(size)
		return work(w.Out, clib.Loop(a, w)), nil
	}}
}

// restricted returns an entrant for each lower level. Each entrant runs the library in
// its own process. Only OpenSSL and intel-ipsec-mb on amd64 can be restricted.
func restricted(name, label string, prepare preparer) (entrants []Entrant) {
	if runtime.GOARCH != "amd64" {
		return nil
	}
	for _, level := range clib.Levels {
		entrants = append(entrants, Entrant{Name: name + "-" + level.Name, Label: label + ", " + level.Label, Level: level.Name,
			Start: func(size int) (*Work, error) {
				a, w := prepare(size)
				return processWork(w.Out)(clib.RestrictedLoop(level, a, w))
			}})
	}
	return entrants
}
