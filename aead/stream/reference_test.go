// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/chacha20poly1305"

	"github.com/unimac/unimac/aead"
	"github.com/unimac/unimac/aegis"
	"github.com/unimac/unimac/internal/mactest"
)

// refSealWith seals with the reference implementation of the format.
func (k *kind) refSealWith(tb testing.TB, salt *[saltSize]byte, data, plaintext []byte) []byte {
	tb.Helper()
	if k.shortEnd() {
		return refChunked(tb, k, salt, data, plaintext)
	}
	return refV2(tb, k, salt, data, plaintext)
}

// refV2 implements unimac stream v2.
func refV2(tb testing.TB, k *kind, salt *[saltSize]byte, data, plaintext []byte) []byte {
	tb.Helper()
	e := byte(0)
	for 1<<e < k.size {
		e++
	}
	file := append([]byte("unimac2"), e)
	file = append(file, salt[:]...)
	kdf, err := blake2b.New(64, k.key)
	if err != nil {
		tb.Fatal(err)
	}
	kdf.Write([]byte("unimac stream v2"))
	kdf.Write(file)
	kdf.Write(data)
	kdf.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(data))))
	derived := kdf.Sum(nil)
	file = append(file, derived[32:]...)
	a, err := aead.New(derived[:32])
	if err != nil {
		tb.Fatal(err)
	}
	for i := 0; i < 1<<24; i++ {
		n := min(len(plaintext), k.size)
		nonce := []byte{0, 0, 0, 0, byte(i >> 16), byte(i >> 8), byte(i), 0}
		if n == len(plaintext) {
			nonce[7] = 1
		}
		file = a.Seal(file, nonce, plaintext[:n], nil)
		plaintext = plaintext[n:]
		if len(plaintext) == 0 {
			return file
		}
	}
	tb.Fatal("too many chunks for the reference")
	return nil
}

// refChunked implements c2sp.org/chunked-encryption.
func refChunked(tb testing.TB, k *kind, salt *[saltSize]byte, context, plaintext []byte) []byte {
	tb.Helper()
	name, newAEAD, nonceSize := "AEAD_CHACHA20_POLY1305", chacha20poly1305.New, 12
	if strings.HasPrefix(k.name, "ChunkedAEGIS256X2") {
		name, nonceSize = "AEAD_AEGIS256X2", 32
		newAEAD = func(key []byte) (cipher.AEAD, error) { return aegis.NewWithTagSize(aegis.AEGIS256X2, key, 16) }
	}
	if strings.HasPrefix(k.name, "Cobblestone") {
		name = map[int]string{16: "AEAD_AES_128_GCM", 32: "AEAD_AES_256_GCM"}[len(k.key)]
		newAEAD = func(key []byte) (cipher.AEAD, error) {
			block, err := aes.NewCipher(key)
			if err != nil {
				return nil, err
			}
			return cipher.NewGCM(block)
		}
	}
	// HKDF-Expand (RFC 5869).
	info := append([]byte("c2sp.org/chunked-encryption@v1+"+name), 0)
	info = append(append(info, salt[:]...), context...)
	var derived, last []byte
	for i := byte(1); i <= 2; i++ {
		mac := hmac.New(sha512.New, k.key)
		mac.Write(last)
		mac.Write(info)
		mac.Write([]byte{i})
		last = mac.Sum(nil)
		derived = append(derived, last...)
	}
	a, err := newAEAD(derived[:len(k.key)])
	if err != nil {
		tb.Fatal(err)
	}
	base, commitment := derived[len(k.key):][:nonceSize], derived[len(k.key)+nonceSize:][:32]
	file := make([]byte, 0, 56+len(plaintext)+16*(len(plaintext)/k.size+1)) // allocated in advance, because Seal would copy it each time
	file = append(append(file, salt[:]...), commitment...)
	for i := 0; i < 1<<24; i++ {
		chunk := plaintext[:min(len(plaintext), k.size)]
		plaintext = plaintext[len(chunk):]
		nonce := append([]byte{}, base...)
		for j, b := range []byte{byte(i >> 16), byte(i >> 8), byte(i)} {
			nonce[nonceSize-3+j] ^= b
		}
		file = a.Seal(file, nonce, chunk, nil)
		if len(chunk) < k.size {
			return file
		}
	}
	tb.Fatal("too many chunks for the reference")
	return nil
}

// TestPyca seals with this package and opens with pyca/cryptography, and vice versa.
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
			t.Errorf("%v, %d bytes: pyca/cryptography's stream has %d bytes, want %d", c.format, len(c.plaintext), len(file), n)
		}
		for name, open := range openers {
			if got, err := open(c.key, file, o); err != nil || !bytes.Equal(got, c.plaintext) {
				t.Errorf("%v, %d bytes: %s: got %d bytes, error %v, want the plaintext", c.format, len(c.plaintext), name, len(got), err)
			}
		}
	}
}
