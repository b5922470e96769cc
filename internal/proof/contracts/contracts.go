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
	if err := anyOf(ways, func(w *way) error { return w.check(arguments) }); err != nil {
		panic(fmt.Sprintf("contracts: a call of %s in %s is not as its proof takes it:\n%v", function, file, err))
	}
}

// anyOf returns why none of a list is right. What was right comes first from then on, as it is likely to be again.
func anyOf[T any](list []T, check func(T) error) error {
	var reasons []error
	for i, x := range list {
		err := check(x)
		if err == nil {
			copy(list[1:i+1], list[:i])
			list[0] = x
			return nil
		}
		reasons = append(reasons, err)
	}
	return errors.Join(reasons...)
}

var calls = struct {
	sync.Mutex
	ways map[string][]*way
	last []any
}{ways: map[string][]*way{}}

// A way is a variant of a statement. What sections say, which prove a part of the function for
// their own arguments, must hold as well, in a variant of each.
type way struct {
	*contract
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
			if section.Turn { // what it is for, a call does not tell
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
				ways = append(ways, &way{newContract(k, variant), sections})
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
		return fmt.Errorf("%s: %w", w.variant, err)
	}
	for _, variants := range w.sections {
		err := anyOf(variants, func(section *contract) error {
			more, err := section.check(arguments)
			areas = append(areas, more...)
			return err
		})
		if err != nil {
			return fmt.Errorf("section %s: %w", variants[0].kernel.From, err)
		}
	}
	return w.apart(areas)
}
