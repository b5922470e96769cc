// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/vectors"
)

// protectedKeys creates the key files locked and locked2, whose passphrases are in pass
// and pass2, and the key files key and other without passphrases.
func protectedKeys(t *testing.T) {
	workIn(t)
	writeFile(t, "pass", "correct horse\n")
	writeFile(t, "pass2", "battery staple\n")
	runWith("", "keygen", "-passphrase-file", "pass", "locked").Want(t, 0, "", "")
	runWith("", "keygen", "-passphrase-file", "pass2", "locked2").Want(t, 0, "", "")
	runWith("", "keygen", "other").Want(t, 0, "", "")
}

// TestProtectedKey checks that all commands accept a key file under a passphrase, which
// is a sealed key file.
func TestProtectedKey(t *testing.T) {
	protectedKeys(t)
	data, err := os.ReadFile("locked")
	if err != nil {
		t.Fatal(err)
	}
	plain := runWith(string(data), "open", "-passphrase-file", "pass")
	if _, err := parseKey([]byte(plain.Stdout)); err != nil || plain.Status != 0 {
		t.Fatalf("open of a protected key: got status %d, stderr %q, error %v, want a key", plain.Status, plain.Stderr, err)
	}
	writeFile(t, "plain", plain.Stdout)
	for _, format := range formatNames() {
		sealed := runWith("content", "seal", "-k", "locked", "-passphrase-file", "pass", "-format", format)
		runWith(sealed.Stdout, "open", "-k", "plain", "-format", format).Want(t, 0, "content", "")
		runWith(sealed.Stdout, "open", "-k", "locked", "-passphrase-file", "pass", "-format", format).Want(t, 0, "content", "")
	}
	list := runWith("content", "sum", "-k", "locked", "-passphrase-file", "pass")
	list.Want(t, 0, "umac-128", "")
	writeFile(t, "list", list.Stdout)
	writeFile(t, "-", "content")
	runWith("content", "check", "-k", "locked", "-passphrase-file", "pass", "list").Want(t, 0, "-: OK\n", "")
	runWith("content", "check", "-k", "plain", "list").Want(t, 0, "-: OK\n", "")

	for i := range data {
		changed := []byte(string(data))
		changed[i] ^= 0x10
		writeFile(t, "damaged", string(changed))
		if r := runWith("", "sum", "-k", "damaged", "-passphrase-file", "pass"); r.Status != 1 || r.Stdout != "" || !strings.HasPrefix(r.Stderr, "unimac sum: damaged: ") {
			t.Fatalf("byte %d changed: got status %d, stderr %q, want 1 and a message", i, r.Status, r.Stderr)
		}
		writeFile(t, "damaged", string(data[:i]))
		if r := runWith("", "sum", "-k", "damaged", "-passphrase-file", "pass"); r.Status != 1 || r.Stdout != "" {
			t.Fatalf("truncated to %d bytes: got status %d, stderr %q, want 1", i, r.Status, r.Stderr)
		}
	}
	for args, want := range map[string]string{
		"sum -k locked -passphrase-file pass2":              "unimac sum: locked: wrong passphrase, or the file is damaged at its beginning\n",
		"seal -k locked -passphrase-file pass2":             "unimac seal: locked: wrong passphrase, or the file is damaged at its beginning\n",
		"check -k locked -passphrase-file none":             "unimac check: none: ",
		"sum -k key -passphrase-file pass":                  "unimac sum: key: is not under a passphrase; omit -passphrase-file\n",
		"seal -k key -passphrase-file pass":                 "unimac seal: key: is not under a passphrase; omit -passphrase-file\n",
		"keygen -passphrase-file none new":                  "unimac keygen: none: ",
		"keygen -passphrase-file pass locked":               "unimac keygen: locked: exists already; a key file is never overwritten\n",
		"open -k locked -passphrase-file pass -o locked -f": "unimac open: locked: contains the key or its passphrase",
	} {
		runWith("", strings.Fields(args)...).Want(t, 1, "", want)
	}
	if _, err := os.Stat("new"); err == nil {
		t.Error("keygen created a key file in spite of an error")
	}
	runWith("", "keygen", "-p", "-passphrase-file", "pass", "new").Want(t, 2, "", "unimac keygen: want only one of -p and -passphrase-file\nunimac keygen -h")
}

