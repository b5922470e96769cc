// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/unimac/unimac/aead/stream"
)

// A real key is random and secret.
var key = []byte("an example key of thirty-two B.!")

// sealed returns a stream that holds a text.
func sealed(text string) []byte {
	var file bytes.Buffer
	w, err := stream.NewWriter(&file, key)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	return file.Bytes()
}

func ExampleWriter() {
	var file bytes.Buffer
	w, err := stream.NewWriter(&file, key)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := io.Copy(w, strings.NewReader("as much as you like")); err != nil {
		log.Fatal(err)
	}
	// Without Close the end is missing, and the stream counts as truncated.
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(file.Len(), "bytes")
	// Output:
	// 83 bytes
}

func ExampleReader() {
	file := sealed("as much as you like")
	r, err := stream.NewReader(bytes.NewReader(file), key)
	if err != nil {
		log.Fatal(err)
	}
	text, err := io.ReadAll(r)
	fmt.Printf("%q %v\n", text, err)

	file[40] ^= 1
	r, err = stream.NewReader(bytes.NewReader(file), key)
	if err != nil {
		log.Fatal(err)
	}
	text, err = io.ReadAll(r)
	fmt.Printf("%q %v\n", text, errors.Is(err, stream.ErrAuth))
	// Output:
	// "as much as you like" <nil>
	// "" true
}

func ExampleReaderAt() {
	file := sealed("as much as you like")
	r, err := stream.NewReaderAt(bytes.NewReader(file), int64(len(file)), key)
	if err != nil {
		log.Fatal(err)
	}
	part := make([]byte, 4)
	_, err = r.ReadAt(part, 3)
	fmt.Printf("%q of %d bytes, %v\n", part, r.Size(), err)
	// Output:
	// "much" of 19 bytes, <nil>
}
