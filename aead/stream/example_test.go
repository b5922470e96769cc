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
var (
	key      = []byte("an example key of thirty-two B.!")
	otherKey = []byte("a second example key of 32 bytes")
)

func ExampleWriter() {
	var file bytes.Buffer // or an os.File
	w, err := stream.NewWriter(&file, key)
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort() // does nothing after Close
	if _, err := io.Copy(w, strings.NewReader("as much as you like")); err != nil {
		log.Fatal(err) // without Close, the stream has no end and does not open
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(file.Len(), "bytes")
	// Output:
	// 115 bytes
}

func ExampleReader() {
	file := sealed("as much as you like")
	r, err := stream.NewReader(bytes.NewReader(file), key)
	if err != nil {
		log.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil { // some of it is missing, or not authentic
		log.Fatal(err)
	}
	fmt.Printf("%s\n", text)
	// Output:
	// as much as you like
}

// What is wrong with a stream is found with errors.Is.
func ExampleReader_errors() {
	for _, file := range [][]byte{
		append(sealed("some text"), "and something after it"...),
		sealed("some text")[:70],
		sealedUnder(otherKey, "some text"),
		[]byte("this begins with no header of a stream"),
	} {
		r, err := stream.NewReader(bytes.NewReader(file), key)
		if err == nil {
			_, err = io.ReadAll(r)
		}
		switch {
		case errors.Is(err, stream.ErrKey): // an ErrAuth, too, so it is asked first
			fmt.Println("wrong key or additional data")
		case errors.Is(err, stream.ErrAuth):
			fmt.Println("changed")
		case errors.Is(err, stream.ErrTruncated):
			fmt.Println("the end is missing")
		case errors.Is(err, stream.ErrFormat):
			fmt.Println("no stream")
		default:
			fmt.Println("of the reader below:", err)
		}
	}
	// Output:
	// changed
	// the end is missing
	// wrong key or additional data
	// no stream
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

// sealed returns a stream that holds a text.
func sealed(text string) []byte { return sealedUnder(key, text) }

func sealedUnder(key []byte, text string) []byte {
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
