// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package vectors loads the test vectors in testdata/*.json. Each file contains an
// object with a list named "tests". Byte strings are encoded in hexadecimal or, if they
// are long, as a pattern (see [Message]).
package vectors

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Hex is a byte string encoded in hexadecimal.
type Hex []byte

// UnmarshalText implements [encoding.TextUnmarshaler].
func (h *Hex) UnmarshalText(text []byte) error {
	b, err := hex.DecodeString(string(text))
	*h = b
	return err
}

// A Message is a byte string. In JSON, it is written as {"hex": "…"} or {"pattern": n}.
// Byte i of the n-byte pattern is i mod 251.
type Message struct {
	hex     []byte
	pattern int
}

// Len returns the number of bytes without allocating the pattern.
func (m Message) Len() int { return len(m.hex) + m.pattern }

// Bytes returns the message, which the caller must not change.
func (m Message) Bytes() []byte {
	if m.pattern > 0 {
		return shared(m.pattern)
	}
	return m.hex
}

func (m *Message) UnmarshalJSON(data []byte) error {
	var form struct {
		Hex     *Hex
		Pattern *int
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&form); err != nil {
		return err
	}
	switch {
	case form.Hex != nil && form.Pattern == nil:
		*m = Message{hex: *form.Hex}
	case form.Pattern != nil && form.Hex == nil && *form.Pattern >= 0:
		*m = Message{pattern: *form.Pattern}
	default:
		return fmt.Errorf("vectors: message %s is neither hex nor a pattern", data)
	}
	return nil
}

var longest struct {
	sync.Mutex
	pattern []byte
}

// shared returns Pattern(n). Large results are prefixes of one shared array.
func shared(n int) []byte {
	if n < 1<<20 {
		return Pattern(n)
	}
	longest.Lock()
	defer longest.Unlock()
	if n > len(longest.pattern) {
		longest.pattern = Pattern(n)
	}
	return longest.pattern[:n:n]
}

// Pattern returns n bytes, where byte i is i mod 251.
func Pattern(n int) []byte {
	unit := make([]byte, 251)
	for i := range unit {
		unit[i] = byte(i)
	}
	return bytes.Repeat(unit, n/len(unit)+1)[:n]
}

// Load returns the list of tests in testdata/name. The calling test fails if the file
// cannot be read, if a test has a field that T lacks, or if the list is empty.
func Load[T any](tb testing.TB, name string) []T {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(root(tb), "testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	var file struct{ Tests []json.RawMessage }
	if err := json.Unmarshal(data, &file); err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	if len(file.Tests) == 0 {
		tb.Fatalf("%s holds no test", name)
	}
	tests := make([]T, len(file.Tests))
	for i, raw := range file.Tests {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&tests[i]); err != nil {
			tb.Fatalf("%s: test %d: %v", name, i, err)
		}
	}
	return tests
}

func root(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "testdata", "umac.json")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			tb.Fatal("no testdata folder in this folder or above it")
		}
		dir = parent
	}
}

// An AEGISFile contains the test vectors of testdata/aegis.json. The keys of its maps
// are the variants 128l, 128x2, 128x4, 256, 256x2 and 256x4.
type AEGISFile struct {
	About  string
	AEAD   map[string][]AEGISMessage
	MAC    map[string][]AEGISData
	Stream map[string][]AEGISStream
}

// An AEGISMessage is a test vector for sealing.
type AEGISMessage struct {
	Key, Nonce     Hex
	AD, Msg        AEGISBytes
	CT             *Hex // the ciphertext for both tag sizes, or nil if it is long
	CTHash         Hex  `json:"ct_sha256"` // hash of the ciphertext if CT is nil
	Tag128, Tag256 Hex
}

type AEGISData struct {
	Key, Nonce     Hex
	Data           AEGISBytes
	Tag128, Tag256 Hex
}

// An AEGISStream is the keystream, the ciphertext of zeros.
type AEGISStream struct {
	Key, Nonce, Out Hex
}

// AEGISBytes is a byte string. Its JSON is hexadecimal or {"pattern": n, "start": s}.
// Byte i of the n-byte pattern is (i + s) mod 251.
type AEGISBytes []byte

func (b *AEGISBytes) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		decoded, err := hex.DecodeString(text)
		*b = decoded
		return err
	}
	var form struct{ Pattern, Start int }
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&form); err != nil {
		return err
	}
	*b = Pattern(form.Start + form.Pattern)[form.Start:]
	return nil
}

// AEGIS returns the vectors of testdata/aegis.json. The test fails if a variant has no
// vectors.
func AEGIS(tb testing.TB) *AEGISFile {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(root(tb), "testdata", "aegis.json"))
	if err != nil {
		tb.Fatal(err)
	}
	var file AEGISFile
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		tb.Fatal(err)
	}
	for _, v := range []string{"128l", "128x2", "128x4", "256", "256x2", "256x4"} {
		if len(file.AEAD[v]) == 0 || len(file.MAC[v]) == 0 || len(file.Stream[v]) == 0 {
			tb.Fatalf("aegis.json: no vectors of %s", v)
		}
	}
	return &file
}
