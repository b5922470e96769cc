// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"fmt"
	"io"
)

// hidden prevents package fmt from printing keys. It is embedded in every type that
// holds a key. Its method has a receiver of type hidden, so calling the method does not
// copy the locks in the outer type.
type hidden struct{}

// Format implements [fmt.Formatter]. It prints a fixed text for every verb.
func (hidden) Format(s fmt.State, _ rune) {
	io.WriteString(s, "stream: not printed because it contains a key")
}
