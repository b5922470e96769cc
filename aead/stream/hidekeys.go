// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"fmt"
	"io"
)

// hidden prevents package fmt from printing keys. Every type that holds a key embeds
// it. Its method has a receiver of type hidden, because a value receiver of the outer
// type would copy the locks in that type.
type keyHider struct{}

// Format implements [fmt.Formatter]. It prints a fixed text for every verb.
func (keyHider) Format(s fmt.State, _ rune) {
	io.WriteString(s, "stream: not printed because it contains a key")
}
