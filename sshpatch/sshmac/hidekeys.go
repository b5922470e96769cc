// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshmac

import (
	"fmt"
	"io"
)

// Format implements [fmt.Formatter]. For every verb, it prints only the type's name so
// that the key does not appear in logs.
func (packetMAC) Format(s fmt.State, _ rune) { io.WriteString(s, "sshmac.MAC") }
