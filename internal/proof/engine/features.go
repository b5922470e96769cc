// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/proof/asm"
)

// features has a function use no instruction that its name does not stand for: it ends with the
// predicate of internal/cpu that guards it. Others run on every processor of their architecture.
func (a *arch) features(fn *asm.Func) error {
	has := cpu.InstructionSets(fn.Name)
	if has == nil {
		has = cpu.InstructionSets(a.baseline)
	}
	for i := range fn.Code {
		in := &fn.Code[i]
		sets, err := a.sets(in)
		if err != nil {
			return fmt.Errorf("line %d: %s: %w", in.Line, in.Op, err)
		}
		for _, set := range sets {
			if !slices.Contains(has, set) {
				return fmt.Errorf("line %d: %s needs %s, which the function's name does not stand for", in.Line, in.String(), set)
			}
		}
	}
	return nil
}

// arch returns the architecture that the kernel's file is for.
func (k *Kernel) arch() string {
	return strings.TrimSuffix(k.File[strings.LastIndex(k.File, "_")+1:], ".s")
}
