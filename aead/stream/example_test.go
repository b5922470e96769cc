// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"github.com/unimac/unimac/aead/stream"
)

// Real keys must be random and secret.
var (
	key      = []byte("an example key of thirty-two B.!")
	otherKey = []byte("a second example key of 32 bytes")
)

func ExampleWriter() {
	key := make([]byte, stream.KeySize)
	rand.Read(key)        // only once: save the key, because nothing can be opened without it
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
	if err != nil { // the stream is truncated or not authentic
		log.Fatal(err)
	}
	fmt.Printf("%s\n", text)
	// Output:
	// as much as you like
}

// Use errors.Is to find out what is wrong with a stream.
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
		case errors.Is(err, stream.ErrKey): // check it first, because it is also an ErrAuth
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

// Additional data binds a stream to a context that both sides know. Here, it is the name
// under which the file is stored, so nobody can swap two files that have the same key.
func ExampleOptions() {
	options := stream.Options{AdditionalData: []byte("reports/2026.txt")}
	var file bytes.Buffer
	w, err := options.NewWriter(&file, key)
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort()
	if _, err := io.WriteString(w, "a report"); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"reports/2026.txt", "reports/2025.txt"} {
		options := stream.Options{AdditionalData: []byte(name)}
		r, err := options.NewReader(bytes.NewReader(file.Bytes()), key)
		if errors.Is(err, stream.ErrKey) {
			fmt.Println(name, "- wrong key or additional data")
			continue
		}
		text, err := io.ReadAll(r)
		fmt.Printf("%s - %s, %v\n", name, text, err)
	}
	// Output:
	// reports/2026.txt - a report, <nil>
	// reports/2025.txt - wrong key or additional data
}

// Other programs can open streams in a format of c2sp.org/chunked-encryption.
func ExampleFormat() {
	key := []byte("an example key A")
	var file bytes.Buffer
	options := stream.Options{Format: stream.Cobblestone128}
	w, err := options.NewWriter(&file, key) // a key of options.Format.KeySize() bytes
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort()
	if _, err := io.WriteString(w, "as much as you like"); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(file.Len(), "bytes")
	r, err := options.NewReader(&file, key)
	if err != nil {
		log.Fatal(err)
	}
	text, err := io.ReadAll(r)
	fmt.Printf("%s, %v\n", text, err)
	// Output:
	// 91 bytes
	// as much as you like, <nil>
}

// To change the key of a stream, open it and seal it again in one pass, without writing
// the plaintext to disk.
func Example_rekey() {
	file := sealed("as much as you like") // under key

	rekey := func(dst io.Writer, src io.Reader, from, to []byte) error {
		r, err := stream.NewReader(src, from)
		if err != nil {
			return err
		}
		w, err := stream.NewWriter(dst, to)
		if err != nil {
			return err
		}
		defer w.Abort() // if the old stream is damaged, the new one has no end
		if _, err := io.Copy(w, r); err != nil {
			return err
		}
		return w.Close()
	}
	var again bytes.Buffer
	if err := rekey(&again, bytes.NewReader(file), key, otherKey); err != nil {
		log.Fatal(err)
	}
	r, err := stream.NewReader(&again, otherKey)
	if err != nil {
		log.Fatal(err)
	}
	text, err := io.ReadAll(r)
	fmt.Printf("%s, %v\n", text, err)
	// Output:
	// as much as you like, <nil>
}

// A sealed file is served over HTTP. A range request reads and opens only the chunks that
// contain the range.
func ExampleReaderAt_NewReader() {
	file := sealed("as much as you like") // or an os.File and its size
	at, err := stream.NewReaderAt(bytes.NewReader(file), int64(len(file)), key)
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		content := at.NewReader()
		defer content.Close()
		http.ServeContent(w, req, "file.txt", time.Time{}, content)
	}))
	defer server.Close()

	req, err := http.NewRequest("GET", server.URL, nil)
	if err != nil {
		log.Fatal(err)
	}
	req.Header.Set("Range", "bytes=3-6")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	part, err := io.ReadAll(resp.Body)
	fmt.Printf("%s, %q, %v\n", resp.Header.Get("Content-Range"), part, err)
	// Output:
	// bytes 3-6/19, "much", <nil>
}

