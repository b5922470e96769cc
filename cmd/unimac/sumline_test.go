// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"strings"
	"testing"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

const (
	nonceHex = "000102030405060708090a0b0c0d0e0f"
	tagHex   = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
)

func TestParseSumLine(t *testing.T) {
	const end = ") nonce=" + nonceHex + " named-tag=" + tagHex
	const bare = ") named-tag=" + tagHex
	for _, tt := range []struct {
		line, file string // no file: the line is malformed
	}{
		{"umac-128 (file" + end, "file"},
		{"umac-128 (a b" + end, "a b"},
		{"umac-128 ( " + end, " "},
		{"umac-128 (-" + end, "-"},
		{"umac-128 (--" + end, "--"},
		{"umac-128 ()" + end, ")"},
		{"umac-128 (x" + end + end, "x" + end},
		{"umac-128 (umac-128 (x" + end, "umac-128 (x"},
		{`umac-128 (a\\b` + end, `a\b`},
		{`umac-128 (a\nb` + end, "a\nb"},
		{`umac-128 (a\rb` + end, "a\rb"},
		{`umac-128 (a\x1bb\x7f` + end, "a\x1bb\x7f"},
		{"umac-128 (\xff\xfe" + end, "\xff\xfe"},
		{"umac-128 (ü" + end, "ü"},
		{"umac-96 (f) nonce=" + nonceHex + " named-tag=" + tagHex[:24], "f"},
		{"umac-64 (f) nonce=" + nonceHex + " named-tag=" + tagHex[:16], "f"},
		{"umac-32 (f) nonce=" + nonceHex + " named-tag=" + tagHex[:8], "f"},
		{"poly1305 (file" + end, "file"},
		{"poly1305 (x) named-tag=" + tagHex + end, "x) named-tag=" + tagHex},
		{"multimixer-128 (file" + bare, "file"},
		{"multimixer-128 (x" + bare + bare, "x" + bare},
		{"multimixer-128 (x" + end + bare, "x" + end},
		{"multimixer-128 (x) nonce=" + nonceHex + bare, "x) nonce=" + nonceHex},
		{"multimixer-256 (file" + bare + tagHex, "file"},
		{"multimixer-512 (file" + bare + tagHex + tagHex + tagHex, "file"},
		{"multimac-256 (file" + bare + tagHex, "file"},
		{"multimac-256 (a b" + bare + tagHex, "a|b"},
		{`multimac-256 (a\x20b c` + bare + tagHex, "a b|c"},
		{`multimac-256 (\\x20b \\\x20` + bare + tagHex, `\x20b|\ `},
		{"multimac-256 (a a -" + bare + tagHex, "a|a|-"},
		{"multimac-256 () (" + bare + tagHex, ")|("},

		{"umac-128 (file) nonce=" + nonceHex + " named-tag=" + tagHex[2:], ""},
		{"umac-128 (file) nonce=" + nonceHex + " named-tag=", ""},
		{"umac-128 (file) nonce=" + nonceHex + " named-" + tagHex, ""},
		{"umac-128 (file) nonce=" + nonceHex + " named-named-tag=" + tagHex, ""},
		{"umac-128 (file) named-nonce=" + nonceHex + " named-tag=" + tagHex, ""},
		{"umac-128 (file" + end + " named-tag=" + tagHex, ""},
		{"multimac-256 (a  b" + bare + tagHex, ""},
		{"multimac-256 ( a" + bare + tagHex, ""},
		{"multimac-256 (a " + bare + tagHex, ""},
		{"multimac-256 (a" + bare, ""},
		{"multimac-256 (a" + end + tagHex, ""},
		{`multimac-256 (a\x21` + bare + tagHex, ""},
		{`multimac-256 (a\x2` + bare + tagHex, ""},
		{`multimixer-128 (a\x20b` + bare, ""},
		{"", ""},
		{"umac-128", ""},
		{"umac-128 (", ""},
		{"umac-128 (f", ""},
		{"umac-128 (f)", ""},
		{"umac-128 (f) ", ""},
		{"umac-128 (" + end, ""},
		{" umac-128 (f" + end, ""},
		{"umac-128  (f" + end, ""},
		{"umac-128(f" + end, ""},
		{"UMAC-128 (f" + end, ""},
		{"umac-256 (f" + end, ""},
		{"umac-128 f" + end, ""},
		{"umac-128 (f" + end + " ", ""},
		{"umac-128 (f" + end + "0", ""},
		{"umac-128 (f" + end + "\r", ""},
		{"umac-128 (f" + end[:len(end)-1], ""},
		{"umac-128 (f" + end[:len(end)-2], ""},
		{"umac-128 (f" + strings.ToUpper(end), ""},
		{"umac-128 (f" + end[:len(end)-1] + "F", ""},
		{"umac-128 (f" + end[:len(end)-1] + "g", ""},
		{"umac-128 (f) named-tag=" + tagHex, ""},
		{"umac-128 (f" + end + " key=00112233", "f"},
		{"multimixer-128 (f" + bare + " key=00112233", "f"},
		{"umac-128 (f" + end + " key=0011223", ""},
		{"umac-128 (f" + end + " key=001122", ""},
		{"umac-128 (f" + end + " key=0011223G", ""},
		{"umac-128 (f" + end + " key=", ""},
		{"umac-128 (f" + end + " key=00112233 key=00112233", ""},
		{"umac-128 (f) key=00112233", ""},
		{"umac-128 (f) nonce= named-tag=" + tagHex, ""},
		{"umac-128 (f) nonce=" + nonceHex, ""},
		{"umac-128 (f) nonce=" + nonceHex + " named-tag=", ""},
		{"umac-128 (f) nonce=" + nonceHex[2:] + " named-tag=" + tagHex, ""},
		{"umac-128 (f) nonce=" + nonceHex + "  named-tag=" + tagHex, ""},
		{"umac-128 (f) named-tag=" + tagHex + " nonce=" + nonceHex, ""},
		{"umac-64 (f" + end, ""},
		{"umac-128 (a\nb" + end, ""},
		{"umac-128 (a\rb" + end, ""},
		{"umac-128 (a\tb" + end, ""},
		{"umac-128 (a\x00b" + end, ""},
		{`umac-128 (a\x00b` + end, ""},
		{`umac-128 (a\` + end, ""},
		{`umac-128 (a\tb` + end, ""},
		{`umac-128 (a\x` + end, ""},
		{`umac-128 (a\x1` + end, ""},
		{`umac-128 (a\x1B` + end, ""},
		{`umac-128 (a\x61` + end, ""},
		{`umac-128 (a\x0ab` + end, ""},
		{`umac-128 (a\x5cb` + end, ""},
		{nonceHex + "  file", ""},
		{"poly1305 (f" + bare, ""},
		{"poly1305 (f) nonce= named-tag=" + tagHex, ""},
		{"poly1305 (f) nonce=" + nonceHex[2:] + " named-tag=" + tagHex, ""},
		{"poly1305 (f) nonce=" + nonceHex + nonceHex + " named-tag=" + tagHex, ""},
		{"poly1305 (f" + end[:len(end)-2], ""},
		{"poly1305 (f" + end + "00", ""},
		{"Poly1305 (f" + end, ""},
		{"poly1305-128 (f" + end, ""},
		{"multimixer-128 (f" + end, ""},
		{"multimixer-128 (f) nonce=" + bare[2:], ""},
		{"multimixer-128 (f) nonce= named-tag=" + tagHex, ""},
		{"multimixer-128 (f)  named-tag=" + tagHex, ""},
		{"multimixer-128 (f) named-tag=", ""},
		{"multimixer-128 (f) named-tag=" + tagHex + " ", ""},
		{"multimixer-128 (f) named-tag=" + tagHex + " nonce=" + nonceHex, ""},
		{"multimixer-128 (f) named-tag=" + tagHex + " named-tag=" + tagHex, ""},
		{"multimixer-128 (f" + bare[:len(bare)-2], ""},
		{"multimixer-128 (f" + bare + tagHex, ""},
		{"multimixer-256 (f" + bare, ""},
		{"multimixer-512 (f" + bare + tagHex, ""},
		{"multimixer-16 (f" + bare, ""},
		{"multimixer (f" + bare, ""},
		{"multimixer-128 ()" + bare[1:], ""},
	} {
		if !strings.Contains(tt.line, " key=") {
			tt.line += " key=00112233"
		}
		l, err := parseSumLine(tt.line)
		if tt.file == "" {
			if err == nil {
				t.Errorf("%q is taken, for %q", tt.line, l.files)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", tt.line, err)
			continue
		}
		if strings.Join(l.files, "|") != tt.file || l.tag[1] != 0xf1 || len(l.nonce) != l.algorithm.nonceSize || l.nonce != nil && l.nonce[1] != 1 {
			t.Errorf("%q: files %q, nonce %x, tag %x", tt.line, l.files, l.nonce, l.tag)
		}
		if got := l.String(); got != tt.line {
			t.Errorf("%q becomes %q", tt.line, got)
		}
	}
	if _, err := parseSumLine("umac-128 (f" + end); err == nil {
		t.Error("a line that names no key is taken")
	}
}

func TestEscapeEveryByte(t *testing.T) {
	for i := range 256 {
		name := "a" + string([]byte{byte(i)}) + "b"
		text := cli.Escape(name)
		if strings.ContainsAny(text, "\n\r\x1b\x00\x7f\t") {
			t.Errorf("%q stays %q", name, text)
		}
		if got := unescape(text); got != name {
			t.Errorf("%q becomes %q and %q", name, text, got)
		}
	}
}
