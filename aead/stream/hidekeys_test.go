// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"io"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestFormat checks that package fmt prints no secret.
func TestFormat(t *testing.T) { eachKind(t, largeKinds, testFormat) }

func testFormat(t *testing.T, k *kind) {
	var files [2]bytes.Buffer
	var keys [2][]byte
	var values [2][]any
	for i := range values {
		keys[i] = mactest.Random(len(k.key), uint64(i))
		w, err := k.o.NewWriter(&files[i], keys[i])
		if err != nil {
			t.Fatal(err)
		}
		w.Write(mactest.Random(100_000, uint64(i)))
		values[i] = append(values[i], w)
		o, err := k.o.NewOpeningWriter(io.Discard, keys[i])
		if err != nil {
			t.Fatal(err)
		}
		s, err := k.o.NewSealingReader(bytes.NewReader(mactest.Random(1000, uint64(i))), keys[i])
		if err != nil {
			t.Fatal(err)
		}
		s.Read(make([]byte, 100))
		values[i] = append(values[i], o, s)
		w.Close()
		r, err := k.o.NewReader(bytes.NewReader(files[i].Bytes()), keys[i])
		if err != nil {
			t.Fatal(err)
		}
		r.Read(make([]byte, 10))
		at, err := k.o.NewReaderAt(bytes.NewReader(files[i].Bytes()), int64(files[i].Len()), keys[i])
		if err != nil {
			t.Fatal(err)
		}
		seeker := at.NewReader()
		seeker.Read(make([]byte, 10))
		values[i] = append(values[i], r, at, seeker)
	}
	for i := range values[0] {
		mactest.NothingPrinted(t, false, values[0][i], values[1][i])
	}
}
