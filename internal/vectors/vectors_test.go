// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package vectors

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestMessage(t *testing.T) {
	for _, tt := range []struct {
		json string
		want []byte
		ok   bool
	}{
		{`{"hex": "00ff10"}`, []byte{0, 255, 16}, true},
		{`{"hex": ""}`, []byte{}, true},
		{`{"pattern": 0}`, []byte{}, true},
		{`{"pattern": 3}`, []byte{0, 1, 2}, true},
		{`{"pattern": -1}`, nil, false},
		{`{"hex": "0"}`, nil, false},
		{`{"hex": "00", "pattern": 1}`, nil, false},
		{`{"text": "a"}`, nil, false},
		{`{}`, nil, false},
	} {
		var m Message
		err := json.Unmarshal([]byte(tt.json), &m)
		if (err == nil) != tt.ok || !bytes.Equal(m.Bytes(), tt.want) || m.Len() != len(tt.want) {
			t.Errorf("%s: %d bytes, %x, %v", tt.json, m.Len(), m.Bytes(), err)
		}
	}
	if p := Pattern(600); p[250] != 250 || p[251] != 0 || p[599] != 599%251 {
		t.Error("Pattern does not repeat after 251 bytes")
	}
}

func TestLoad(t *testing.T) {
	type test struct {
		Bits            int
		Key, Nonce, Tag Hex
		Msg             Message
	}
	for i, v := range Load[test](t, "umac.json") {
		if len(v.Key) != 16 || len(v.Tag) != v.Bits/8 {
			t.Errorf("test %d: key of %d bytes, tag of %d", i, len(v.Key), len(v.Tag))
		}
	}
}
