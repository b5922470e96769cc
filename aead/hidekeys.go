// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead

import (
	"fmt"
	"io"
)

// Format implements [fmt.Formatter]. Whatever the verb, it prints the type's name and
// nothing of the key.
func (core) Format(s fmt.State, _ rune) { io.WriteString(s, "aead.AEAD") }

// Format is that of core.
func (randomNonceAEAD) Format(s fmt.State, _ rune) { io.WriteString(s, "aead.AEAD") }
