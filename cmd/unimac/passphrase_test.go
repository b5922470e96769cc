// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/crypto/argon2"

	"github.com/unimac/unimac/aead/stream"
	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/cmd/unimac/internal/cli/clitest"
)

func TestSealPassphrase(t *testing.T) {
	if usualCost != (passphraseHeader{Memory: 256 << 10, Time: 3, Threads: 4}) {
		t.Errorf("default cost = %+v, want 256 MiB, 3 passes, 4 threads", usualCost)
	}
	workIn(t)
	writeFile(t, "pass", "correct horse\n")
	writeFile(t, "bare", "correct horse")
	writeFile(t, "crlf", "correct horse\r\n")
	writeFile(t, "wrong", "correct hors\n")
	writeFile(t, "file", "content")
	runWith("", "seal", "-passphrase-file", "pass", "-o", "sealed", "file").Want(t, 0, "", "")
	sealed, err := os.ReadFile("sealed")
	if err != nil {
		t.Fatal(err)
	}
	if want := "unimacp1\x00\x00\x00\x40\x00\x01\x00\x04"; !strings.HasPrefix(string(sealed), want) || len(sealed) != 32+streamHeader+7+32 {
		t.Errorf("got a file of %d bytes, %q, want %d bytes that begin with %q", len(sealed), sealed, 32+streamHeader+7+32, want)
	}
	runWith("", "open", "-passphrase-file", "bare", "sealed").Want(t, 0, "content", "")
	runWith(string(sealed), "open", "-passphrase-file", "crlf").Want(t, 0, "content", "")
	runWith("", "open", "-passphrase-file", "wrong", "-o", "out", "sealed").Want(t, 1, "",
		"unimac open: sealed: wrong passphrase or -context, or the file is damaged at its beginning\n")
	runWith("", "open", "-k", "key", "sealed").Want(t, 1, "", "unimac open: sealed: sealed with a passphrase; give -p or -passphrase-file\n")
	byKey := runWith("content", "seal", "-k", "key").Stdout
	runWith(byKey, "open", "-passphrase-file", "pass").Want(t, 1, "", "unimac open: -: sealed with a key file; name it with -k\n")
	runWith("anything", "open", "-passphrase-file", "pass").Want(t, 1, "", "unimac open: -: not in the format unimacv2, or damaged in its first bytes; -format opens others\n")
	wantFiles(t, "bare", "crlf", "file", "key", "pass", "sealed", "wrong")
}

// cheapFile returns a file with a passphrase header, built as the usage text describes.
func cheapFile(t *testing.T, passphrase, salt, content string) []byte {
	t.Helper()
	file := bytes.NewBufferString("unimacp1\x00\x00\x00\x10\x00\x01\x00\x02" + salt)
	w, err := stream.NewWriter(file, argon2.IDKey([]byte(passphrase), []byte(salt), 1, 16, 2, 32))
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, content)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// TestOpenPassphraseNoticesEveryByte changes each byte of a file, and truncates the
// file at each byte. If only the cost grows within the limits, the derived key must
// differ.
func TestOpenPassphraseNoticesEveryByte(t *testing.T) {
	workIn(t)
	writeFile(t, "pass", "correct horse")
	file := cheapFile(t, "correct horse", "0123456789abcdef", "content")
	runReader(bytes.NewReader(file), "open", "-passphrase-file", "pass").Want(t, 0, "content", "")
	for i := range file {
		file[i] ^= 1
		r := runReader(bytes.NewReader(file), "open", "-passphrase-file", "pass")
		file[i] ^= 1
		if r.Status != 1 || r.Stdout != "" || !strings.Contains(r.Stderr, "damaged") && !strings.Contains(r.Stderr, "asks for Argon2id") {
			t.Errorf("byte %d changed: got status %d, stdout %q, stderr %q, want 1 and a message", i, r.Status, r.Stdout, r.Stderr)
		}
		r = runReader(bytes.NewReader(file[:i]), "open", "-passphrase-file", "pass")
		if r.Status != 1 || r.Stdout != "" || !strings.Contains(r.Stderr, "damaged") {
			t.Errorf("truncated to %d bytes: got status %d, stdout %q, stderr %q, want 1 and a message", i, r.Status, r.Stdout, r.Stderr)
		}
	}
	r := runReader(clitest.BrokenReader(string(file[:20])), "open", "-passphrase-file", "pass")
	r.Want(t, 1, "", "unimac open: -: broken\n")
}

