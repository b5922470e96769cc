// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"fmt"
	"io"
)

// Format implements [fmt.Formatter]. For every verb, it prints only the type's name so
// that keys do not appear in logs.
func (digest) Format(s fmt.State, _ rune) { io.WriteString(s, "blake2b.Hash") }

// Format implements [fmt.Formatter]. It prints only the type's name.
func (xof) Format(s fmt.State, _ rune) { io.WriteString(s, "blake2b.XOF") }
