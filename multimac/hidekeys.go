// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimac

import (
	"fmt"
	"io"
)

// Format implements [fmt.Formatter]. For every verb, it prints only the type's name so
// that keys do not appear in logs.
func (Key) Format(s fmt.State, _ rune) { io.WriteString(s, "multimac.Key") }

// Format implements [fmt.Formatter]. It prints only the type's name.
func (MAC) Format(s fmt.State, _ rune) { io.WriteString(s, "multimac.MAC") }
