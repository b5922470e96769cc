// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestTrailing has a stream go on after its last chunk, where that is whole, where it is
// not, and where the next job would begin.
func TestTrailing(t *testing.T) { eachKind(t, smallKinds, testTrailing) }

func testTrailing(t *testing.T, k *kind) {
	for _, n := range []int{0, 1, 1023, 1024, 2048, 8192, 9000, 200 << 10} {
		plaintext := mactest.Random(n, 15)
		file := k.refSeal(t, plaintext)
		for _, more := range []int{1, 7, 8, 9, 15, 16, 17, 31, 32, 33, k.stride()} {
			k.checkBad(t, fmt.Sprintf("%d bytes and %d more", n, more),
				append(bytes.Clone(file), mactest.Random(more, 16)...), plaintext, ErrAuth)
		}
		k.checkBad(t, fmt.Sprintf("%d bytes twice", n), append(bytes.Clone(file), file[k.header:]...), plaintext, ErrAuth)
	}
}

// TestOpeningWriterKeepsData changes the additional data and the key after
// NewOpeningWriter has returned, and before the header comes.
func TestOpeningWriterKeepsData(t *testing.T) { eachKind(t, smallKinds, testOpeningWriterKeepsData) }

func testOpeningWriterKeepsData(t *testing.T, k *kind) {
	data, plaintext, key := []byte("additional data"), mactest.Random(100, 17), bytes.Clone(k.key)
	file := k.refSealWith(t, &k.salt, data, plaintext)
	var opened bytes.Buffer
	o := k.o
	o.AdditionalData = data
	w, err := o.NewOpeningWriter(&opened, key)
	if err != nil {
		t.Fatal(err)
	}
	clear(data)
	clear(key)
	_, err = w.Write(file)
	if closeErr := w.Close(); err != nil || closeErr != nil || !bytes.Equal(opened.Bytes(), plaintext) {
		t.Errorf("%d bytes, %v, %v", opened.Len(), err, closeErr)
	}
}
