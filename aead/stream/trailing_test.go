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
func TestTrailing(t *testing.T) {
	for _, n := range []int{0, 1, 1023, 1024, 2048, 8192, 9000, 200 << 10} {
		plaintext := mactest.Random(n, 15)
		file := refSeal(t, testKey, &testSalt, 10, plaintext)
		for _, more := range []int{1, 15, 16, 17, 31, 32, 33, 1056} {
			checkBad(t, fmt.Sprintf("%d bytes and %d more", n, more), testKey,
				append(bytes.Clone(file), mactest.Random(more, 16)...), plaintext, ErrAuth)
		}
		checkBad(t, fmt.Sprintf("%d bytes twice", n), testKey, append(bytes.Clone(file), file[headerSize:]...), plaintext, ErrAuth)
	}
}

// TestOpeningWriterKeepsData changes the additional data after NewOpeningWriter has
// returned, and before the header comes.
func TestOpeningWriterKeepsData(t *testing.T) {
	data, plaintext := []byte("additional data"), mactest.Random(100, 17)
	file := refSealWith(t, testKey, &testSalt, 10, data, plaintext)
	var opened bytes.Buffer
	w, err := Options{AdditionalData: data}.NewOpeningWriter(&opened, testKey)
	if err != nil {
		t.Fatal(err)
	}
	clear(data)
	_, err = w.Write(file)
	if closeErr := w.Close(); err != nil || closeErr != nil || !bytes.Equal(opened.Bytes(), plaintext) {
		t.Errorf("%d bytes, %v, %v", opened.Len(), err, closeErr)
	}
}
