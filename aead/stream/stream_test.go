// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"golang.org/x/crypto/blake2b"

	"github.com/unimac/unimac/aead"
	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/vectors"
)

var (
	testKey  = mactest.Random(32, 1)
	testSalt = [saltSize]byte(mactest.Random(saltSize, 2))

	// goroutines are what everything is tested with.
	goroutines = []int{1, 2, 5}
)

// refSeal is the definition.
func refSeal(tb testing.TB, key []byte, salt *[saltSize]byte, e int, plaintext []byte) []byte {
	tb.Helper()
	file := append([]byte("unimac1"), byte(e))
	file = append(file, salt[:]...)
	kdf, err := blake2b.New(32, key)
	if err != nil {
		tb.Fatal(err)
	}
	kdf.Write([]byte("unimac stream v1"))
	kdf.Write(file)
	a, err := aead.New(kdf.Sum(nil))
	if err != nil {
		tb.Fatal(err)
	}
	for i := byte(0); ; i++ {
		n := min(len(plaintext), 1<<e)
		nonce := []byte{0, 0, 0, 0, 0, 0, i, 0}
		if n == len(plaintext) {
			nonce[7] = 1
		}
		file = a.Seal(file, nonce, plaintext[:n], nil)
		plaintext = plaintext[n:]
		if len(plaintext) == 0 {
			return file
		}
		if i == 255 {
			tb.Fatal("too many chunks for the reference")
		}
	}
}