// A file is sealed while it is sent as the body of a request and opened while it is
// received. The length of the body is known in advance.
func ExampleSealingReader() {
	const text = "as much as you like"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var file bytes.Buffer
		opened, err := stream.NewOpeningWriter(&file, key)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := io.Copy(opened, req.Body); err != nil {
			log.Fatal(err)
		}
		if err := opened.Close(); err != nil { // fails if the stream is truncated
			log.Fatal(err)
		}
		fmt.Fprintf(w, "%d bytes: %s", req.ContentLength, &file)
	}))
	defer server.Close()

	body, err := stream.NewSealingReader(strings.NewReader(text), key)
	if err != nil {
		log.Fatal(err)
	}
	req, err := http.NewRequest("POST", server.URL, body)
	if err != nil {
		log.Fatal(err)
	}
	req.ContentLength = stream.SealedSize(int64(len(text)))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	fmt.Printf("%s, %v\n", answer, err)
	// Output:
	// 115 bytes: as much as you like, <nil>
}

// An OpeningWriter opens a stream that arrives in pieces, here of 10 bytes.
func ExampleOpeningWriter() {
	var text bytes.Buffer
	w, err := stream.NewOpeningWriter(&text, key)
	if err != nil {
		log.Fatal(err)
	}
	for piece := range slices.Chunk(sealed("as much as you like"), 10) {
		if _, err := w.Write(piece); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil { // the stream is truncated or not authentic
		log.Fatal(err)
	}
	fmt.Println(&text)
	// Output:
	// as much as you like
}

// With Damaged, a stream that lost its end and a byte in the middle still gives every chunk
// that is authentic. The size of a chunk is a multiple of MinChunkSize in every format.
func ExampleReaderAt_damaged() {
	file := sealed(strings.Repeat("as much as you like\n", 10_000)) // four chunks
	file[100_000] ^= 1                                              // in the second one
	file = file[:len(file)-100]

	options := stream.Options{Damaged: true}
	r, err := options.NewReaderAt(bytes.NewReader(file), int64(len(file)), key)
	if err != nil {
		log.Fatal(err) // the key is wrong, or the header is damaged
	}
	var saved, lost int64
	part := make([]byte, stream.MinChunkSize)
	for off := int64(0); off < r.Size(); off += stream.MinChunkSize {
		n, err := r.ReadAt(part[:min(stream.MinChunkSize, r.Size()-off)], off)
		saved += int64(n) // part[:n] is authentic
		if err != nil {
			lost += min(stream.MinChunkSize, r.Size()-off) - int64(n)
		}
	}
	fmt.Println(saved, "bytes saved,", lost, "bytes lost")
	if _, err := r.ReadAt(part, r.Size()); err != io.EOF {
		fmt.Println("and perhaps more after them:", err)
	}
	// Output:
	// 131072 bytes saved, 68828 bytes lost
	// and perhaps more after them: stream: authentication failed (chunk 3)
}

// One request to an object store fetches all bytes that ReadAt needs.
func ExampleReaderAt_SealedRange() {
	file := sealed(strings.Repeat("as much as you like\n", 10_000))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		fmt.Println(req.Header.Get("Range"))
		http.ServeContent(w, req, "object", time.Time{}, bytes.NewReader(file))
	}))
	defer server.Close()

	store := &object{url: server.URL}
	r, err := stream.NewReaderAt(store, int64(len(file)), key) // requests the header and the last chunk
	if err != nil {
		log.Fatal(err)
	}
	part := make([]byte, 100_000)
	if err := store.fetch(r.SealedRange(10, int64(len(part)))); err != nil {
		log.Fatal(err)
	}
	n, err := r.ReadAt(part, 10)
	fmt.Println(n, "bytes,", err)
	// Output:
	// bytes=0-63
	// bytes=196768-200191
	// bytes=64-131199
	// 100000 bytes, <nil>
}

// An object reads from a URL and keeps the range that fetch requested last.
type object struct {
	url  string
	from int64
	data []byte
}

func (o *object) fetch(from, to int64) error {
	req, err := http.NewRequest("GET", o.url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", from, to-1))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err == nil && (resp.StatusCode != http.StatusPartialContent || int64(len(data)) != to-from) {
		err = fmt.Errorf("%s, %d bytes, want %d", resp.Status, len(data), to-from)
	}
	o.from, o.data = from, data
	return err
}

func (o *object) ReadAt(p []byte, off int64) (int, error) {
	if off < o.from || off+int64(len(p)) > o.from+int64(len(o.data)) {
		if err := o.fetch(off, off+int64(len(p))); err != nil {
			return 0, err
		}
	}
	return copy(p, o.data[off-o.from:]), nil
}

// sealed returns a stream that contains text.
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
