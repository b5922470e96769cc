// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
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

// refSeal is the definition, without additional data.
func refSeal(tb testing.TB, key []byte, salt *[saltSize]byte, e int, plaintext []byte) []byte {
	tb.Helper()
	return refSealWith(tb, key, salt, e, nil, plaintext)
}

// refSealWith is the definition.
func refSealWith(tb testing.TB, key []byte, salt *[saltSize]byte, e int, data, plaintext []byte) []byte {
	tb.Helper()
	file := append([]byte("unimac2"), byte(e))
	file = append(file, salt[:]...)
	kdf, err := blake2b.New(64, key)
	if err != nil {
		tb.Fatal(err)
	}
	kdf.Write([]byte("unimac stream v2"))
	kdf.Write(file)
	kdf.Write(data)
	kdf.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(data))))
	derived := kdf.Sum(nil)
	file = append(file, derived[32:]...)
	a, err := aead.New(derived[:32])
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

// newWriter returns a Writer with a salt that is not random.
func newWriter(dst io.Writer, key []byte, salt *[saltSize]byte, e, goroutines int) (*Writer, error) {
	return newWriterWith(dst, key, salt, Options{ChunkSize: 1 << e, Concurrency: goroutines})
}

func newWriterWith(dst io.Writer, key []byte, salt *[saltSize]byte, o Options) (*Writer, error) {
	w := &Writer{dst: dst}
	var err error
	if w.header, w.chunks, err = o.newHeaderWithSalt(key, salt); err != nil {
		return nil, err
	}
	w.begin(o.Concurrency)
	return w, nil
}

func newReader(src io.Reader, key []byte, goroutines int) (*Reader, error) {
	return Options{Concurrency: goroutines}.NewReader(src, key)
}

func newReaderAt(src io.ReaderAt, size int64, key []byte, goroutines int) (*ReaderAt, error) {
	return Options{Concurrency: goroutines}.NewReaderAt(src, size, key)
}

// newChunks returns the chunks of a stream.
func newChunks(tb testing.TB, key []byte, e int, salt *[saltSize]byte) ([]byte, chunks) {
	tb.Helper()
	header, c, err := (&Options{ChunkSize: 1 << e}).newHeaderWithSalt(key, salt)
	if err != nil {
		tb.Fatal(err)
	}
	return header[:], c
}

// seal seals in pieces.
func seal(tb testing.TB, key []byte, salt *[saltSize]byte, e, goroutines, piece int, plaintext []byte) []byte {
	tb.Helper()
	return sealWith(tb, key, salt, Options{ChunkSize: 1 << e, Concurrency: goroutines}, piece, plaintext)
}

