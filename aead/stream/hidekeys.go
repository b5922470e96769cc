// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"fmt"
	"io"
)

// hidden is embedded in every type that holds a key. Its method has a value as its receiver
// without a copy of their locks.
type hidden struct{}

// Format implements [fmt.Formatter]. Whatever the verb, it prints nothing of what
// there is.
func (hidden) Format(s fmt.State, _ rune) {
	io.WriteString(s, "stream: not printed, as it holds a key")
}
