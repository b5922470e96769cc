// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"strings"
	"testing"
)

const (
	nonceHex = "000102030405060708090a0b0c0d0e0f"
	tagHex   = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
)

func TestParseSumLine(t *testing.T) {
	const end = ") nonce=" + nonceHex + " tag=" + tagHex
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
		{"umac-96 (f) nonce=" + nonceHex + " tag=" + tagHex[:24], "f"},
		{"umac-64 (f) nonce=" + nonceHex + " tag=" + tagHex[:16], "f"},
		{"umac-32 (f) nonce=" + nonceHex + " tag=" + tagHex[:8], "f"},

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
		{"umac-128 (f) tag=" + tagHex, ""},
		{"umac-128 (f) nonce= tag=" + tagHex, ""},
		{"umac-128 (f) nonce=" + nonceHex, ""},
		{"umac-128 (f) nonce=" + nonceHex + " tag=", ""},
		{"umac-128 (f) nonce=" + nonceHex[2:] + " tag=" + tagHex, ""},
		{"umac-128 (f) nonce=" + nonceHex + "  tag=" + tagHex, ""},
		{"umac-128 (f) tag=" + tagHex + " nonce=" + nonceHex, ""},
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
	} {
		l, err := parseSumLine(tt.line)
		if tt.file == "" {
			if err == nil {
				t.Errorf("%q is taken, for %q", tt.line, l.file)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", tt.line, err)
			continue
		}
		if l.file != tt.file || l.nonce[1] != 1 || l.tag[1] != 0xf1 {
			t.Errorf("%q: file %q, nonce %x, tag %x", tt.line, l.file, l.nonce, l.tag)
		}
		if got := l.String(); got != tt.line {
			t.Errorf("%q becomes %q", tt.line, got)
		}
	}
}

// TestSumLineWithoutNonce checks the form for an algorithm that takes none.
func TestSumLineWithoutNonce(t *testing.T) {
	saved := algorithms
	t.Cleanup(func() { algorithms = saved })
	a := *algorithms[0]
	a.name, a.nonceSize = "bare", 0
	algorithms = append(algorithms[:len(algorithms):len(algorithms)], &a)

	line := "bare (f) tag=" + tagHex
	l, err := parseSumLine(line)
	if err != nil || l.nonce != nil || l.String() != line {
		t.Errorf("%v, %v", l, err)
	}
	if _, err := parseSumLine("bare (f) nonce=" + nonceHex + " tag=" + tagHex); err == nil {
		t.Error("a nonce is taken")
	}
}

func TestEscapeEveryByte(t *testing.T) {
	for i := range 256 {
		name := "a" + string([]byte{byte(i)}) + "b"
		text := escape(name)
		if strings.ContainsAny(text, "\n\r\x1b\x00\x7f\t") {
			t.Errorf("%q stays %q", name, text)
		}
		if got, ok := unescape(text); !ok || got != name {
			t.Errorf("%q becomes %q and %q, %v", name, text, got, ok)
		}
	}
}

// FuzzSumLine checks that a line is either refused or written again as it was,
// and that every file has a line.
func FuzzSumLine(f *testing.F) {
	f.Add("umac-128 (a\\\\b) nonce=" + nonceHex + " tag=" + tagHex)
	f.Add("umac-32 (x) nonce=0) nonce=" + nonceHex + " tag=" + tagHex[:8])
	f.Add("\\x1b[2J\r")
	f.Fuzz(func(t *testing.T, text string) {
		if l, err := parseSumLine(text); err == nil && l.String() != text {
			t.Errorf("%q becomes %q", text, l)
		}
		if text == "" || strings.Contains(text, "\x00") {
			return
		}
		want := &sumLine{algorithm: algorithms[0], file: text, nonce: make([]byte, 16), tag: bytes.Repeat([]byte{7}, 16)}
		got, err := parseSumLine(want.String())
		if err != nil || got.file != text || !bytes.Equal(got.tag, want.tag) || got.algorithm != want.algorithm {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	})
}
