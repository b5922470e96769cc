// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"fmt"
	"io"
)

// Format implements [fmt.Formatter]. For every verb, it prints only the type's name so
// that keys do not appear in logs.
func (chachaAEAD) Format(s fmt.State, _ rune) { io.WriteString(s, "chacha20poly1305.AEAD") }

// Format implements [fmt.Formatter]. It prints only the type's name.
func (xchachaAEAD) Format(s fmt.State, _ rune) { io.WriteString(s, "chacha20poly1305.AEAD") }

// Format implements [fmt.Formatter]. It prints only the type's name.
func (sivAEAD) Format(s fmt.State, _ rune) { io.WriteString(s, "chacha20poly1305.AEAD") }
