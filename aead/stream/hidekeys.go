// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"fmt"
	"io"
)

// keyHider keeps package fmt from printing keys. It is embedded in types that hold
// keys. Those types can't implement Format directly: it would need a value receiver,
// which would copy the locks they contain.
type keyHider struct{}

// Format implements [fmt.Formatter]. It prints the same text for every verb.
func (keyHider) Format(s fmt.State, _ rune) {
	io.WriteString(s, "stream: not printed because it contains a key")
}
