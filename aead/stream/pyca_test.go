// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestPyca seals with this package and opens with pyca/cryptography, and the other way
// round.
func TestPyca(t *testing.T) {
	python := mactest.PythonWithCobblestone(t)
	type streams struct {
		Bits                    int
		Key, Context            string
		Plain, Sealed, Resealed string
		plaintext, key, context []byte
		format                  Format
	}
	lengths := []int{0, 1, 16383, 16384, 16385, 32768, 1<<20 + 5, 27 << 14, 40 << 20}
	if testing.Short() {
		lengths = lengths[:6]
	}
	dir := t.TempDir()
	var cases []*streams
	for i, n := range lengths {
		for _, f := range []Format{Cobblestone128, Cobblestone256} {
			c := &streams{
				Bits: 8 * f.KeySize(), format: f,
				plaintext: mactest.Random(n, uint64(n)), key: mactest.Random(f.KeySize(), uint64(i)), context: mactest.Random(i*i*40, 3),
			}
			c.Key, c.Context = hex.EncodeToString(c.key), hex.EncodeToString(c.context)
			name := filepath.Join(dir, fmt.Sprintf("%v-%d", f, n))
			c.Plain, c.Sealed, c.Resealed = name, name+".sealed", name+".resealed"
			o := Options{Format: f, AdditionalData: c.context, Concurrency: 1 + i%3}
			salt := [saltSize]byte(mactest.Random(saltSize, uint64(i)))
			for path, data := range map[string][]byte{c.Plain: c.plaintext, c.Sealed: sealWith(t, c.key, &salt, o, 100_000, c.plaintext)} {
				if err := os.WriteFile(path, data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			cases = append(cases, c)
		}
	}
	list, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "cases.json")
	if err := os.WriteFile(path, list, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(python, filepath.Join("testdata", "cobblestone.py"), path).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range cases {
		file, err := os.ReadFile(c.Resealed)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Format: c.format, AdditionalData: c.context}
		if n := o.SealedSize(int64(len(c.plaintext))); n != int64(len(file)) {
			t.Errorf("%v, %d bytes: %d sealed by pyca/cryptography, want %d", c.format, len(c.plaintext), len(file), n)
		}
		for name, open := range openers {
			if got, err := open(c.key, file, o); err != nil || !bytes.Equal(got, c.plaintext) {
				t.Errorf("%v, %d bytes: %s gives %d bytes, %v", c.format, len(c.plaintext), name, len(got), err)
			}
		}
	}
}
