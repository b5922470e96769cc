// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package machine

import "github.com/unimac/unimac/internal/proof/term"

// An Env is what a function's text refers to.
type Env struct {
	T     *term.Store
	Frame *Object
	Args  *Object            // arguments, from 0(FP)
	Data  map[string]*Object // static data, by name
}
