// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package vectors

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// AEGISFile is testdata/aegis.json. Its lists belong to the variants 128l, 128x2, 128x4, 256,
// 256x2 and 256x4.
type AEGISFile struct {
	About  string
	AEAD   map[string][]AEGISMessage
	MAC    map[string][]AEGISData
	Stream map[string][]AEGISStream
}

// An AEGISMessage is one sealed message. Its ciphertext does not depend on the size of the tag;
// of a long one the file has the hash alone.
type AEGISMessage struct {
	Key, Nonce     Hex
	AD, Msg        AEGISBytes
	CT             *Hex
	CTHash         Hex `json:"ct_sha256"`
	Tag128, Tag256 Hex
}

// An AEGISData is the data of a message authentication code.
type AEGISData struct {
	Key, Nonce     Hex
	Data           AEGISBytes
	Tag128, Tag256 Hex
}

// An AEGISStream is the ciphertext of zeros.
type AEGISStream struct {
	Key, Nonce, Out Hex
}

// AEGISBytes are written as hexadecimal digits, or as {"pattern": n, "start": s}: n bytes, of
// which byte i is (i + s) mod 251.
type AEGISBytes []byte

// UnmarshalJSON implements [json.Unmarshaler].
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

// AEGIS returns the vectors of testdata/aegis.json. A variant without any ends the calling test.
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
