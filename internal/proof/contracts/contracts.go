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
	"strings"
	"sync"

	"github.com/unimac/unimac/internal/proof"
	"github.com/unimac/unimac/internal/proof/engine"
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
	var reasons []string
	for i, w := range ways {
		err := w.check(arguments)
		if err == nil {
			copy(ways[1:i+1], ways[:i]) // what was right is likely to be again
			ways[0] = w
			return
		}
		reasons = append(reasons, fmt.Sprintf("%s: %v", w.variant, err))
	}
	panic(fmt.Sprintf("contracts: a call of %s in %s is not as its proof takes it:\n%s", function, file, strings.Join(reasons, "\n")))
}

var calls = struct {
	sync.Mutex
	ways map[string][]*way
	last []any
}{ways: map[string][]*way{}}

// A way is a variant of a statement. What sections say, which prove a part of the function for
// their own arguments, must hold as well, in a variant of each.
type way struct {
	variant  string
	contract *contract
	sections [][]*contract
}

func waysOf(file, function string) (ways []*way) {
	for i := range proof.Kernels {
		k := &proof.Kernels[i]
		if k.File != file || k.Func != function {
			continue
		}
		var sections [][]*contract
		whole := []*engine.Kernel{k}
		for j := range k.Sections {
			section := &k.Sections[j]
			if section.From == "" { // the same function from its beginning, in other cases
				whole = append(whole, section)
				continue
			}
			var variants []*contract
			for _, variant := range variantsOf(section) {
				variants = append(variants, newContract(section, variant))
			}
			sections = append(sections, variants)
		}
		for _, k := range whole {
			for _, variant := range variantsOf(k) {
				ways = append(ways, &way{variant, newContract(k, variant), sections})
			}
		}
	}
	return ways
}

func variantsOf(k *engine.Kernel) []string {
	if len(k.Variants) == 0 {
		return []string{""}
	}
	return k.Variants
}

// check returns why a call is not of this way.
func (w *way) check(arguments []any) error {
	areas, err := w.contract.check(arguments)
	if err != nil {
		return err
	}
	for _, variants := range w.sections {
		var more []area
		for i, section := range variants {
			if more, err = section.check(arguments); errors.Is(err, errUntold) {
				err = nil // it is a turn of a loop, and the call does not tell which
			}
			if err == nil {
				copy(variants[1:i+1], variants[:i])
				variants[0] = section
				break
			}
		}
		if err != nil {
			return fmt.Errorf("section %s: %w", variants[0].kernel.From, err)
		}
		areas = append(areas, more...)
	}
	return w.contract.apart(areas)
}