// seal seals in pieces.
func seal(tb testing.TB, key []byte, salt *[saltSize]byte, e, goroutines, piece int, plaintext []byte) []byte {
	tb.Helper()
	var file bytes.Buffer
	w, err := newWriter(&file, key, salt, e, goroutines)
	if err != nil {
		tb.Fatal(err)
	}
	for rest := plaintext; len(rest) > 0; {
		n := min(piece, len(rest))
		scratch := bytes.Clone(rest[:n])
		if m, err := w.Write(scratch); m != n || err != nil {
			tb.Fatalf("Write of %d bytes = %d, %v", n, m, err)
		}
		clear(scratch) // it is the caller's again
		rest = rest[n:]
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return file.Bytes()
}

// open opens with a Reader; what it returns beside an error is what came before.
func open(key, file []byte, goroutines int) ([]byte, error) {
	r, err := newReader(bytes.NewReader(file), key, goroutines)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// openAt opens with a ReaderAt.
func openAt(key, file []byte, goroutines int) ([]byte, error) {
	r, err := newReaderAt(bytes.NewReader(file), int64(len(file)), key, goroutines)
	if err != nil {
		return nil, err
	}
	p := make([]byte, r.Size())
	n, err := r.ReadAt(p, 0)
	return p[:n], err
}

func TestVectors(t *testing.T) {
	type test struct {
		Key, Salt, File, FileSHA256 vectors.Hex
		ChunkLog2                   int
		Msg                         vectors.Message
	}
	for i, v := range vectors.Load[test](t, "stream.json") {
		for _, g := range goroutines {
			salt := [saltSize]byte(v.Salt)
			file := seal(t, v.Key, &salt, v.ChunkLog2, g, 1000, v.Msg)
			if sum := sha256.Sum256(file); !bytes.Equal(sum[:], v.FileSHA256) {
				t.Errorf("test %d: wrong file", i)
			}
			if len(v.File) > 0 && !bytes.Equal(file, v.File) {
				t.Errorf("test %d: file %x, want %x", i, file, []byte(v.File))
			}
			for name, open := range openers {
				if got, err := open(v.Key, file, g); err != nil || !bytes.Equal(got, v.Msg) {
					t.Errorf("test %d: %s gives %d bytes, %v", i, name, len(got), err)
				}
			}
		}
	}
}

// openers are the two ways to open a file.
var openers = map[string]func(key, file []byte, goroutines int) ([]byte, error){"Reader": open, "ReaderAt": openAt}

// TestReference compares with the definition around the ends of chunks and of
// what a goroutine gets, for writes of all sizes.
func TestReference(t *testing.T) {
	for _, tt := range []struct {
		e       int
		lengths []int
	}{
		{10, []int{0, 1, 1023, 1024, 1025, 2048, 2049, 5000, 100 << 10}},
		{16, []int{65535, 65536, 65537, 1<<19 - 1, 1 << 19, 1<<19 + 1, 1 << 20, 1<<20 + 1, 3<<20 + 5}},
		{20, []int{1<<20 - 1, 1 << 20, 1<<20 + 1, 3<<20 + 9}},
	} {
		for _, n := range tt.lengths {
			plaintext := mactest.Random(n, 3)
			want := refSeal(t, testKey, &testSalt, tt.e, plaintext)
			for _, g := range goroutines {
				pieces := []int{999, 32 << 10, 1<<19 - 1, 1 << 19, 1<<19 + 1, 1 << 30}
				if testing.Short() {
					pieces = []int{1<<19 + 1}
				}
				for _, piece := range pieces {
					if got := seal(t, testKey, &testSalt, tt.e, g, piece, plaintext); !bytes.Equal(got, want) {
						t.Fatalf("e %d, %d bytes in pieces of %d, %d goroutines: wrong file", tt.e, n, piece, g)
					}
				}
				for name, open := range openers {
					if got, err := open(testKey, want, g); err != nil || !bytes.Equal(got, plaintext) {
						t.Fatalf("e %d, %d bytes, %d goroutines: %s gives %d bytes, %v", tt.e, n, g, name, len(got), err)
					}
				}
			}
		}
	}
}

// TestPublic uses what is exported alone: other salts each time, chunks of 64 KiB.
func TestPublic(t *testing.T) {
	plaintext := mactest.Random(200001, 4)
	var files [2]bytes.Buffer
	for i := range files {
		w, err := NewWriter(&files[i], testKey)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := w.Write(plaintext); n != len(plaintext) || err != nil {
			t.Fatal(n, err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		file := files[i].Bytes()
		if len(file) != 32+len(plaintext)+4*32 || !bytes.HasPrefix(file, []byte("unimac1\x10")) {
			t.Errorf("%d bytes that begin with %q", len(file), file[:8])
		}
		if want := refSeal(t, testKey, (*[saltSize]byte)(file[8:]), 16, plaintext); !bytes.Equal(file, want) {
			t.Error("wrong file")
		}
		r, err := NewReader(bytes.NewReader(file), testKey)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, plaintext) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		at, err := NewReaderAt(bytes.NewReader(file), int64(len(file)), testKey)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(io.NewSectionReader(at, 0, at.Size())); err != nil || !bytes.Equal(got, plaintext) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	}
	if bytes.Equal(files[0].Bytes()[8:32], files[1].Bytes()[8:32]) {
		t.Error("two files have one salt")
	}
}

func TestKeyErrors(t *testing.T) {
	file := refSeal(t, testKey, &testSalt, 10, nil)
	for n := range 70 {
		want := "<nil>"
		if n != 32 {
			want = fmt.Sprintf("stream: key of %d bytes, want 32", n)
		}
		key := append(bytes.Clone(testKey), make([]byte, 70)...)[:n]
		if w, err := NewWriter(io.Discard, key); fmt.Sprint(err) != want || (w == nil) != (err != nil) {
			t.Errorf("NewWriter with a key of %d bytes: %v, want %s", n, err, want)
		}
		if r, err := NewReader(bytes.NewReader(file), key); fmt.Sprint(err) != want || (r == nil) != (err != nil) {
			t.Errorf("NewReader with a key of %d bytes: %v, want %s", n, err, want)
		}
		if r, err := NewReaderAt(bytes.NewReader(file), int64(len(file)), key); fmt.Sprint(err) != want || (r == nil) != (err != nil) {
			t.Errorf("NewReaderAt with a key of %d bytes: %v, want %s", n, err, want)
		}
	}
}

// kind says which of the three errors err is.
func kind(err error) error {
	var kinds []error
	for _, k := range []error{ErrFormat, ErrTruncated, ErrAuth} {
		if errors.Is(err, k) {
			kinds = append(kinds, k)
		}
	}
	if len(kinds) != 1 {
		return fmt.Errorf("%v is %d of the three errors", err, len(kinds))
	}
	return kinds[0]
}

// checkBad opens a file that must not open with an error of the given kind, and
// checks that what was handed out before is a prefix of the plaintext.
func checkBad(t *testing.T, what string, key, file, plaintext []byte, want error) {
	t.Helper()
	for name, open := range openers {
		for _, g := range goroutines {
			got, err := open(key, file, g)
			if err == nil {
				t.Errorf("%s: %s opens it", what, name)
			} else if kind(err) != want {
				t.Errorf("%s: %s: error %v, want %v", what, name, err, want)
			}
			if !bytes.HasPrefix(plaintext, got) {
				t.Errorf("%s: %s handed out what is not authentic", what, name)
			}
		}
	}
}

// layout is a file in its parts.
type layout struct {
	header []byte
	chunks [][]byte
}

func layOut(file []byte, e int) layout {
	l := layout{header: file[:32]}
	for rest := file[32:]; len(rest) > 0; {
		n := min(1<<e+32, len(rest))
		l.chunks, rest = append(l.chunks, rest[:n]), rest[n:]
	}
	return l
}

func (l layout) file(chunks ...int) []byte {
	file := bytes.Clone(l.header)
	for _, i := range chunks {
		file = append(file, l.chunks[i]...)
	}
	return file
}

// TestChunks takes chunks away, repeats and exchanges them.
func TestChunks(t *testing.T) {
	for _, n := range []int{3 << 10, 4<<10 - 100, 1<<12 - 1} {
		plaintext := mactest.Random(n, 5)
		l := layOut(refSeal(t, testKey, &testSalt, 10, plaintext), 10)
		last := len(l.chunks) - 1
		all := make([]int, len(l.chunks))
		for i := range all {
			all[i] = i
		}
		if got, err := open(testKey, l.file(all...), 1); err != nil || !bytes.Equal(got, plaintext) {
			t.Fatal(err)
		}
		check := func(want error, chunks ...int) {
			t.Helper()
			checkBad(t, fmt.Sprintf("%d bytes, chunks %v", n, chunks), testKey, l.file(chunks...), plaintext, want)
		}
		for i := range all { // the end is missing
			check(ErrTruncated, all[:i]...)
		}
		for i := range all[:last] { // a chunk is missing, or there twice
			check(ErrAuth, append(append([]int{}, all[:i]...), all[i+1:]...)...)
			check(ErrAuth, append(append([]int{}, all[:i+1]...), all[i:]...)...)
		}
		check(ErrAuth, append(append([]int{}, all...), last)...)
		check(ErrAuth, append(append([]int{}, all...), 0)...)
		for i := range all {
			for j := range i {
				swapped := append([]int{}, all...)
				swapped[i], swapped[j] = j, i
				check(ErrAuth, swapped...)
			}
		}
		// A chunk of another file under the same key.
		otherSalt := testSalt
		otherSalt[0] ^= 1
		other := layOut(refSeal(t, testKey, &otherSalt, 10, plaintext), 10)
		for i := range all {
			mixed := layout{l.header, append([][]byte{}, l.chunks...)}
			mixed.chunks[i] = other.chunks[i]
			checkBad(t, fmt.Sprintf("chunk %d of another file", i), testKey, mixed.file(all...), plaintext, ErrAuth)
		}
	}
}

// TestTruncated cuts files at every byte, and extends them.
func TestTruncated(t *testing.T) {
	lengths := []int{0, 1, 100, 1024, 2048, 2500}
	if testing.Short() {
		lengths = []int{0, 1025}
	}
	for _, n := range lengths {
		plaintext := mactest.Random(n, 6)
		file := refSeal(t, testKey, &testSalt, 10, plaintext)
		for cut := range file {
			want := ErrAuth
			if cut < 32 || (cut-32)%(1024+32) < 32 {
				want = ErrTruncated
			}
			checkBad(t, fmt.Sprintf("%d bytes, cut after %d", n, cut), testKey, file[:cut], plaintext, want)
		}
		for _, more := range []int{1, 31, 32, 33, 1055, 1056, 1057, 1100} {
			for _, tail := range [][]byte{make([]byte, more), mactest.Random(more, 7)} {
				checkBad(t, fmt.Sprintf("%d bytes and %d more", n, more), testKey, append(bytes.Clone(file), tail...), plaintext, ErrAuth)
			}
		}
	}
}

// TestEveryByte changes every byte of a file.
func TestEveryByte(t *testing.T) {
	plaintext := mactest.Random(2100, 8)
	file := refSeal(t, testKey, &testSalt, 10, plaintext)
	masks := []byte{1, 0x80}
	if testing.Short() {
		masks = masks[:1]
	}
	for i := range file {
		for _, mask := range masks {
			want := ErrAuth
			if i < 7 || i == 7 && mask == 0x80 {
				want = ErrFormat
			}
			file[i] ^= mask
			checkBad(t, fmt.Sprintf("byte %d changed", i), testKey, file, plaintext, want)
			file[i] ^= mask
		}
	}
}

func TestForeign(t *testing.T) {
	file := refSeal(t, testKey, &testSalt, 10, mactest.Random(3000, 9))
	other := mactest.Random(32, 10)
	checkBad(t, "another key", other, file, nil, ErrAuth)
	checkBad(t, "another key, empty", other, refSeal(t, testKey, &testSalt, 10, nil), nil, ErrAuth)
	for _, foreign := range []string{"u2", "\x7fELF", "unimac2", "unimac1\x09", "unimac1\x19", "unimac1\x00",
		"a text that is longer than the header of a stream, and is not one"} {
		checkBad(t, foreign, testKey, []byte(foreign), nil, ErrFormat)
	}
	for e := range 256 {
		changed := bytes.Clone(file)
		changed[7] = byte(e)
		want := ErrAuth
		switch {
		case e == 10:
			continue
		case e < 10 || e > 24:
			want = ErrFormat
		}
		checkBad(t, fmt.Sprintf("chunks of 2^%d", e), testKey, changed, nil, want)
	}
}

// TestEmptyChunk makes a file that only who has the key can: an empty final chunk
// after others.
func TestEmptyChunk(t *testing.T) {
	plaintext := mactest.Random(2048, 11)
	header := newHeader(10, &testSalt)
	c, err := newChunks(testKey, &header)
	if err != nil {
		t.Fatal(err)
	}
	var n lanes
	file := c.seal(header[:], plaintext, 0, false, &n)
	file = c.seal(file, nil, 2, true, &n)
	checkBad(t, "an empty chunk after others", testKey, file, plaintext, ErrFormat)
	file[len(file)-1] ^= 1
	checkBad(t, "an empty chunk after others, changed", testKey, file, plaintext, ErrAuth)
}

// TestAuthenticPrefix checks that a Reader hands out all that is authentic before
// an error.
func TestAuthenticPrefix(t *testing.T) {
	plaintext := mactest.Random(20<<10, 12)
	for _, g := range goroutines {
		for bad := range 20 {
			file := refSeal(t, testKey, &testSalt, 10, plaintext)
			file[32+bad*1056+5] ^= 1
			if got, err := open(testKey, file, g); kind(err) != ErrAuth || !bytes.Equal(got, plaintext[:bad<<10]) {
				t.Errorf("chunk %d changed: %d bytes, %v", bad, len(got), err)
			}
			cut := refSeal(t, testKey, &testSalt, 10, plaintext)[:32+bad*1056]
			if got, err := open(testKey, cut, g); kind(err) != ErrTruncated || !bytes.Equal(got, plaintext[:bad<<10]) {
				t.Errorf("cut after %d chunks: %d bytes, %v", bad, len(got), err)
			}
		}
	}
}

// TestMemory bounds the buffers for every size of chunk and number of goroutines.
func TestMemory(t *testing.T) {
	const limit = 32 << 20
	for e := minChunkLog2; e <= maxChunkLog2; e++ {
		for g := 1; g <= 1024; g *= 2 {
			header := newHeader(e, &testSalt)
			r, err := newReader(io.MultiReader(bytes.NewReader(header[:]), bytes.NewReader(nil)), testKey, g)
			if err != nil {
				t.Fatal(err)
			}
			// Beside the jobs' buffers, the smaller ones that the first had, each a
			// quarter of the next one or less, and those of the first jobs.
			size := r.most*r.chunks.stride() + 1
			if total := len(r.queue.jobs)*size + size/3 + 2*batchSize; total > limit {
				t.Errorf("e %d, %d goroutines: a Reader takes %d bytes", e, g, total)
			}
		}
	}
	for g := 1; g <= 1024; g *= 2 {
		w, err := newWriter(io.Discard, testKey, &testSalt, defaultChunkLog2, g)
		if err != nil {
			t.Fatal(err)
		}
		if total := len(w.queue.jobs)*(2*w.batch+w.batch/w.chunks.size*tagSize) + 2*batchSize; total > limit {
			t.Errorf("%d goroutines: a Writer takes %d bytes", g, total)
		}
	}
	if testing.Short() {
		return
	}
	// And for real, with the largest chunks.
	plaintext := make([]byte, 2<<24+1)
	file := refSeal(t, testKey, &testSalt, 24, plaintext)
	for name, open := range map[string]func() (int64, error){
		"Reader": func() (int64, error) {
			r, err := newReader(bytes.NewReader(file), testKey, 4)
			if err != nil {
				return 0, err
			}
			return r.WriteTo(io.Discard)
		},
		"ReaderAt": func() (int64, error) {
			r, err := newReaderAt(bytes.NewReader(file), int64(len(file)), testKey, 4)
			if err != nil {
				return 0, err
			}
			return io.CopyBuffer(io.Discard, struct{ io.Reader }{io.NewSectionReader(r, 0, r.Size())}, make([]byte, 1<<24))
		},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if n, err := open(); n != int64(len(plaintext)) || err != nil {
			t.Fatalf("%s: %d bytes, %v", name, n, err)
		}
		runtime.ReadMemStats(&after)
		allocated := after.TotalAlloc - before.TotalAlloc
		if name == "ReaderAt" {
			allocated -= 1 << 24 // the test's own
		}
		if allocated > limit {
			t.Errorf("%s allocates %d bytes for chunks of 2^24", name, allocated)
		}
	}
}

// checkGoroutines waits until no more goroutines run than before.
func checkGoroutines(t *testing.T, before int) {
	t.Helper()
	for range 200 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}