func sealWith(tb testing.TB, key []byte, salt *[saltSize]byte, o Options, piece int, plaintext []byte) []byte {
	tb.Helper()
	var file bytes.Buffer
	w, err := newWriterWith(&file, key, salt, o)
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

// open opens with a Reader. What it returns with an error is what came before.
func open(key, file []byte, goroutines int) ([]byte, error) {
	return openWith(key, file, Options{Concurrency: goroutines})
}

func openWith(key, file []byte, o Options) ([]byte, error) {
	r, err := o.NewReader(bytes.NewReader(file), key)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// openAt opens with a ReaderAt.
func openAt(key, file []byte, goroutines int) ([]byte, error) {
	return openAtWith(key, file, Options{Concurrency: goroutines})
}

func openAtWith(key, file []byte, o Options) ([]byte, error) {
	r, err := o.NewReaderAt(bytes.NewReader(file), int64(len(file)), key)
	if err != nil {
		return nil, err
	}
	p := make([]byte, r.Size())
	n, err := r.ReadAt(p, 0)
	return p[:n], err
}

// openSeeker opens with a ReaderAt's reader.
func openSeeker(key, file []byte, o Options) ([]byte, error) {
	r, err := o.NewReaderAt(bytes.NewReader(file), int64(len(file)), key)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r.NewReader())
}

// openWriter opens with an OpeningWriter, which it gives pieces.
func openWriter(key, file []byte, o Options) ([]byte, error) {
	var out bytes.Buffer
	w, err := o.NewOpeningWriter(&out, key)
	if err != nil {
		return nil, err
	}
	for piece := 1; len(file) > 0; piece = 3*piece%100_000 + 1 {
		n := min(piece, len(file))
		if m, err := w.Write(bytes.Clone(file[:n])); err != nil {
			return out.Bytes(), errors.Join(err, w.Close())
		} else if m != n {
			return out.Bytes(), fmt.Errorf("Write of %d bytes = %d", n, m)
		}
		file = file[n:]
	}
	err = w.Close()
	return out.Bytes(), err
}

// openers are the ways to open a file.
var openers = map[string]func(key, file []byte, o Options) ([]byte, error){
	"Reader": openWith, "ReaderAt": openAtWith, "ReaderAt.NewReader": openSeeker, "OpeningWriter": openWriter,
}

// eachOpener opens a file in all ways, with several numbers of goroutines.
func eachOpener(key, file []byte, o Options, f func(how string, got []byte, err error)) {
	for name, open := range openers {
		for _, o.Concurrency = range goroutines {
			got, err := open(key, file, o)
			f(fmt.Sprintf("%s, %d goroutines", name, o.Concurrency), got, err)
		}
	}
}

func TestVectors(t *testing.T) {
	type test struct {
		Key, Salt, AD, File, FileSHA256 vectors.Hex
		ChunkLog2                       int
		Msg                             vectors.Message
	}
	long := 0
	for i, v := range vectors.Load[test](t, "stream.json") {
		salt := [saltSize]byte(v.Salt)
		o := Options{AdditionalData: v.AD, ChunkSize: 1 << v.ChunkLog2}
		gs, piece := goroutines, 1000
		if len(v.Msg) > 1<<22 {
			long++
			gs, piece = goroutines[1:2], 1<<20
		}
		for _, o.Concurrency = range gs {
			file := sealWith(t, v.Key, &salt, o, piece, v.Msg)
			if sum := sha256.Sum256(file); !bytes.Equal(sum[:], v.FileSHA256) {
				t.Errorf("test %d: wrong file", i)
			}
			if len(v.File) > 0 && !bytes.Equal(file, v.File) {
				t.Errorf("test %d: file %x, want %x", i, file, []byte(v.File))
			}
			if n := o.SealedSize(int64(len(v.Msg))); n != int64(len(file)) {
				t.Errorf("test %d: SealedSize %d, want %d", i, n, len(file))
			}
			for name, open := range openers {
				if long > 0 && testing.Short() && name != "Reader" {
					continue
				}
				if got, err := open(v.Key, file, o); err != nil || !bytes.Equal(got, v.Msg) {
					t.Errorf("test %d: %s gives %d bytes, %v", i, name, len(got), err)
				}
			}
		}
	}
	if long != 1 {
		t.Errorf("%d vectors have more chunks than 16 bits count, want 1", long)
	}
}

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
		for i, n := range tt.lengths {
			if testing.Short() && tt.e > 10 && i%2 == 0 {
				continue
			}
			plaintext := mactest.Random(n, 3)
			want := refSeal(t, testKey, &testSalt, tt.e, plaintext)
			eachOpener(testKey, want, Options{}, func(how string, got []byte, err error) {
				if err != nil || !bytes.Equal(got, plaintext) {
					t.Fatalf("e %d, %d bytes: %s: %d bytes, %v", tt.e, n, how, len(got), err)
				}
			})
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
		if len(file) != 64+len(plaintext)+4*32 || !bytes.HasPrefix(file, []byte("unimac2\x10")) || int64(len(file)) != SealedSize(int64(len(plaintext))) {
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

// kind says which of the package's errors err is.
func kind(err error) error {
	if errors.Is(err, ErrKey) && errors.Is(err, ErrAuth) {
		return ErrKey
	}
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
	eachOpener(key, file, Options{}, func(how string, got []byte, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s: %s opens it", what, how)
		} else if kind(err) != want {
			t.Errorf("%s: %s: error %v, want %v", what, how, err, want)
		}
		if !bytes.HasPrefix(plaintext, got) {
			t.Errorf("%s: %s handed out what is not authentic", what, how)
		}
	})
}

// layout is a file in its parts.
type layout struct {
	header []byte
	chunks [][]byte
}

func layOut(file []byte, e int) layout {
	l := layout{header: file[:headerSize]}
	for rest := file[headerSize:]; len(rest) > 0; {
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
			if cut < headerSize || (cut-headerSize)%(1024+32) < 32 {
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
			switch {
			case i < 7 || i == 7 && mask == 0x80:
				want = ErrFormat
			case i < headerSize:
				want = ErrKey
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
	checkBad(t, "another key", other, file, nil, ErrKey)
	checkBad(t, "another key, empty", other, refSeal(t, testKey, &testSalt, 10, nil), nil, ErrKey)
	for _, foreign := range []string{"u2", "\x7fELF", "unimac3", "unimac1", "unimac1\x10", "unimac2\x09", "unimac2\x19", "unimac2\x00",
		"a text that is longer than the header of a stream, and is not one"} {
		checkBad(t, foreign, testKey, []byte(foreign), nil, ErrFormat)
	}
	for e := range 256 {
		changed := bytes.Clone(file)
		changed[7] = byte(e)
		want := ErrKey
		switch {
		case e == 10:
			continue
		case e < 10 || e > 24:
			want = ErrFormat
		}
		checkBad(t, fmt.Sprintf("chunks of 2^%d", e), testKey, changed, nil, want)
	}
}

// sealRun seals a run of chunks.
func sealRun(c *chunks, plaintext []byte, index uint64, last bool) []byte {
	buf := make([]byte, len(plaintext)+c.count(len(plaintext))*tagSize)
	for i := 0; i < len(plaintext); i += c.size {
		copy(buf[c.plainAt(i):], plaintext[i:min(i+c.size, len(plaintext))])
	}
	return c.seal(buf, len(plaintext), index, last, new(messageBatch))
}

// TestEmptyChunk makes a file that only someone with the key can make: an empty final chunk
// after others.
func TestEmptyChunk(t *testing.T) {
	plaintext := mactest.Random(2048, 11)
	header, c := newChunks(t, testKey, 10, &testSalt)
	file := append(header, sealRun(&c, plaintext, 0, false)...)
	file = append(file, sealRun(&c, nil, 2, true)...)
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
			file[headerSize+bad*1056+5] ^= 1
			if got, err := open(testKey, file, g); kind(err) != ErrAuth || !bytes.Equal(got, plaintext[:bad<<10]) {
				t.Errorf("chunk %d changed: %d bytes, %v", bad, len(got), err)
			}
			cut := refSeal(t, testKey, &testSalt, 10, plaintext)[:headerSize+bad*1056]
			if got, err := open(testKey, cut, g); kind(err) != ErrTruncated || !bytes.Equal(got, plaintext[:bad<<10]) {
				t.Errorf("cut after %d chunks: %d bytes, %v", bad, len(got), err)
			}
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
