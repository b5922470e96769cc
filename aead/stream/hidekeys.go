// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"fmt"
	"io"
)

// keyHider prevents package fmt from printing keys. Types that hold keys embed it. They
// do not define Format themselves, because a value receiver would copy their locks.
type keyHider struct{}

// Format implements [fmt.Formatter]. It prints the same text for every verb.
func (keyHider) Format(s fmt.State, _ rune) {
	io.WriteString(s, "stream: not printed because it contains a key")
}
