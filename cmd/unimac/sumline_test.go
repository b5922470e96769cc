// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/blake2b"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/cmd/unimac/internal/cli/clitest"
	"github.com/unimac/unimac/internal/vectors"
	"github.com/unimac/unimac/multimac"
)

const (
	nonceHex = "000102030405060708090a0b0c0d0e0f"
	tagHex   = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
)

// noncedEnd and bareEnd follow the file names in lines with and without a nonce.
const (
	noncedEnd = ") nonce=" + nonceHex + " named-tag=" + tagHex
	bareEnd   = ") named-tag=" + tagHex
)

// withKey returns line with a key identifier, unless it has one.
func withKey(line string) string {
	if strings.Contains(line, " key=") {
		return line
	}
	return line + " key=00112233"
}

// TestParseSumLine checks that the parts of valid lines are found, and that String
// returns the same line.
func TestParseSumLine(t *testing.T) {
	const end, bare = noncedEnd, bareEnd
	for _, tt := range []struct {
		line, files string // files are separated by |
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
		{"umac-128 (f" + end + " key=00112233", "f"},
		{"multimixer-128 (f" + bare + " key=00112233", "f"},
	} {
		line := withKey(tt.line)
		l, err := parseSumLine(line)
		if err != nil {
			t.Errorf("parseSumLine(%q): %v", line, err)
			continue
		}
		if files := strings.Join(l.files, "|"); files != tt.files {
			t.Errorf("parseSumLine(%q): got files %q, want %q", line, files, tt.files)
		}
		if l.tag[1] != 0xf1 || len(l.nonce) != l.algorithm.nonceSize || l.nonce != nil && l.nonce[1] != 1 {
			t.Errorf("parseSumLine(%q): got nonce %x, tag %x, want those of the line", line, l.nonce, l.tag)
		}
		if got := l.String(); got != line {
			t.Errorf("String = %q, want %q", got, line)
		}
	}
}

