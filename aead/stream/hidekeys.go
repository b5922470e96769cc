// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"fmt"
	"io"
)

// hidden is embedded in every type that contains a key. Its method has a value
// receiver, so that the method also applies to values. Because the receiver is only
// hidden, a call does not copy the locks in these types.
type hidden struct{}

// Format implements [fmt.Formatter]. It prints a fixed text for every verb.
func (hidden) Format(s fmt.State, _ rune) {
	io.WriteString(s, "stream: not printed because it contains a key")
}
