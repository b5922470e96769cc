// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestLibaegis seals with this package and opens with libaegis (through pyaegis), and
// vice versa, and compares the tags of MACs.
func TestLibaegis(t *testing.T) {
	python := mactest.PythonWithAEGIS(t)
	type libaegisCase struct {
		Variant                      string
		Size                         int
		Key, Nonce, AD, Text, Sealed string
	}
	var cases []libaegisCase
	for _, v := range variants {
		for i, n := range []int{0, 1, 15, 16, 31, 64, 100, 127, 128, 1420, 70_000} {
			size := 16 << (i % 2)
			key, nonce := mactest.Random(v.KeySize(), uint64(n)), mactest.Random(v.NonceSize(), uint64(n)+1)
			ad, text := mactest.Random(i*i*9, 2), mactest.Random(n, 3)
			sealed := mustAEAD(t, v.Variant, key, size).Seal(nil, nonce, text, ad)
			cases = append(cases, libaegisCase{strings.ToUpper(v.file), size, hex.EncodeToString(key), hex.EncodeToString(nonce),
				hex.EncodeToString(ad), hex.EncodeToString(text), hex.EncodeToString(sealed)})
		}
	}
	list, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := exec.Command(python, filepath.Join("testdata", "libaegis.py"))
	cmd.Stdin, cmd.Stderr = bytes.NewReader(list), &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	var answers []struct{ Sealed, Code string }
	if err := json.Unmarshal(out, &answers); err != nil || len(answers) != len(cases) {
		t.Fatalf("libaegis: %d answers, error %v, want %d answers", len(answers), err, len(cases))
	}
	unhex := func(s string) []byte {
		b, err := hex.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for i, c := range cases {
		v := variants[i/(len(cases)/len(variants))].Variant
		text, sealed := unhex(c.Text), unhex(answers[i].Sealed)
		a := mustAEAD(t, v, unhex(c.Key), c.Size)
		if opened, err := a.Open(nil, unhex(c.Nonce), sealed, unhex(c.AD)); err != nil || !bytes.Equal(opened, text) {
			t.Errorf("%v, %d bytes sealed by libaegis: Open: got wrong plaintext or error %v", v, len(text), err)
		}
		m := mustMAC(t, v, unhex(c.Key), unhex(c.Nonce), c.Size)
		m.Write(text)
		if !m.Verify(unhex(answers[i].Code)) {
			t.Errorf("%v, %d bytes: MAC and libaegis compute different tags", v, len(text))
		}
	}
}