func TestPassphraseLimits(t *testing.T) {
	for _, tt := range []struct {
		memory        uint32
		time, threads uint16
		want          string
	}{
		{8, 1, 1, ""},
		{128, 16, 16, ""},
		{1 << 20, 2, 16, ""},
		{128 << 10, 16, 16, ""},
		{1 << 20, 3, 16, "1048576 KiB of memory and 3 passes, want a product"},
		{1 << 20, 16, 16, "want a product of at most 2097152"},
		{1<<20 + 1, 1, 1, "1048577 KiB of memory, want 8 to 1048576"},
		{1<<32 - 1, 1, 1, "4294967295 KiB of memory"},
		{7, 1, 1, "7 KiB of memory, want 8 to"},
		{127, 1, 16, "127 KiB of memory, want 128 to"},
		{0, 1, 1, "0 KiB of memory"},
		{8, 0, 1, "0 passes, want 1 to 16"},
		{8, 17, 1, "17 passes"},
		{8, 65535, 1, "65535 passes"},
		{8, 1, 0, "0 threads, want 1 to 16"},
		{1 << 20, 1, 17, "17 threads"},
		{1 << 20, 1, 257, "257 threads"},
	} {
		h := &passphraseHeader{Memory: tt.memory, Time: tt.time, Threads: tt.threads}
		_, err := parsePassphraseHeader(h.bytes())
		if got := fmt.Sprint(err); tt.want == "" && err != nil || !strings.Contains(got, tt.want) {
			t.Errorf("%+v: got error %v, want %q", tt, err, tt.want)
		}
	}
}

func TestPassphraseFile(t *testing.T) {
	workIn(t)
	for name, tt := range map[string]struct{ content, want string }{
		"empty":     {"", "the passphrase is empty\n"},
		"emptyLine": {"\n", "the passphrase is empty\n"},
		"lines":     {"a\nb\n", "not a passphrase file: want one line, found more\n"},
		"twoEnds":   {"a\n\n", "not a passphrase file: want one line, found more\n"},
		"return":    {"a\rb", "not a passphrase file: want one line, found more\n"},
		"mark":      {"\xef\xbb\xbfcorrect horse\r\n", errBOM.Error()},
		"wide":      {"\xff\xfec\x00o\x00", errUTF16.Error()},
		"long":      {strings.Repeat("x", 4097), "the passphrase is too long, want at most 4096 bytes\n"},
		"longer":    {strings.Repeat("x", 1<<20), "the passphrase is too long, want at most 4096 bytes\n"},
	} {
		writeFile(t, name, tt.content)
		runWith("", "seal", "-passphrase-file", name).Want(t, 1, "", "unimac seal: "+name+": "+tt.want)
		os.Remove(name)
	}
	_, err := os.Open("none")
	runWith("", "seal", "-passphrase-file", "none").Want(t, 1, "", "unimac seal: none: "+cli.Reason(err)+"\n")
	runWith("", "seal", "-passphrase-file", ".").Want(t, 1, "", "unimac seal: .: is a directory\n")
	if runtime.GOOS != "windows" {
		os.Chmod(writeFile(t, "open", "pass"), 0o644)
		runWith("", "seal", "-passphrase-file", "open").Want(t, 1, "", "unimac seal: open: mode 0644 lets others use the key")
	}
	for _, n := range []int{1, 4096} {
		p := strings.Repeat("x", n)
		if got, err := readPassphraseFile(writeFile(t, "pass", p+"\r\n")); string(got) != p || err != nil {
			t.Errorf("passphrase of %d bytes: got %q, error %v", n, got, err)
		}
	}
}

