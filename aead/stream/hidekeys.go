// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"fmt"
	"io"
)

// keyHider prevents package fmt from printing the keys in types that embed it. These
// types don't define Format themselves, because the method would need a value receiver
// and so would copy their locks.
type keyHider struct{}

// Format implements [fmt.Formatter] and prints the same text for every verb.
func (keyHider) Format(s fmt.State, _ rune) {
	io.WriteString(s, "stream: not printed because it contains a key")
}
