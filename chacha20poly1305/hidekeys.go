// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"fmt"
	"io"
)

// Format implements [fmt.Formatter]. Whatever the verb, it prints the type's name and
// nothing of the key.
func (chachaAEAD) Format(s fmt.State, _ rune) { io.WriteString(s, "chacha20poly1305.AEAD") }

// Format is that of chachaAEAD.
func (xchachaAEAD) Format(s fmt.State, _ rune) { io.WriteString(s, "chacha20poly1305.AEAD") }

// Format is that of chachaAEAD.
func (sivAEAD) Format(s fmt.State, _ rune) { io.WriteString(s, "chacha20poly1305.AEAD") }
