// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"os"
	"path/filepath"
)

// saltpackTest is added to saltpack's package of keys, as saltpack has no benchmarks. A stream is
// sealed in pieces of 1 MiB by secretbox, whose key each receiver finds in a box.
const saltpackTest = `package basic

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/keybase/saltpack"
	"golang.org/x/crypto/nacl/box"
)

var measuredText = bytes.Repeat([]byte("measured"), 16<<20/8)

// measuredKeys has one pair of keys, the same in each run.
func measuredKeys(tb testing.TB) (*Keyring, SecretKey) {
	public, secret, err := box.GenerateKey(bytes.NewReader(make([]byte, 64)))
	if err != nil {
		tb.Fatal(err)
	}
	keyring := NewKeyring()
	keyring.ImportBoxKey(public, secret)
	return keyring, NewSecretKey(public, secret)
}

func measuredEncrypt(tb testing.TB, to io.Writer, key SecretKey) {
	w, err := saltpack.NewEncryptStream(saltpack.CurrentVersion(), to, key, []saltpack.BoxPublicKey{key.GetPublicKey()})
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := w.Write(measuredText); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
}

func measuredDecrypt(tb testing.TB, to io.Writer, from io.Reader, keyring *Keyring) {
	_, r, err := saltpack.NewDecryptStream(saltpack.CheckKnownMajorVersion, from, keyring)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := io.Copy(to, r); err != nil {
		tb.Fatal(err)
	}
}

func BenchmarkMeasuredEncrypt(b *testing.B) {
	_, key := measuredKeys(b)
	for range b.N {
		measuredEncrypt(b, io.Discard, key)
	}
}

func BenchmarkMeasuredDecrypt(b *testing.B) {
	keyring, key := measuredKeys(b)
	var sealed bytes.Buffer
	measuredEncrypt(b, &sealed, key)
	for range b.N {
		measuredDecrypt(b, io.Discard, bytes.NewReader(sealed.Bytes()), keyring)
	}
}

func BenchmarkMeasuredBox(b *testing.B) {
	_, key := measuredKeys(b)
	shared := key.Precompute(key.GetPublicKey())
	for range b.N {
		if _, err := shared.Unbox(saltpack.Nonce{}, shared.Box(saltpack.Nonce{}, measuredText[:16<<10])); err != nil {
			b.Fatal(err)
		}
	}
}

func TestMeasuredSeal(t *testing.T) {
	name := os.Getenv("MEASURED_SEAL")
	if name == "" {
		t.Skip("no file")
	}
	_, key := measuredKeys(t)
	var sealed bytes.Buffer
	measuredEncrypt(t, &sealed, key)
	if err := os.WriteFile(name, sealed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestMeasuredOpen(t *testing.T) {
	name := os.Getenv("MEASURED_OPEN")
	if name == "" {
		t.Skip("no file")
	}
	sealed, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	keyring, _ := measuredKeys(t)
	var opened bytes.Buffer
	measuredDecrypt(t, &opened, bytes.NewReader(sealed), keyring)
	if !bytes.Equal(opened.Bytes(), measuredText) {
		t.Fatal("another text")
	}
}
`

// measureSaltpack encrypts and decrypts as "keybase encrypt" does. Saltpack is a library, so its
// tests get benchmarks.
func measureSaltpack(m *measurement) error {
	for _, build := range builds {
		name := filepath.Join(m.source(build), "basic/measured_test.go")
		if err := os.WriteFile(name, []byte(saltpackTest), 0o666); err != nil {
			return err
		}
	}
	tests, err := m.buildTests("./basic")
	if err != nil || *build {
		return err
	}
	// Each opens what the other sealed.
	for b, test := range tests {
		sealed := filepath.Join(m.dir, builds[b]+"-sealed")
		if err := command(m.dir, nil, "env", "MEASURED_SEAL="+sealed, test, "-test.run=^TestMeasuredSeal$"); err != nil {
			return err
		}
		if err := command(m.dir, nil, "env", "MEASURED_OPEN="+sealed, tests[1-b], "-test.run=^TestMeasuredOpen$"); err != nil {
			return err
		}
	}
	for _, b := range []struct{ what, name string }{
		{"encrypt 16 MiB", "MeasuredEncrypt"},
		{"decrypt 16 MiB", "MeasuredDecrypt"},
		{"seal and open a box of 16 KiB", "MeasuredBox"},
	} {
		if err := m.benchmark(b.what, tests, "basic", b.name); err != nil {
			return err
		}
	}
	return nil
}
