// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"fmt"
	"io"
)

// Format implements [fmt.Formatter]. For every verb, it prints only the type's name so
// that keys do not appear in logs.
func (nonceAEAD) Format(s fmt.State, _ rune) { io.WriteString(s, "aegis.AEAD") }

// Format implements [fmt.Formatter]. It prints only the type's name.
func (randomNonceAEAD) Format(s fmt.State, _ rune) { io.WriteString(s, "aegis.AEAD") }

// Format implements [fmt.Formatter]. It prints only the type's name.
func (MAC) Format(s fmt.State, _ rune) { io.WriteString(s, "aegis.MAC") }