// TestSeveralKeys passes several keys in different orders.
func TestSeveralKeys(t *testing.T) {
	protectedKeys(t)
	for _, format := range formatNames() {
		sealed := runWith("content", "seal", "-k", "key", "-format", format).Stdout
		for _, keys := range []string{"-k key -k other", "-k other -k key", "-k locked -k other -k key -passphrase-file pass"} {
			runWith(sealed, append([]string{"open", "-format", format}, strings.Fields(keys)...)...).Want(t, 0, "content", "")
		}
		wrong := runWith(sealed, "open", "-k", "other", "-k", "locked", "-passphrase-file", "pass", "-format", format)
		wrong.Want(t, 1, "", "unimac open: -: wrong key")
		runWith(sealed, "open", "-k", "other", "-k", "none", "-format", format).Want(t, 1, "", "unimac open: none: ")
		runWith(sealed[:30], "open", "-k", "other", "-k", "key", "-format", format).Want(t, 1, "", "unimac open: -: ")
		damaged := []byte(sealed)
		damaged[len(damaged)-1] ^= 1
		runWith(string(damaged), "open", "-k", "other", "-k", "key", "-format", format).Want(t, 1, "", "unimac open: -: damaged: the key is right")
	}
	writeFile(t, "file", "content")
	list := runWith("", "sum", "-k", "key", "file").Stdout + runWith("", "sum", "-k", "other", "file").Stdout
	writeFile(t, "list", list)
	for _, keys := range []string{"-k key -k other", "-k other -k key"} {
		runWith("", append(append([]string{"check"}, strings.Fields(keys)...), "list")...).Want(t, 0, "file: OK\nfile: OK\n", "")
	}
	runWith("", "check", "-k", "locked", "-passphrase-file", "pass", "list").Want(t, 1, "file: FAILED, made with another key", "unimac check: 2 lines were made with another key\n")
	for _, command := range []string{"sum", "seal"} {
		runWith("", command, "-k", "key", "-k", "other").Want(t, 2, "", "unimac "+command+": want one key file\nunimac "+command+" -h")
	}
}

// TestRange opens parts of files in each format.
func TestRange(t *testing.T) {
	workIn(t)
	writeFile(t, "pass", "correct horse\n")
	const size = 200_000
	content := string(vectors.Pattern(size))
	for _, format := range formatNames() {
		for _, secret := range []string{"-k key", "-passphrase-file pass"} {
			open := append(append([]string{"open", "-format", format}, strings.Fields(secret)...), "-range")
			writeFile(t, "sealed", runWith(content, append(append([]string{"seal"}, strings.Fields(secret)...), "-format", format)...).Stdout)
			for _, r := range [][2]int{{0, 0}, {0, 1}, {0, size}, {65_535, 2}, {16_383, 50_000}, {size - 1, 1}, {size, 0}, {size - 100, 100}, {7, 0}} {
				got := runWith("", append(open[:len(open):len(open)], fmt.Sprintf("%d:%d", r[0], r[1]), "sealed")...)
				if got.Status != 0 || got.Stdout != content[r[0]:r[0]+r[1]] {
					t.Errorf("%s, %s, range %v: got status %d, %d bytes, stderr %q, want 0, %d bytes", format, secret, r, got.Status, len(got.Stdout), got.Stderr, r[1])
				}
			}
			runWith("", append(open[:len(open):len(open)], "199990:", "sealed")...).Want(t, 0, content[199_990:], "")
			for _, text := range []string{"200000:1", "199999:2", "200001:0", "200001:", "0:200001", "9223372036854775807:9223372036854775807"} {
				runWith("", append(open[:len(open):len(open)], text, "sealed")...).Want(t, 1, "", "unimac open: sealed: the range exceeds the content, which has 200000 bytes\n")
			}
		}
	}
	for _, text := range []string{"", ":", "1", ":1", "-1:1", "1:-1", "a:1", "1:2:3", "9223372036854775808:1", "1:1K"} {
		runWith("", "open", "-k", "key", "-range", text, "sealed").Want(t, 2, "", "want OFFSET:LENGTH, such as 1048576:4096, or OFFSET: for everything from there on")
	}
}

// TestRangeErrors checks ranges of damaged files, wrong keys, and inputs without random
// access.
func TestRangeErrors(t *testing.T) {
	workIn(t)
	runWith("", "keygen", "other").Want(t, 0, "", "")
	sealed := runWith(string(vectors.Pattern(200_000)), "seal", "-k", "key").Stdout
	writeFile(t, "sealed", sealed)
	runWith(sealed, "open", "-k", "key", "-range", "0:1").Want(t, 1, "", "unimac open: -: -range and -damaged need the name of a regular file, not a pipe, a device or standard input\n")
	runWith("", "open", "-k", "other", "-range", "0:1", "sealed").Want(t, 1, "", "unimac open: sealed: wrong key or -context, or the file is damaged at its beginning\n")
	runWith("", "open", "-k", "other", "-k", "key", "-range", "250:2", "sealed").Want(t, 0, "\xfa\x00", "")

	damaged := []byte(sealed)
	damaged[64+70_000] ^= 1 // in the second chunk
	writeFile(t, "damaged", string(damaged))
	runWith("", "open", "-k", "key", "-range", "0:10", "damaged").Want(t, 0, string(vectors.Pattern(10)), "")
	r := runWith("", "open", "-k", "key", "-range", "65530:10", "-o", "out", "damaged")
	r.Want(t, 1, "", "unimac open: damaged: damaged: the key is right, but what follows byte 65536 of the content was changed\n")
	if _, err := os.Stat("out"); err == nil {
		t.Error("open left an output after an error")
	}
	writeFile(t, "short", sealed[:len(sealed)-1])
	runWith("", "open", "-k", "key", "-range", "0:10", "short").Want(t, 1, "", "unimac open: short: damaged: the key is right, but the end was changed or cut off\n")
	writeFile(t, "short", sealed[:40])
	runWith("", "open", "-k", "key", "-range", "0:10", "short").Want(t, 1, "", "unimac open: short: damaged: the end is missing\n")
}
