// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead

import (
	"fmt"
	"io"
)

// Format implements [fmt.Formatter] by printing the type's name instead of the keys.
func (core) Format(s fmt.State, _ rune) { io.WriteString(s, "aead.AEAD") }

// Format implements [fmt.Formatter]. It prints only the type's name.
func (randomNonceAEAD) Format(s fmt.State, _ rune) { io.WriteString(s, "aead.AEAD") }
