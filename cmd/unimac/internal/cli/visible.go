// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Visible returns a text in a form that stays on its line, does nothing to a
// terminal and looks like what it is: a control character, those of C1 and the line
// separators of Unicode included, or one that changes the direction of what follows
// is written as \n, \r, \x and two digits, or \u and four. A backslash stays: for a
// name that is to be read again, there is [Escape].
func Visible(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r == utf8.RuneError && size == 1 && text[i] < 0xa0: // a control of an 8-bit terminal
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case isInvisible(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

// isInvisible reports whether a character is one of C1, ends a line, or embeds,
// overrides, isolates or marks a direction.
func isInvisible(r rune) bool {
	switch {
	case r >= 0x80 && r < 0xa0, r == 0x061c, r == 0x200e, r == 0x200f:
		return true
	case r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return false
}

// VisibleName is [Visible] of the [Name] of a file.
func VisibleName(name string) string { return Visible(Name(name)) }
