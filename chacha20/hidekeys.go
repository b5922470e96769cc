// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"fmt"
	"io"
)

// Format implements [fmt.Formatter]. For every verb, it prints only the type's name so
// that keys do not appear in logs.
func (Cipher) Format(s fmt.State, _ rune) { io.WriteString(s, "chacha20.Cipher") }
