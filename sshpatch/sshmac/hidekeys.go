// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshmac

import (
	"fmt"
	"io"
)

// Format implements [fmt.Formatter]. Whatever the verb, it prints the type's name and
// nothing of the key.
func (packetMAC) Format(s fmt.State, _ rune) { io.WriteString(s, "sshmac.MAC") }
