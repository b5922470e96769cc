// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package isa

import (
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
)

// CheckLevel returns an error if the level in fn's name does not include an instruction.
func (a *Architecture) CheckLevel(fn *asm.Func) error {
	level := cpu.LevelOf(fn.Name)
	if level == cpu.Generic {
		level = cpu.LevelOf(a.Baseline)
	}
	for i := range fn.Code {
		in := &fn.Code[i]
		var sets []string
		if err := machine.Try(func() { sets = a.Sets(in) }); err != nil {
			return fmt.Errorf("line %d: %s: %w", in.Line, in.Op, err)
		}
		for _, set := range sets {
			if !slices.Contains(level.Sets(), set) {
				return fmt.Errorf("line %d: %s needs %s, which the level in the function's name does not include", in.Line, in.String(), set)
			}
		}
	}
	return nil
}
