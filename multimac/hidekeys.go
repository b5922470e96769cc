// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimac

import (
	"fmt"
	"io"
)

// Format implements [fmt.Formatter]. Whatever the verb, it prints the type's name and
// nothing of the key.
func (Key) Format(s fmt.State, _ rune) { io.WriteString(s, "multimac.Key") }

// Format prints the name of the type and no value, as the method of [Key] does.
func (MAC) Format(s fmt.State, _ rune) { io.WriteString(s, "multimac.MAC") }
