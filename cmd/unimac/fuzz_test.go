// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// FuzzSumLine checks that an accepted line is reproduced exactly, and that every file
// has a line.
func FuzzSumLine(f *testing.F) {
	f.Add("umac-128 (a\\\\b) nonce=" + nonceHex + " named-tag=" + tagHex + " key=00112233")
	f.Add("umac-32 (x) nonce=0) nonce=" + nonceHex + " named-tag=" + tagHex[:8] + " key=00112233")
	f.Add("poly1305 (x) nonce=" + nonceHex + " named-tag=" + tagHex + " key=00112233")
	f.Add("multimixer-128 (x) nonce=" + nonceHex + ") named-tag=" + tagHex + " key=00112233")
	f.Add("multimixer-256 (x) named-tag=" + tagHex + tagHex + " key=00112233")
	f.Add("multimixer-512 (\\n) named-tag=" + tagHex + tagHex + tagHex + tagHex + " key=00112233")
	f.Add("multimac-256 (\\x20 \\\\x20) named-tag=" + tagHex + tagHex + " key=00112233")
	f.Add("umac-32 (x) nonce=" + nonceHex + " named-tag=" + tagHex[:8] + " key=00112233")
	f.Add("\\x1b[2J\r")
	f.Fuzz(func(t *testing.T, text string) {
		if l, err := parseSumLine(text); err == nil && l.String() != text {
			t.Errorf("parseSumLine(%q).String() = %q", text, l)
		}
		if text == "" || strings.Contains(text, "\x00") {
			return
		}
		for _, a := range algorithms {
			files := []string{text}
			if a.list {
				files = []string{text, "a b", text + " "}
			}
			want := &sumLine{a, files, bytes.Repeat([]byte{6}, a.nonceSize), bytes.Repeat([]byte{7}, a.tagSize), bytes.Repeat([]byte{8}, keyIDSize)}
			line := want.String()
			if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				t.Errorf("line %q contains control characters", line)
			}
			got, err := parseSumLine(line)
			if err != nil || got.algorithm != a || !slices.Equal(got.files, want.files) || !bytes.Equal(got.nonce, want.nonce) || !bytes.Equal(got.tag, want.tag) || !bytes.Equal(got.key, want.key) {
				t.Errorf("%s, %q: parseSumLine = %+v, %v, want %+v, nil", a.name, text, got, err, want)
			}
		}
	})
}

// FuzzReadLine compares readLine, with a small buffer, with package strings.
func FuzzReadLine(f *testing.F) {
	f.Add("")
	f.Add("a\nb")
	f.Add("a\r\n\r\n\n")
	f.Add("a line that is longer than the buffer\nshort\n" + strings.Repeat("\r", 17))
	f.Add(strings.Repeat("0123456789abcde\n", 3) + "0123456789abcde\r\n0123456789abcdef\n0123456789abcdef")
	f.Fuzz(func(t *testing.T, text string) {
		const size = 16 // minimum of bufio
		r := bufio.NewReaderSize(strings.NewReader(text), size)
		for line := range strings.Lines(text) {
			line, ended := strings.CutSuffix(line, "\n")
			want := line
			if ended {
				want = strings.TrimSuffix(line, "\r")
			}
			got, err := readLine(r, '\n')
			switch {
			case err == errLongLine && len(line) >= size-1:
			case err != nil || got != want:
				t.Fatalf("%q: readLine = %q, %v, want %q, nil", text, got, err, want)
			}
		}
		if got, err := readLine(r, '\n'); err != io.EOF {
			t.Errorf("%q: readLine after the last line = %q, %v, want io.EOF", text, got, err)
		}
	})
}

// FuzzParseKey checks that an accepted key file contains only the digits of the key.
func FuzzParseKey(f *testing.F) {
	f.Add([]byte(testKey))
	f.Add([]byte(""))
	f.Add([]byte(testKey[:63] + "\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		key, err := parseKey(data)
		if err != nil {
			if key != nil {
				t.Errorf("parseKey(%q) = a key and error %v, want nil and an error", data, err)
			}
			return
		}
		digits, _, _ := strings.Cut(strings.ToLower(string(data)), "\n")
		if strings.TrimSuffix(digits, "\r") != hex.EncodeToString(key[:]) {
			t.Errorf("parseKey(%q) = %x, want these digits", data, key)
		}
	})
}

