// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"fmt"
	"io"
)

// hidden is embedded in every type that contains a key. Its method has a value
// receiver, so it also applies to values that are passed to package fmt, without
// copying their locks.
type hidden struct{}

// Format implements [fmt.Formatter]. It hides the contents for every verb.
func (hidden) Format(s fmt.State, _ rune) {
	io.WriteString(s, "stream: not printed, as it holds a key")
}
