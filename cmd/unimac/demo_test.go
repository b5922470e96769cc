// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"crypto/cipher"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/sshpatch"
)

func TestDemo(t *testing.T) {
	size := demoSize
	t.Cleanup(func() { demoSize = size })
	if testing.Short() {
		demoSize = 1<<20 + 12345
	}
	r := runWith("", "demo")
	r.Want(t, 0, "\nCipher aes128-ctr: the data was transferred and verified", "")
	checkDemo(t, r.Stdout)
	if !strings.HasSuffix(r.Stdout, "\n\tunimac open -k key FILE.sealed >COPY\n") {
		t.Errorf("the output does not end with the commands to try next:\n%s", r.Stdout)
	}
	for _, mac := range []string{"umac-128-etm@openssh.com", "umac-64-etm@openssh.com", "hmac-sha2-256-etm@openssh.com"} {
		var speed, ratio float64
		_, row, _ := strings.Cut(r.Stdout, "\n"+mac)
		if _, err := fmt.Sscan(row, &speed, &ratio); err != nil || speed < 1 || ratio <= 0 {
			t.Errorf("%s: got %v MB/s, ratio %v, error %v, want at least 1 MB/s and a positive ratio", mac, speed, ratio, err)
		}
	}
	runWith("", "demo", "file").Want(t, 2, "", "1 argument, want none")
}

// checkDemo checks that the tables in stdout have a row for every algorithm, AEAD and
// format, that each row accepts and rejects correctly, and that a row shows at most 16
// bytes of a tag.
func checkDemo(t *testing.T, stdout string) {
	t.Helper()
	good := map[string]string{}
	for row := range strings.Lines(stdout) {
		if f := strings.Fields(row); len(f) > 2 && f[len(f)-2] == "accepted" && f[len(f)-1] == "rejected" {
			good[f[0]] = strings.Join(f[1:len(f)-2], " ")
		}
	}
	for _, a := range algorithms {
		if tag := good[a.name]; len(tag) != 2*min(a.tagSize, 16) {
			t.Errorf("%s: got tag %q, want %d digits, in\n%s", a.name, tag, 2*min(a.tagSize, 16), stdout)
		}
	}
	for _, name := range append(formatNames(), "blake2b-256", "chacha20-poly1305", "chacha20-poly1305-siv", "xchacha20-blake2b-siv", "aegis-256x2") {
		if _, ok := good[name]; !ok {
			t.Errorf("the output has no row that reports success for %s:\n%s", name, stdout)
		}
	}
}

// TestDemoNotices checks that demo reports protections that do not work.
func TestDemoNotices(t *testing.T) {
	calls := 0
	constantMAC := func(_, _ []byte) (hash.Hash, error) { return constant{fnv.New64()}, nil }
	counter := func(_, _ []byte) (hash.Hash, error) {
		calls++
		h := fnv.New64()
		h.Write([]byte{byte(calls)})
		return h, nil
	}
	brokenMAC := func(_, _ []byte) (hash.Hash, error) { return nil, errors.New("broken") }
	fails := func(_ []byte) (cipher.AEAD, error) { return nil, errors.New("broken") }
	for name, p := range map[string]protection{
		"a MAC that accepts everything":   macProtection(&algorithm{keySize: 16, tagSize: 8, new: constantMAC}),
		"a MAC that rejects everything":   macProtection(&algorithm{keySize: 16, tagSize: 8, new: counter}),
		"a MAC that fails":                macProtection(&algorithm{keySize: 16, tagSize: 8, new: brokenMAC}),
		"an AEAD that opens everything":   aeadProtection("", func([]byte) (cipher.AEAD, error) { return aeadOf{1}, nil }, 16),
		"an AEAD that opens nothing":      aeadProtection("", func([]byte) (cipher.AEAD, error) { return aeadOf{2}, nil }, 16),
		"an AEAD whose constructor fails": aeadProtection("", fails, 16),
		"a stream in an unknown format":   streamProtection(99),
	} {
		good := macProtection(algorithms[0])
		if err := demoTable(io.Discard, "", make([]byte, 1<<10), []protection{p, good}); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

// aeadOf does not encrypt. It opens everything as zeros (kind 1) or rejects everything
// (kind 2).
type aeadOf struct{ kind int }

func (aeadOf) NonceSize() int                        { return 12 }
func (aeadOf) Overhead() int                         { return 0 }
func (aeadOf) Seal(_, _, plaintext, _ []byte) []byte { return plaintext }
func (a aeadOf) Open(_, _, p, _ []byte) ([]byte, error) {
	if a.kind == 2 {
		return nil, errors.New("not authentic")
	}
	return make([]byte, len(p)), nil
}

// constant is a MAC that ignores the message.
type constant struct{ hash.Hash }

func (constant) Write(p []byte) (int, error) { return len(p), nil }

// TestLink checks that a link reports differences between the data sent and the data
// expected.
func TestLink(t *testing.T) {
	sent := bytes.Repeat([]byte("sent"), 100_000)
	for _, tt := range []struct {
		name string
		want []byte
		ok   bool
	}{
		{"equal", sent, true},
		{"expected data is shorter", sent[:len(sent)-1], false},
		{"expected data is longer", append(bytes.Clone(sent), 0), true},
		{"expected data differs in the last byte", append(bytes.Clone(sent[:len(sent)-1]), 'T'), false},
		{"no expected data", nil, false},
	} {
		l, err := newLink(sshpatch.UMAC64, ssh.CipherAES128CTR, tt.want)
		if err != nil {
			t.Fatal(err)
		}
		took, err := send(l, sent)
		if (err == nil) != tt.ok {
			t.Errorf("%s: got error %v, want success %t", tt.name, err, tt.ok)
		}
		if tt.ok && (took <= 0 || took > time.Minute) {
			t.Errorf("%s: got duration %v, want a positive one below a minute", tt.name, took)
		}
		l.Close()
	}
	if _, err := newLink("nosuch", ssh.CipherAES128CTR, nil); err == nil {
		t.Error("newLink with an unknown MAC: got no error")
	}
}

// TestMedians checks rounds as measured on a busy machine: in some rounds, one of the
// links was delayed, and in one round, the machine was idle. The medians must be those
// of the other rounds.
func TestMedians(t *testing.T) {
	rounds := [][]time.Duration{{20, 30}, {20, 400}, {22, 33}, {500, 30}, {5, 33}, {20, 30}, {20, 30}, {900, 10}, {18, 27}}
	if seconds, ratio := medians(rounds, 0, 1); seconds != 20e-9 || ratio != 1.5 {
		t.Errorf("link 0: got %v s, ratio %v, want 20 ns, 1.5", seconds, ratio)
	}
	if seconds, ratio := medians(rounds, 1, 1); seconds != 30e-9 || ratio != 1 {
		t.Errorf("link 1: got %v s, ratio %v, want 30 ns, 1", seconds, ratio)
	}
}
