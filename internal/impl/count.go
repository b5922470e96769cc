// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build implcount

package impl

import "sync"

// Counting reports whether this build counts calls of assembly.
const Counting = true

type call struct{ pkg, function, inUse string }

var (
	calls   = make(map[call]int)
	callsMu sync.Mutex
)

// Count notes that a package calls a function of assembly. Without the build tag
// implcount it is empty, and nothing of it is left where it was called.
func Count(pkg, function string) {
	callsMu.Lock()
	defer callsMu.Unlock()
	calls[call{pkg, function, InUse(pkg)}]++
}

// Calls is the number of calls so far of a package's function while an
// implementation was in use.
func Calls(pkg, function, inUse string) int {
	callsMu.Lock()
	defer callsMu.Unlock()
	return calls[call{pkg, function, inUse}]
}
