// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package contracts checks that callers of assembly functions satisfy the assumptions
// made in the proofs, for example that a buffer is as long as its length argument says.
// The overlay command runs tests with these checks.
package contracts

import (
	"errors"
	"fmt"
	"sync"

	"github.com/unimac/unimac/internal/proof"
)

// Check panics if the proof of an assembly function does not cover a call with the
// given arguments, for example because two buffers overlap. file is the assembly file's
// path relative to the module root. Check accepts all arguments if the function is
// listed as unproven.
func Check(file, function string, arguments ...any) {
	calls.Lock()
	defer calls.Unlock()
	calls.last = arguments // moves the arguments to the heap, because the stack may move
	variants, ok := calls.variants[file+" "+function]
	if !ok {
		variants = variantsOf(file, function)
		calls.variants[file+" "+function] = variants
	}
	if len(variants) == 0 {
		if _, ok := proof.Unproven[file][function]; !ok {
			panic(fmt.Sprintf("contracts: %s of %s is neither proven nor unproven", function, file))
		}
		return
	}
	var reasons []error
	for i, c := range variants {
		err := c.check(arguments)
		if err == nil { // try this variant first next time
			copy(variants[1:i+1], variants[:i])
			variants[0] = c
			return
		}
		reasons = append(reasons, fmt.Errorf("%s: %w", c.Variant, err))
	}
	panic(fmt.Sprintf("contracts: a call of %s in %s is not as its proof takes it:\n%v", function, file, errors.Join(reasons...)))
}

var calls = struct {
	sync.Mutex
	variants map[string][]*contract
	last     []any
}{variants: map[string][]*contract{}}

func variantsOf(file, function string) (variants []*contract) {
	for i := range proof.Kernels {
		k := &proof.Kernels[i]
		if k.File != file || k.Func != function {
			continue
		}
		for _, part := range k.Parts() { // excludes segments, which Go code cannot call
			if part.Kernel.From == "" {
				variants = append(variants, newContract(part))
			}
		}
	}
	return variants
}