// TestParseSumLineMalformed checks that malformed lines are rejected.
func TestParseSumLineMalformed(t *testing.T) {
	const end, bare = noncedEnd, bareEnd
	for _, line := range []string{
		// Tags with wrong lengths, wrong labels, and a second tag.
		"umac-128 (file) nonce=" + nonceHex + " named-tag=" + tagHex[2:],
		"umac-128 (file) nonce=" + nonceHex + " named-tag=",
		"umac-128 (file) nonce=" + nonceHex + " named-" + tagHex,
		"umac-128 (file) nonce=" + nonceHex + " named-named-tag=" + tagHex,
		"umac-128 (file) named-nonce=" + nonceHex + " named-tag=" + tagHex,
		"umac-128 (file" + end + " named-tag=" + tagHex,

		// Lists of files, and an escape that is valid only in them.
		"multimac-256 (a  b" + bare + tagHex,
		"multimac-256 ( a" + bare + tagHex,
		"multimac-256 (a " + bare + tagHex,
		"multimac-256 (a" + bare,
		"multimac-256 (a" + end + tagHex,
		`multimac-256 (a\x21` + bare + tagHex,
		`multimac-256 (a\x2` + bare + tagHex,
		`multimixer-128 (a\x20b` + bare,

		// Missing parts, and wrong algorithm names, separators, tags and ends.
		"",
		"umac-128",
		"umac-128 (",
		"umac-128 (f",
		"umac-128 (f)",
		"umac-128 (f) ",
		"umac-128 (" + end,
		" umac-128 (f" + end,
		"umac-128  (f" + end,
		"umac-128(f" + end,
		"UMAC-128 (f" + end,
		"umac-256 (f" + end,
		"umac-128 f" + end,
		"umac-128 (f" + end + " ",
		"umac-128 (f" + end + "0",
		"umac-128 (f" + end + "\r",
		"umac-128 (f" + end[:len(end)-1],
		"umac-128 (f" + end[:len(end)-2],
		"umac-128 (f" + strings.ToUpper(end),
		"umac-128 (f" + end[:len(end)-1] + "F",
		"umac-128 (f" + end[:len(end)-1] + "g",
		"umac-128 (f) named-tag=" + tagHex,

		// Key identifiers.
		"umac-128 (f" + end + " key=0011223",
		"umac-128 (f" + end + " key=001122",
		"umac-128 (f" + end + " key=0011223G",
		"umac-128 (f" + end + " key=",
		"umac-128 (f" + end + " key=00112233 key=00112233",
		"umac-128 (f) key=00112233",

		// Missing, short and misplaced nonces.
		"umac-128 (f) nonce= named-tag=" + tagHex,
		"umac-128 (f) nonce=" + nonceHex,
		"umac-128 (f) nonce=" + nonceHex + " named-tag=",
		"umac-128 (f) nonce=" + nonceHex[2:] + " named-tag=" + tagHex,
		"umac-128 (f) nonce=" + nonceHex + "  named-tag=" + tagHex,
		"umac-128 (f) named-tag=" + tagHex + " nonce=" + nonceHex,

		// The tag of another algorithm.
		"umac-64 (f" + end,

		// Control characters and escapes in file names.
		"umac-128 (a\nb" + end,
		"umac-128 (a\rb" + end,
		"umac-128 (a\tb" + end,
		"umac-128 (a\x00b" + end,
		`umac-128 (a\x00b` + end,
		`umac-128 (a\` + end,
		`umac-128 (a\tb` + end,
		`umac-128 (a\x` + end,
		`umac-128 (a\x1` + end,
		`umac-128 (a\x1B` + end,
		`umac-128 (a\x61` + end,
		`umac-128 (a\x0ab` + end,
		`umac-128 (a\x5cb` + end,

		// The line of another program.
		nonceHex + "  file",

		// Poly1305 with wrong nonces, tags and names.
		"poly1305 (f" + bare,
		"poly1305 (f) nonce= named-tag=" + tagHex,
		"poly1305 (f) nonce=" + nonceHex[2:] + " named-tag=" + tagHex,
		"poly1305 (f) nonce=" + nonceHex + nonceHex + " named-tag=" + tagHex,
		"poly1305 (f" + end[:len(end)-2],
		"poly1305 (f" + end + "00",
		"Poly1305 (f" + end,
		"poly1305-128 (f" + end,

		// Multimixer with nonces, and with wrong tags and names.
		"multimixer-128 (f" + end,
		"multimixer-128 (f) nonce=" + bare[2:],
		"multimixer-128 (f) nonce= named-tag=" + tagHex,
		"multimixer-128 (f)  named-tag=" + tagHex,
		"multimixer-128 (f) named-tag=",
		"multimixer-128 (f) named-tag=" + tagHex + " ",
		"multimixer-128 (f) named-tag=" + tagHex + " nonce=" + nonceHex,
		"multimixer-128 (f) named-tag=" + tagHex + " named-tag=" + tagHex,
		"multimixer-128 (f" + bare[:len(bare)-2],
		"multimixer-128 (f" + bare + tagHex,
		"multimixer-256 (f" + bare,
		"multimixer-512 (f" + bare + tagHex,
		"multimixer-16 (f" + bare,
		"multimixer (f" + bare,
		"multimixer-128 ()" + bare[1:],
	} {
		line = withKey(line)
		if l, err := parseSumLine(line); err == nil {
			t.Errorf("parseSumLine(%q) = files %q, want an error", line, l.files)
		}
	}
	if _, err := parseSumLine("umac-128 (f" + end); err == nil {
		t.Error("parseSumLine of a line without a key identifier: got no error")
	}
}

func TestEscapeEveryByte(t *testing.T) {
	for i := range 256 {
		name := "a" + string([]byte{byte(i)}) + "b"
		text := cli.Escape(name)
		if strings.ContainsAny(text, "\n\r\x1b\x00\x7f\t") {
			t.Errorf("Escape(%q) = %q, want no control characters", name, text)
		}
		if got := unescape(text); got != name {
			t.Errorf("Escape(%q) = %q, unescape returns %q", name, text, got)
		}
	}
}

// TestSumIsMultiMAC compares the tag with package multimac. The keys are derived as the
// usage text describes.
func TestSumIsMultiMAC(t *testing.T) {
	workIn(t)
	master, err := hex.DecodeString(strings.TrimSpace(testKey))
	if err != nil {
		t.Fatal(err)
	}
	h, err := blake2b.New512(master)
	if err != nil {
		t.Fatal(err)
	}
	h.Write([]byte("multimac-256 with names"))
	keys := h.Sum(nil)
	k, err := multimac.NewKey(keys[:32], keys[32:])
	if err != nil {
		t.Fatal(err)
	}
	long := string(vectors.Pattern(300_000))
	writeFile(t, "long", long)
	writeFile(t, "a b", "short")
	writeFile(t, "empty", "")
	for _, tt := range []struct {
		files, contents []string
		names           string
	}{
		{nil, []string{"stdin"}, "-"},
		{[]string{"empty"}, []string{""}, "empty"},
		{[]string{"long", "a b", "empty", "-", "a b"}, []string{long, "short", "", "stdin", "short"}, `long a\x20b empty - a\x20b`},
		{[]string{"empty", "empty"}, []string{"", ""}, "empty empty"},
	} {
		var inputs [][]byte
		for i, content := range tt.contents {
			name := "-"
			if tt.files != nil {
				name = tt.files[i]
			}
			inputs = append(inputs, named(name, ""), []byte(content))
		}
		line := fmt.Sprintf("multimac-256 (%s) named-tag=%x key=9c0ff690\n", tt.names, k.Sum(inputs...))
		args := append([]string{"sum", "-k", "key", "-a", "multimac-256"}, tt.files...)
		runWith("stdin", args...).Want(t, 0, line, "")
		writeFile(t, "list", line)
		runWith("stdin", "check", "-k", "key", "list").Want(t, 0, tt.names+": OK\n", "")
	}
}

// TestCheckMultiMAC changes files in a line, and the line itself.
func TestCheckMultiMAC(t *testing.T) {
	workIn(t)
	fresh := func() {
		writeFile(t, "a", "one")
		writeFile(t, "b", "two")
		writeFile(t, "c", "")
	}
	fresh()
	line := runWith("", "sum", "-k", "key", "-a", "multimac-256", "a", "b", "c").Stdout
	runWith(line, "check", "-k", "key").Want(t, 0, "a b c: OK\n", "")
	for _, names := range []string{"b a c", "a b", "a b c c", "a c b", "a b c b", "b c"} {
		changed := strings.Replace(line, "a b c", names, 1)
		runWith(changed, "check", "-k", "key").Want(t, 1, names+": FAILED\n", "unimac check: 1 tag is WRONG\n")
	}
	for _, contents := range [][3]string{{"onet", "wo", ""}, {"one", "tw", "o"}, {"", "onetwo", ""}, {"one", "twO", ""}} {
		writeFile(t, "a", contents[0])
		writeFile(t, "b", contents[1])
		writeFile(t, "c", contents[2])
		runWith(line, "check", "-k", "key").Want(t, 1, "a b c: FAILED\n", "unimac check: 1 tag is WRONG\n")
	}
	fresh()
	os.Remove("b")
	_, err := os.Open("b")
	runWith(line, "check", "-k", "key").Want(t, 1, "", "unimac check: b: "+cli.Reason(err)+"\nunimac check: 1 file could not be read\n")
	runWith("", "sum", "-k", "key", "-a", "multimac-256", "a", "b", "c").Want(t, 1, "", "unimac sum: b: "+cli.Reason(err)+"\n")
	runWith("", "sum", "-k", "key", "-a", "multimac-256", "a", ".").Want(t, 1, "", "unimac sum: .: is a directory\n")
	runWith("", "sum", "-k", "key", "-a", "multimac-256", "-", "-").Want(t, 1, "", "unimac sum: -: standard input is already in use\n")
	runReader(clitest.BrokenReader("x"), "sum", "-k", "key", "-a", "multimac-256", "a", "-").Want(t, 1, "", "unimac sum: -: broken\n")
}

func TestMultiMACOddNames(t *testing.T) {
	workIn(t)
	args := []string{"sum", "-k", "key", "-a", "multimac-256", "--"}
	for _, name := range oddNames() {
		path := "." + string(filepath.Separator) + name
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	r := runWith("", args...)
	r.Want(t, 0, "multimac-256 (", "")
	if strings.Count(r.Stdout, "\n") != 1 || strings.Count(r.Stdout, " ") != len(oddNames())+2 {
		t.Errorf("got %q, want one line with a space between names", r.Stdout)
	}
	runWith(r.Stdout, "check", "-k", "key").Want(t, 0, r.Stdout[len("multimac-256 ("):strings.LastIndex(r.Stdout, ") named-tag=")]+": OK\n", "")
}