// TestPassphraseCost checks -kdf-memory and -kdf-time.
func TestPassphraseCost(t *testing.T) {
	workIn(t)
	writeFile(t, "pass", "correct horse\n")
	for _, tt := range []struct{ command, flags, want string }{
		{"seal", "", "\x00\x00\x00\x40\x00\x01\x00\x04"},
		{"seal", "-kdf-memory 64 -kdf-time 4", "\x00\x01\x00\x00\x00\x04\x00\x04"},
		{"seal", "-kdf-time 3", "\x00\x00\x00\x40\x00\x03\x00\x04"},
		{"keygen", "-kdf-memory 65", "\x00\x01\x04\x00\x00\x01\x00\x04"},
	} {
		args := append([]string{tt.command, "-passphrase-file", "pass"}, strings.Fields(tt.flags)...)
		if tt.command == "seal" {
			args = append(args, "-o")
		}
		runWith("content", append(args, "out")...).Want(t, 0, "", "")
		file, err := os.ReadFile("out")
		if err != nil || !strings.HasPrefix(string(file), "unimacp1"+tt.want) {
			t.Errorf("%s %s: got file %q, error %v, want header %q", tt.command, tt.flags, file, err, "unimacp1"+tt.want)
		}
		opened := runWith("", "open", "-passphrase-file", "pass", "out")
		if opened.Status != 0 || tt.command == "seal" && opened.Stdout != "content" {
			t.Errorf("%s %s: open: got status %d, stderr %q, want 0", tt.command, tt.flags, opened.Status, opened.Stderr)
		}
		os.Remove("out")
	}
	for args, want := range map[string]string{
		"seal -passphrase-file pass -kdf-memory 63":                    `invalid value "63" for flag -kdf-memory: want 64 to 1024`,
		"seal -passphrase-file pass -kdf-memory 1025":                  `invalid value "1025" for flag -kdf-memory: want 64 to 1024`,
		"seal -passphrase-file pass -kdf-memory 64M":                   `invalid value "64M" for flag -kdf-memory: want 64 to 1024`,
		"seal -passphrase-file pass -kdf-time 2":                       `invalid value "2" for flag -kdf-time: want 3 to 16`,
		"keygen -passphrase-file pass -kdf-time 17 new":                `invalid value "17" for flag -kdf-time: want 3 to 16`,
		"keygen -passphrase-file pass -kdf-time -1 new":                `invalid value "-1" for flag -kdf-time: want 3 to 16`,
		"seal -passphrase-file pass -kdf-memory 1024 -kdf-time 3":      "-kdf-memory times -kdf-time is 3072, want at most 2048",
		"seal -passphrase-file pass -kdf-memory 129 -kdf-time 16":      "-kdf-memory times -kdf-time is 2064, want at most 2048",
		"keygen -passphrase-file pass -kdf-memory 683 -kdf-time 3 new": "-kdf-memory times -kdf-time is 2049, want at most 2048",
		"seal -k key -kdf-memory 64":                                   "-kdf-memory and -kdf-time need a new passphrase, from -p or -passphrase-file",
		"seal -k key -passphrase-file pass -kdf-time 3":                "-kdf-memory and -kdf-time need a new passphrase, from -p or -passphrase-file",
		"keygen -kdf-time 4 new":                                       "-kdf-memory and -kdf-time need a new passphrase, from -p or -passphrase-file",
		"open -passphrase-file pass -kdf-time 4 key":                   "flag provided but not defined: -kdf-time",
	} {
		name, _, _ := strings.Cut(args, " ")
		runWith("", strings.Fields(args)...).Want(t, 2, "", "unimac "+name+": "+want+"\nunimac "+name+" -h explains the usage.\n")
	}
	if minNewMemory != 64<<10 || minNewTime != 3 || usualCost.Memory*uint32(usualCost.Time) > maxArgonWork {
		t.Errorf("minimum memory %d KiB, minimum time %d, default cost %+v, want 64 MiB, 3 and a cost that open accepts", minNewMemory, minNewTime, usualCost)
	}
}
