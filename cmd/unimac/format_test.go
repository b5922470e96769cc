// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/blake2b"

	"github.com/unimac/unimac/aead/stream"
	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/vectors"
)

// TestFormats seals and opens in each format with each kind of key. It compares the
// files with package stream, under the key that the help text describes.
func TestFormats(t *testing.T) {
	workIn(t)
	writeFile(t, "pass", "correct horse\n")
	content := string(vectors.Pattern(100_000))
	master, err := readKey("key", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]stream.Format{
		"": stream.UnimacV2, "unimacv2": stream.UnimacV2, "Unimac-V2": stream.UnimacV2,
		"cobblestone128": stream.Cobblestone128, "Cobblestone-256": stream.Cobblestone256,
		"chunkedchacha20poly1305": stream.ChunkedChaCha20Poly1305, "Chunked-ChaCha20-Poly1305": stream.ChunkedChaCha20Poly1305,
		"chunkedaegis256x2": stream.ChunkedAEGIS256X2, "Chunked-AEGIS-256X2": stream.ChunkedAEGIS256X2,
	} {
		raw := mactest.Random(f.KeySize(), 7)
		writeFile(t, "raw", string(raw))
		var format []string
		if name != "" {
			format = []string{"-format", name}
		}
		label := "unimac seal " + f.String()
		if f == stream.UnimacV2 {
			label = "unimac stream v2"
		}
		for secret, key := range map[string]func(header string) []byte{
			"-k key":                func(string) []byte { return labelled(t, master[:], label, f.KeySize()) },
			"-raw-key raw":          func(string) []byte { return raw },
			"-passphrase-file pass": func(header string) []byte { return fromPassphrase(t, header, label, f) },
		} {
			args := append(strings.Fields(secret), format...)
			what := fmt.Sprint(args)
			sealed := runWith(content, append([]string{"seal"}, args...)...)
			if sealed.Status != 0 {
				t.Fatalf("%s: seal: got status %d, stderr %q", what, sealed.Status, sealed.Stderr)
			}
			opened := runWith(sealed.Stdout, append([]string{"open"}, args...)...)
			if opened.Status != 0 || opened.Stdout != content {
				t.Errorf("%s: open: got status %d, %d bytes, stderr %q, want 0 and the content", what, opened.Status, len(opened.Stdout), opened.Stderr)
			}
			header, file := "", sealed.Stdout
			if strings.HasPrefix(secret, "-pass") {
				header, file = file[:passphraseHeaderSize], file[passphraseHeaderSize:]
			}
			r, err := stream.Options{Format: f}.NewReader(strings.NewReader(file), key(header))
			if err != nil {
				t.Fatalf("%s: NewReader: %v", what, err)
			}
			if got, err := io.ReadAll(r); err != nil || string(got) != content {
				t.Errorf("%s: package stream: got %d bytes, error %v, want the content", what, len(got), err)
			}
		}
	}
}

// labelled returns the BLAKE2b digest of label, keyed with secret.
func labelled(t *testing.T, secret []byte, label string, size int) []byte {
	t.Helper()
	h, err := blake2b.New(size, secret)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(h, label)
	return h.Sum(nil)
}

// fromPassphrase returns the key of the stream that follows header.
func fromPassphrase(t *testing.T, header, label string, f stream.Format) []byte {
	t.Helper()
	c := passphraseCost
	key := argon2.IDKey([]byte("correct horse"), []byte(header[16:]), uint32(c.Time), c.Memory, uint8(c.Threads), 32)
	if f == stream.UnimacV2 {
		return key
	}
	return labelled(t, key, label, f.KeySize())
}

// TestFormatErrors checks unknown formats, formats that differ from the file's, and
// wrong keys.
func TestFormatErrors(t *testing.T) {
	workIn(t)
	for name, n := range map[string]int{"raw15": 15, "raw16": 16, "raw17": 17, "raw32": 32, "raw33": 33, "raw0": 0} {
		writeFile(t, name, string(vectors.Pattern(n)))
	}
	sealed := runWith("content", "seal", "-raw-key", "raw16", "-format", "cobblestone128").Stdout
	v2 := runWith("content", "seal", "-k", "key").Stdout
	for _, tt := range []struct {
		stdin, args string
		status      int
		stderr      string
	}{
		{sealed, "open -raw-key raw16 -format cobblestone", 2, `unknown format "cobblestone", want one of unimacv2, cobblestone128, cobblestone256, chunkedchacha20poly1305, chunkedaegis256x2`},
		{"", "seal -k key -format none", 2, `unknown format "none"`},
		{sealed, "open -raw-key raw15 -format cobblestone128", 1, "raw15: not a raw key for cobblestone128: want exactly 16 bytes"},
		{sealed, "open -raw-key raw17 -format cobblestone128", 1, "raw17: not a raw key for cobblestone128: want exactly 16 bytes"},
		{sealed, "open -raw-key raw32 -format cobblestone128", 1, "raw32: not a raw key for cobblestone128: want exactly 16 bytes"},
		{"", "seal -raw-key raw16 -format cobblestone256", 1, "raw16: not a raw key for cobblestone256: want exactly 32 bytes"},
		{"", "seal -raw-key raw33", 1, "raw33: not a raw key for unimacv2: want exactly 32 bytes"},
		{"", "seal -raw-key raw0", 1, "raw0: not a raw key for unimacv2"},
		{"", "seal -raw-key missing", 1, "missing: "},
		{"", "seal -raw-key raw32 -k key", 2, "want one of -k, -raw-key, -p and -passphrase-file; only -passphrase-file goes with -k, for a key file under a passphrase"},
		{sealed, "open -raw-key raw32 -format cobblestone256", 1, "wrong key, -context or -format, or the file is damaged at its beginning"},
		{sealed, "open -k key -format cobblestone128", 1, "wrong key, -context or -format, or the file is damaged at its beginning"},
		{sealed, "open -raw-key raw32", 1, "not in the format unimacv2, or damaged in its first bytes; -format opens others"},
		{v2, "open -k key -format cobblestone128", 1, "wrong key, -context or -format, or the file is damaged at its beginning"},
		{sealed[:50], "open -raw-key raw16 -format cobblestone128", 1, "damaged: the end is missing"},
		{sealed[:len(sealed)-1], "open -raw-key raw16 -format cobblestone128", 1, "damaged: the key is right, but the content was changed or cut short at its beginning"},
		{"text", "seal -raw-key raw32 -f -o raw32", 1, "contains the key or its passphrase"},
	} {
		r := runWith(tt.stdin, strings.Fields(tt.args)...)
		if r.Status != tt.status || r.Stdout != "" || !strings.Contains(r.Stderr, tt.stderr) {
			t.Errorf("%s: got status %d, stderr %q, want %d, %q", tt.args, r.Status, r.Stderr, tt.status, tt.stderr)
		}
	}
}

