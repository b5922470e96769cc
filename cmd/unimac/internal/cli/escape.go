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

// Name formats path for messages. It is like [Escape], but leaves backslashes unchanged
// on Windows, where they separate directories. An empty path becomes two single quotes.
func Name(path string) string { return nameWith(path, filepath.Separator) }

func nameWith(path string, separator rune) string {
	if path == "" {
		return "''"
	}
	text := Escape(path)
	if separator == '\\' { // file names cannot contain a backslash
		text = strings.ReplaceAll(text, `\\`, `\`)
	}
	return text
}

// Escape escapes backslashes and ASCII control characters, so that the result fits on
// one line and can be unescaped. It replaces a backslash with \\, a newline with \n, a
// carriage return with \r, and any other control character with \x and two hexadecimal
// digits. All other bytes stay unchanged, even if they are not valid UTF-8.
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

// Visible escapes text for display on one line, so that it can neither affect a
// terminal nor mislead the reader. It escapes control characters (C0 and C1), Unicode
// line separators, and characters that change the text direction. Unlike [Escape], it
// leaves backslashes unchanged, so it is not reversible.
func Visible(text string) string {
	var b strings.Builder
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r < ' ', r == 0x7f, r == utf8.RuneError && size == 1 && text[0] < 0xa0: // the last is a C1 control of an 8-bit terminal
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

// Quote quotes a word for a POSIX shell.
func Quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
