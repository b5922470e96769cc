// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"fmt"
	"io"
)

// hidden is embedded in all types that contain a key. Its method also applies to values
// of these types, but a call does not copy their locks.
type hidden struct{}

// Format implements [fmt.Formatter]. It prints a fixed text for every verb.
func (hidden) Format(s fmt.State, _ rune) {
	io.WriteString(s, "stream: not printed because it contains a key")
}