// TestPythonExample runs the Python example of doc/command.md, which opens what the
// preceding command line seals.
func TestPythonExample(t *testing.T) {
	python := mactest.PythonWithCobblestone(t)
	page, err := os.ReadFile(filepath.Join("..", "..", "doc", "command.md"))
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("(?s)\\$ unimac (seal -k key -format [^\n]*)\n.*?```python\n(.*?)```").FindSubmatch(bytes.ReplaceAll(page, []byte("\r"), nil))
	if example == nil {
		t.Fatal("doc/command.md does not contain the example")
	}
	workIn(t)
	content := string(vectors.Pattern(50_000))
	writeFile(t, "notes", content)
	runWith("", strings.Fields(string(example[1]))...).Want(t, 0, "", "")
	if err := os.Rename("notes", "original"); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(python, "-c", string(example[2])).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	wantContent(t, "notes", content)
}

// TestContext seals and opens with -context in each format, and compares with package stream.
func TestContext(t *testing.T) {
	workIn(t)
	writeFile(t, "pass", "correct horse\n")
	for _, f := range sealedFormats {
		raw := mactest.Random(f.KeySize(), 7)
		writeFile(t, "raw", string(raw))
		for _, secret := range []string{"-k key", "-raw-key raw", "-passphrase-file pass"} {
			args := append(strings.Fields(secret), "-format", formatName(f), "-context")
			sealed := runWith("content", append(append([]string{"seal"}, args...), "a name")...).Stdout
			runWith(sealed, append(append([]string{"open"}, args...), "a name")...).Want(t, 0, "content", "")
			writeFile(t, "sealed", sealed)
			runWith("", append(append([]string{"open", "-range", "1:3", "sealed"}, args...), "a name")...).Want(t, 0, "ont", "")
			for _, other := range []string{"", "a nam", "another"} {
				r := runWith(sealed, append(append([]string{"open"}, args...), other)...)
				if r.Status != 1 || r.Stdout != "" || !strings.Contains(r.Stderr, "-context") {
					t.Errorf("%s, %s, context %q: got status %d, stderr %q, want 1 and a hint at -context", secret, f, other, r.Status, r.Stderr)
				}
			}
			if secret != "-raw-key raw" {
				continue
			}
			r, err := stream.Options{Format: f, AdditionalData: []byte("a name")}.NewReader(strings.NewReader(sealed), raw)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(r); err != nil || string(got) != "content" {
				t.Errorf("%s: package stream: got %q, error %v, want %q", f, got, err, "content")
			}
		}
	}
	// No context means the empty context.
	sealed := runWith("content", "seal", "-k", "key").Stdout
	runWith(sealed, "open", "-k", "key", "-context", "").Want(t, 0, "content", "")
	runWith(sealed, "open", "-k", "key", "-context", "x").Want(t, 1, "", "unimac open: -: wrong key or -context, or the file is damaged at its beginning\n")
}

// TestContextPython opens files that pyca/cryptography sealed with a context, and vice
// versa.
func TestContextPython(t *testing.T) {
	python := mactest.PythonWithCobblestone(t)
	workIn(t)
	content := vectors.Pattern(50_000)
	for _, bits := range []int{128, 256} {
		key := mactest.Random(bits/8, 3)
		writeFile(t, "raw", string(key))
		for _, context := range []string{"a name", "", "\xff\u00fc \n"} {
			run := func(class, method, from, to string) {
				script := fmt.Sprintf("from cryptography.cobblestone import *\nw = Cobblestone%d%s(bytes.fromhex(%q), context=bytes.fromhex(%q))\nopen(%q, 'wb').write(w.update(open(%q, 'rb').read()) + w.finalize())",
					bits, class, hex.EncodeToString(key), hex.EncodeToString([]byte(context)), to, from)
				if out, err := exec.Command(python, "-c", script).CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", method, err, out)
				}
			}
			args := []string{"-raw-key", "raw", "-format", fmt.Sprintf("cobblestone%d", bits), "-context", context, "-f", "-o"}
			writeFile(t, "content", string(content))
			run("Encryptor", "seal", "content", "sealed")
			runWith("", append(append([]string{"open"}, args...), "opened", "sealed")...).Want(t, 0, "", "")
			wantContent(t, "opened", string(content))
			runWith("", append(append([]string{"seal"}, args...), "sealed", "content")...).Want(t, 0, "", "")
			run("Decryptor", "open", "sealed", "opened")
			wantContent(t, "opened", string(content))
		}
	}
}
