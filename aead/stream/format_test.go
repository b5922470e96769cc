// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/vectors"
)

// TestFormatPage computes the known answers that FORMAT.md has.
func TestFormatPage(t *testing.T) {
	page, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(page)), "") // answers go on in the next line
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
		"stream=":                       k.refSealWith(t, &salt, data, plain),
		"withoutadditionaldata:stream=": k.refSeal(t, nil),
		"nothird.SHA-256ofthestream:":   sum[:],
		"theplaintext\"asmuchasyoulike\"withtheadditionaldata\"nameofthefile\":commitment=": commitment[:],
	} {
		if !strings.Contains(text, name+hex.EncodeToString(want)) {
			t.Errorf("FORMAT.md has no %s%x", name, want)
		}
	}
}
