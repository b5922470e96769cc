// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// testKey is the content of a key file with the bytes 0 to 31.
const testKey = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n"

func TestKeygen(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "key")
	runWith("", "keygen", path).Want(t, 0, "", "")
	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := hex.DecodeString(strings.TrimSuffix(string(first), "\n"))
	if err != nil || len(raw) != 32 || len(first) != 65 {
		t.Errorf("got a key file of %d bytes, error %v, want 64 hexadecimal digits and a newline", len(first), err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("got mode %v, error %v, want 0600", info.Mode(), err)
	}
	if _, err := readKey(path, nil); err != nil {
		t.Errorf("readKey: %v", err)
	}

	runWith("", "keygen", path).Want(t, 1, "", "unimac keygen: "+cli.Name(path)+": exists already; a key file is never overwritten\n")
	if again, err := os.ReadFile(path); err != nil || string(again) != string(first) {
		t.Error("keygen changed an existing file")
	}

	other := filepath.Join(dir, "other")
	runWith("", "keygen", other).Want(t, 0, "", "")
	if second, err := os.ReadFile(other); err != nil || string(second) == string(first) {
		t.Error("keygen created two equal keys")
	}
	missing := filepath.Join(dir, "none", "key")
	r := runWith("", "keygen", missing)
	if r.Status != 1 || !strings.HasPrefix(r.Stderr, "unimac keygen: "+cli.Name(missing)+": ") {
		t.Errorf("keygen in a missing folder: got status %d, stderr %q, want 1 and a message", r.Status, r.Stderr)
	}
}

// TestKeygenStdout checks that the key is printed on standard output and no file named
// "-" is created.
func TestKeygenStdout(t *testing.T) {
	workIn(t)
	r := runWith("", "keygen", "-")
	r.Want(t, 0, r.Stdout, "")
	if _, err := parseKey([]byte(r.Stdout)); err != nil {
		t.Errorf("parseKey(%q): %v", r.Stdout, err)
	}
	if _, err := os.Lstat("-"); err == nil {
		t.Error("keygen created a file named -")
	}
	runWith("", "keygen", "./-").Want(t, 0, "", "")
	if _, err := readKey("-", nil); err != nil {
		t.Error(err)
	}
}

func TestReadKey(t *testing.T) {
	digits := testKey[:64]
	dir := t.TempDir()
	for _, tt := range []struct {
		name, content string
		ok            bool
	}{
		{"as written", testKey, true},
		{"no newline", digits, true},
		{"CRLF", digits + "\r\n", true},
		{"upper case", strings.ToUpper(testKey), true},
		{"empty", "", false},
		{"newline", "\n", false},
		{"CRLF alone", "\r\n", false},
		{"short", digits[:62] + "\n", false},
		{"odd", digits[:63] + "\n", false},
		{"odd and long", digits + "0\n", false},
		{"long", digits + "00\n", false},
		{"very long", strings.Repeat(digits, 1000), false},
		{"two newlines", testKey + "\n", false},
		{"space before", " " + digits[1:] + "\n", false},
		{"space after", digits + " \n", false},
		{"not hex", digits[:63] + "g\n", false},
		{"raw", strings.Repeat("\x00", 32), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := writeFile(t, filepath.Join(dir, "key"), tt.content)
			key, err := readKey(path, nil)
			if tt.ok != (err == nil) {
				t.Fatalf("got error %v, want success %t", err, tt.ok)
			}
			if tt.ok && (key[0] != 0 || key[31] != 31) {
				t.Errorf("got key %x, want the bytes 0 to 31", key)
			}
			if err == nil {
				return
			}
			r := runWith("", "sum", "-k", path)
			r.Want(t, 1, "", "unimac sum: "+cli.Name(path)+": not a key file: ")
			// A shorter run of digits could be a coincidence.
			for i := 0; i+8 <= len(tt.content); i++ {
				if strings.Contains(r.Stderr, tt.content[i:i+8]) {
					t.Fatalf("the error message contains digits of the key: %s", r.Stderr)
				}
			}
		})
	}
}

func TestKeyFileMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no Unix file modes")
	}
	path := writeFile(t, filepath.Join(t.TempDir(), "key"), testKey)
	for _, tt := range []struct {
		mode os.FileMode
		ok   bool
	}{{0o600, true}, {0o400, true}, {0o700, true}, {0o640, false}, {0o604, false}, {0o620, false}, {0o644, false}} {
		if err := os.Chmod(path, tt.mode); err != nil {
			t.Fatal(err)
		}
		if _, err := readKey(path, nil); tt.ok != (err == nil) {
			t.Errorf("mode %04o: got error %v, want success %t", tt.mode, err, tt.ok)
		}
	}
	runWith("", "sum", "-k", path).Want(t, 1, "", ": mode 0644 lets others use the key; run chmod 600")
}

func TestKeyFileUnreadable(t *testing.T) {
	dir := t.TempDir()
	runWith("", "sum", "-k", dir).Want(t, 1, "", "unimac sum: "+cli.Name(dir)+": is a directory\n")
	runWith("", "check", "-k", filepath.Join(dir, "none")).Want(t, 1, "", "unimac check: "+cli.Name(filepath.Join(dir, "none"))+": ")
}

// TestDerive compares keys with Python's hashlib.blake2b(name, key=bytes(range(32)),
// digest_size=n).
func TestDerive(t *testing.T) {
	master, err := parseKey([]byte(testKey))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, want string
	}{
		{"unimac key identifier v1", "9c0ff690"},
		{"umac-32", "35d9db1164d2db6d6b0dba42aa734d8c"},
		{"umac-64", "a4d1da1e0f2fbe691d8def314d4b96f0"},
		{"umac-96", "e4aa9929be66a676a576593084f36425"},
		{"umac-128", "38a79a4464d0cde1c73fea546c041abc"},
		{"umac-128", "309f9bfd05a22c61822acebdce45ce717d033db3b9187264467e08204a6947affbd20792d040e89d02c25f2450baefcbe5029c79946003f175228fde3d14b293"},
		{"poly1305", "7b7a370bbcc82326286aa5c948c0d1dbfe86d816e702b9ae5e43e14cb6e4e19b"},
		{"multimixer-512", "a42de9442a8408e0e3097c4fdf2e48f3a0b141d3cc291e4c0e5af8b9086984b3"},
		{"multimixer-256", "13cf8d21e06f033cf68318db4894eac3668b5bef1cba381733dab9c082122d8d"},
		{"multimixer-128", "064b7c14ea1c91a83e0d88bdd97249d5a73fa350820fb8861f607db34e03f27f"},
	} {
		if got := master.derive(tt.name, len(tt.want)/2); hex.EncodeToString(got) != tt.want {
			t.Errorf("%s: got %x, want %s", tt.name, got, tt.want)
		}
	}
}

// TestKeyFileEncoding checks key files in the encodings that Windows editors and shells
// write.
func TestKeyFileEncoding(t *testing.T) {
	workIn(t)
	wide := func(order binary.AppendByteOrder, text string) (b []byte) {
		for _, c := range text {
			b = order.AppendUint16(b, uint16(c))
		}
		return b
	}
	for name, tt := range map[string]struct {
		content []byte
		want    string
	}{
		"UTF-16LE":                  {wide(binary.LittleEndian, "\ufeff"+testKey), "not a key file: it is in UTF-16, which "},
		"UTF-16BE":                  {wide(binary.BigEndian, "\ufeff"+testKey), "not a key file: it is in UTF-16, which "},
		"UTF-16LE without the mark": {wide(binary.LittleEndian, testKey), "not a key file: it is in UTF-16, which "},
		"UTF-16BE without the mark": {wide(binary.BigEndian, testKey), "not a key file: it is in UTF-16, which "},
		"BOM":                       {[]byte("\ufeff" + testKey), "not a key file: it begins with a byte order mark"},
		"zeros":                     {make([]byte, 128), "not a key file: want 64 hexadecimal digits"},
	} {
		writeFile(t, "wide", string(tt.content))
		for _, command := range []string{"sum", "check", "seal", "open"} {
			r := runWith("", command, "-k", "wide")
			if want := "unimac " + command + ": wide: " + tt.want; r.Status != 1 || !strings.HasPrefix(r.Stderr, want) {
				t.Errorf("%s: got status %d, stderr %q, want 1, %q", name, r.Status, r.Stderr, want)
			}
		}
	}
}
