// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package arm64

import (
	"strings"

	"github.com/unimac/unimac/internal/proof/asm"
)

// Sets lists the instruction sets that an instruction needs, by the names of internal/cpu.
func Sets(in *asm.Instr) (sets []string, err error) {
	if in.Op == "WORD" {
		if in, err = Decode(in); err != nil {
			return nil, err
		}
	}
	if strings.HasPrefix(in.Op, "AES") {
		sets = append(sets, "AES")
	}
	for _, o := range in.Args {
		regs := append([]asm.Operand{o}, o.Regs...)
		for _, r := range regs {
			if r.Reg != "" && (r.Reg[0] == 'V' || r.Reg[0] == 'F') {
				return append(sets, "ASIMD"), nil
			}
		}
	}
	return sets, nil
}
