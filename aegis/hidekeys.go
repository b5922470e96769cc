// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"fmt"
	"io"
)

// Format implements [fmt.Formatter]. Whatever the verb, it prints the type's name and nothing of
// the key.
func (nonceAEAD) Format(s fmt.State, _ rune) { io.WriteString(s, "aegis.AEAD") }

// Format is that of nonceAEAD.
func (randomNonceAEAD) Format(s fmt.State, _ rune) { io.WriteString(s, "aegis.AEAD") }

// Format prints the name of the type and no value.
func (MAC) Format(s fmt.State, _ rune) { io.WriteString(s, "aegis.MAC") }
