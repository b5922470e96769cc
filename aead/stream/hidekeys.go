// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"fmt"
	"io"
)

// keyHider prevents package fmt from printing the keys in types that embed it. A Format
// method of such a type would need a value receiver, which would copy the type's locks.
type keyHider struct{}

// Format implements [fmt.Formatter] and prints the same text for every verb.
func (keyHider) Format(s fmt.State, _ rune) {
	io.WriteString(s, "stream: not printed because it contains a key")
}
