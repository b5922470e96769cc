// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cli

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Name returns the path of a file as messages show it: [Escape]d, except that a backslash
// stays one where it separates folders.
func Name(path string) string { return nameWith(path, filepath.Separator) }

func nameWith(path string, separator rune) string {
	text := Escape(path)
	if separator == '\\' { // no name has a backslash then
		text = strings.ReplaceAll(text, `\\`, `\`)
	}
	return text
}

// Escape returns the name of a file in a form that stays on its line and does
// nothing to a terminal: a backslash is \\, a newline \n, a carriage return \r,
// another control character \x and two digits. Other bytes stay as they are,
// in UTF-8 or not.
func Escape(name string) string {
	var b strings.Builder
	for i := range len(name) {
		switch ch := name[i]; {
		case ch == '\\':
			b.WriteString(`\\`)
		case ch == '\n':
			b.WriteString(`\n`)
		case ch == '\r':
			b.WriteString(`\r`)
		case ch < ' ' || ch == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, ch)
		default:
			b.WriteByte(ch)
		}
	}
	return b.String()
}
