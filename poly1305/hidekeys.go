// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"fmt"
	"io"
)

// Format implements [fmt.Formatter]. Whatever the verb, it prints the type's name and
// nothing of the key.
func (MAC) Format(s fmt.State, _ rune) { io.WriteString(s, "poly1305.MAC") }
