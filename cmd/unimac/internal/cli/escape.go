// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Name returns the path of a file as messages show it, escaped like [Escape] does, except that
// a backslash that separates folders stays one. Name returns ” for the empty path.
func Name(path string) string { return nameWith(path, filepath.Separator) }

func nameWith(path string, separator rune) string {
	if path == "" {
		return "''"
	}
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
		if ch := name[i]; ch < ' ' || ch == 0x7f || ch == '\\' {
			b.WriteString(escapeOf(ch))
		} else {
			b.WriteByte(ch)
		}
	}
	return b.String()
}

func escapeOf(ch byte) string {
	switch ch {
	case '\\':
		return `\\`
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	}
	return fmt.Sprintf(`\x%02x`, ch)
}

// Visible returns a text in a form that stays on its line, does nothing to a
// terminal and looks like what it is: a control character, those of C1 and the line
// separators of Unicode included, or one that changes the direction of what follows
// is written as \n, \r, \x and two digits, or \u and four. A backslash stays: for a
// name that is to be read again, there is [Escape].
func Visible(text string) string {
	var b strings.Builder
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r < ' ' || r == 0x7f:
			b.WriteString(escapeOf(text[0]))
		case r == utf8.RuneError && size == 1 && text[0] < 0xa0: // a control of an 8-bit terminal
			b.WriteString(escapeOf(text[0]))
		case unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}

// Quote returns a word as a shell takes it.
func Quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
