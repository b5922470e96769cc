// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/fips140"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/unimac/unimac/aegis"
	"github.com/unimac/unimac/chacha20poly1305"
	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/vectors"
)

// TestFormatPage checks the known answers in FORMAT.md.
func TestFormatPage(t *testing.T) {
	page, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(page)), "") // answers may continue on the next line
	key, salt := vectors.Pattern(32), [saltSize]byte(vectors.Pattern(56)[32:])
	data := []byte("name of the file")
	plain := []byte("as much as you like")
	k := *v2
	k.key, k.salt = key, salt
	s, err := deriveV2(key, newV2Head(k.size, &salt), data)
	if err != nil {
		t.Fatal(err)
	}
	commitment := s.commitment
	sum := sha256.Sum256(k.refSeal(t, vectors.Pattern(2048)))
	for name, want := range map[string][]byte{
		"K=": key, "salt=": salt[:], "commitment=": commitment[:], "fileKey=": s.key[:],
		"stream=":                            k.refSealWith(t, &salt, data, plain),
		"withoutadditionaldatagives:stream=": k.refSeal(t, nil),
		"TheSHA-256ofthestreamis:":           sum[:],
		"theplaintext\"asmuchasyoulike\"andtheadditionaldata\"nameofthefile\"give:commitment=": commitment[:],
	} {
		if !strings.Contains(text, name+hex.EncodeToString(want)) {
			t.Errorf("FORMAT.md does not contain %s%x", name, want)
		}
	}
}

// TestFIPS runs this program again in each FIPS 140 mode.
func TestFIPS(t *testing.T) {
	if fips140.Enforced() {
		testOnlyFIPS(t)
		return
	}
	if fips140.Enabled() {
		TestChunkedVectors(t)
		TestVectors(t)
		return
	}
	if strings.Contains(os.Getenv("GODEBUG"), "fips140=o") {
		t.Fatal("FIPS 140 mode is not enabled")
	}
	emulator := mactest.Emulator(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"on", "only"} {
		args := append(emulator, self, "-test.run=^TestFIPS$", "-test.short", "-test.v")
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Env = append(os.Environ(), "GODEBUG=fips140="+mode)
		out, err := cmd.CombinedOutput()
		if bytes.Contains(out, []byte("incompatible with the purego build tag")) {
			t.Skip("Go rejects the mode with -tags purego")
		}
		if err != nil || !bytes.Contains(out, []byte("--- PASS: TestFIPS")) {
			t.Errorf("fips140=%s: %v\n%s", mode, err, out)
		}
	}
}

// testOnlyFIPS checks that each constructor returns the error of the AEAD's
// constructor.
func testOnlyFIPS(t *testing.T) {
	block, err := aes.NewCipher(testKey)
	if err != nil {
		t.Fatal(err)
	}
	_, errGCM := cipher.NewGCM(block)
	_, errChaCha := chacha20poly1305.New(testKey)
	_, errAEGIS := aegis.New(aegis.AEGIS256X2, testKey)
	if errGCM == nil || errChaCha == nil || errAEGIS == nil {
		t.Fatalf("FIPS 140-only mode: got errors %v, %v, %v of the AEADs, want three errors", errGCM, errChaCha, errAEGIS)
	}
	for f, want := range map[Format]error{UnimacV2: nil, Cobblestone128: errGCM, Cobblestone256: errGCM, ChunkedChaCha20Poly1305: errChaCha, ChunkedAEGIS256X2: errAEGIS} {
		o, key := Options{Format: f}, testKey[:f.KeySize()]
		file := refV2(t, largeKinds[0], &testSalt, nil, testKey)
		_, err1 := o.NewWriter(io.Discard, key)
		_, err2 := o.NewSealingReader(bytes.NewReader(nil), key)
		_, err3 := o.NewReader(bytes.NewReader(file), key)
		_, err4 := o.NewReaderAt(bytes.NewReader(file), int64(len(file)), key)
		_, err5 := o.NewOpeningWriter(io.Discard, key)
		for i, err := range []error{err1, err2, err3, err4, err5} {
			if fmt.Sprint(err) != fmt.Sprint(want) {
				t.Errorf("%v: constructor %d: got error %v, want %v", f, i, err, want)
			}
		}
	}
}
