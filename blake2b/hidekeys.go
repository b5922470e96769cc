// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"fmt"
	"io"
)

// Format implements [fmt.Formatter]. Whatever the verb, it prints the type's name and
// nothing of the key.
func (digest) Format(s fmt.State, _ rune) { io.WriteString(s, "blake2b.Hash") }

// Format is that of digest.
func (xof) Format(s fmt.State, _ rune) { io.WriteString(s, "blake2b.XOF") }