// FuzzPassphraseHeader checks that an accepted header is within the limits and
// reproduced exactly.
func FuzzPassphraseHeader(f *testing.F) {
	f.Add([]byte{})
	f.Add(passphraseCost.bytes()[len(passphraseMagic):])
	f.Add(make([]byte, 24))
	f.Add([]byte("\x00\x10\x00\x01\x00\x01\x00\x010123456789abcdef"))
	f.Fuzz(func(t *testing.T, rest []byte) {
		b := append([]byte(passphraseMagic), rest[:min(len(rest), passphraseHeaderSize-len(passphraseMagic))]...)
		h, err := parsePassphraseHeader(b)
		if err != nil {
			return
		}
		if !bytes.Equal(h.bytes(), b) {
			t.Errorf("header %x parsed and encoded again = %x", b, h.bytes())
		}
		if h.Threads < 1 || h.Threads > 16 || h.Time < 1 || h.Time > 16 || h.Memory > 1<<20 || h.Memory < 8*uint32(h.Threads) || uint64(h.Memory)*uint64(h.Time) > 2<<20 {
			t.Errorf("parsePassphraseHeader accepts %+v, want an error", h)
		}
	})
}

// fuzzFile returns a function that writes a file, which only its owner can read, and
// returns its name.
func fuzzFile(f *testing.F) func(t *testing.T, data []byte) string {
	name := filepath.Join(f.TempDir(), "file")
	return func(t *testing.T, data []byte) string {
		t.Helper()
		os.Remove(name) // some file systems wait for the disk when a file is overwritten
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
}

// FuzzPassphraseFile checks that a passphrase is the only line of its file, and that a
// file with a byte order mark is rejected.
func FuzzPassphraseFile(f *testing.F) {
	f.Add([]byte(""))
	f.Add([]byte("correct horse\n"))
	f.Add([]byte("\r\n"))
	f.Add([]byte("a\r\r\n"))
	f.Add([]byte("\xff\xfea\x00"))
	f.Add([]byte("\xfe\xff"))
	f.Add([]byte("\xef\xbb\xbfa\n"))
	f.Add([]byte("\xef\xbb"))
	f.Add(append(bytes.Repeat([]byte("x"), maxPassphrase), "\r\n"...))
	f.Add(append(bytes.Repeat([]byte("x"), maxPassphrase+1), "\n\n"...))
	write := fuzzFile(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := readPassphraseFile(write(t, data))
		want := strings.TrimSuffix(string(data), "\n")
		if want != string(data) {
			want = strings.TrimSuffix(want, "\r")
		}
		marked := bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) || bytes.HasPrefix(data, []byte{0xef, 0xbb, 0xbf})
		if good := !marked && want != "" && len(want) <= maxPassphrase && !strings.ContainsAny(want, "\r\n"); good != (err == nil) || good && string(p) != want {
			t.Errorf("passphrase file %q: got %q, error %v, want %q, success %t", data, p, err, want, good)
		}
	})
}

// FuzzOpenFile opens arbitrary bytes with a key file. open must reject all of them.
func FuzzOpenFile(f *testing.F) {
	f.Add([]byte(""))
	f.Add([]byte("unimac2\x10"))
	f.Add([]byte("unimacp1\x00\x00\x00\x08\x00\x01\x00\x010123456789abcdefunimac2\x10"))
	f.Add(append([]byte("unimac2\x0a"), make([]byte, 24+32+32)...))
	f.Add([]byte("unimacp"))
	dir := f.TempDir()
	keyFile := filepath.Join(dir, "key")
	if err := os.WriteFile(keyFile, []byte(testKey), 0o600); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		j := &sealing{inPath: "-", secrets: secrets{keyPaths: []string{keyFile}}}
		work, rest, err := j.prepareOpen(bytes.NewReader(data))
		if err != nil {
			if !bytes.HasPrefix(data, []byte(passphraseMagic)) {
				t.Errorf("%q without a passphrase header: got error %v, want nil", data, err)
			}
			return
		}
		var out bytes.Buffer
		if err := work(rest, &out); err == nil || out.Len() > 0 {
			t.Errorf("%q: open wrote %d bytes, error %v, want 0 bytes and an error", data, out.Len(), err)
		}
	})
}
