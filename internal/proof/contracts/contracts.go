// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package contracts checks calls of the assembly: each must give what the proof of the
// function takes for granted, which is what its statement's Setup declares. Lengths are
// those that are proven, memory that is stored to lies apart from all else, and tables,
// states and keys hold what they should.
//
// No program calls it. In a build of the tests that the command overlay makes, each
// function of the assembly has a wrapper that calls Check first.
package contracts

import (
	"errors"
	"fmt"
	"sync"

	"github.com/unimac/unimac/internal/proof"
)

// Check panics if a call of a function of a file, by its path in this module, gives what its
// statement does not allow in any variant. Functions that are not proven may be given anything.
//
// The arguments are kept in a variable, so that what they point to is not on the stack: there it
// could move while it is looked at.
func Check(file, function string, arguments ...any) {
	calls.Lock()
	defer calls.Unlock()
	calls.last = arguments
	ways, ok := calls.ways[file+" "+function]
	if !ok {
		ways = waysOf(file, function)
		calls.ways[file+" "+function] = ways
	}
	if len(ways) == 0 {
		if _, ok := proof.Unproven[file][function]; !ok {
			panic(fmt.Sprintf("contracts: %s of %s is neither proven nor unproven", function, file))
		}
		return
	}
	var reasons []error
	for i, c := range ways {
		err := c.check(arguments)
		if err == nil { // it is likely to be right again, and comes first from then on
			copy(ways[1:i+1], ways[:i])
			ways[0] = c
			return
		}
		reasons = append(reasons, fmt.Errorf("%s: %w", c.Variant, err))
	}
	panic(fmt.Sprintf("contracts: a call of %s in %s is not as its proof takes it:\n%v", function, file, errors.Join(reasons...)))
}

var calls = struct {
	sync.Mutex
	ways map[string][]*contract
	last []any
}{ways: map[string][]*contract{}}

func waysOf(file, function string) (ways []*contract) {
	for i := range proof.Kernels {
		k := &proof.Kernels[i]
		if k.File != file || k.Func != function {
			continue
		}
		for _, part := range k.Parts() { // but for what is within: what it is for, a call does not tell
			if part.Kernel.From == "" {
				ways = append(ways, newContract(part))
			}
		}
	}
	return ways
}
