// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/unimac/unimac/aead"
	"github.com/unimac/unimac/internal/mactest"
)

// nonces has places in a stream around those where a counter of fewer bits wraps, and
// the nonces of chunks there.
var nonces = []struct {
	index uint64
	final bool
	want  string
}{
	{0, false, "0000000000000000"},
	{0, true, "0000000000000001"},
	{1, false, "0000000000000100"},
	{1<<8 - 1, true, "000000000000ff01"},
	{1 << 8, false, "0000000000010000"},
	{1<<9 + 3, false, "0000000000020300"},
	{1 << 12, true, "0000000000100001"},
	{1<<16 - 1, false, "0000000000ffff00"},
	{1 << 16, false, "0000000001000000"},
	{1 << 16, true, "0000000001000001"},
	{1<<24 + 1, false, "0000000100000100"},
	{1<<32 - 1, true, "000000ffffffff01"},
	{1 << 32, false, "0000010000000000"},
	{1<<32 + 1, true, "0000010000000101"},
	{1 << 48, false, "0100000000000000"},
	{1<<56 - 1, false, "ffffffffffffff00"},
	{1<<56 - 1, true, "ffffffffffffff01"},
}

// TestNonces seals and opens a chunk at each of these places, and compares with the
// AEAD and the nonce as it is written out.
func TestNonces(t *testing.T) {
	_, c := newChunks(t, testKey, 10, &testSalt)
	h := newHead(10, &testSalt)
	fileKey, _ := h.derive(testKey, nil)
	a, err := aead.New(fileKey[:])
	if err != nil {
		t.Fatal(err)
	}
	plaintext := mactest.Random(1024, 1)
	for _, tt := range nonces {
		if got := chunkNonce(tt.index, tt.final); hex.EncodeToString(got[:]) != tt.want {
			t.Errorf("chunk %d, final %v: nonce %x, want %s", tt.index, tt.final, got, tt.want)
		}
		nonce, err := hex.DecodeString(tt.want)
		if err != nil {
			t.Fatal(err)
		}
		want := a.Seal(nil, nonce, plaintext, nil)
		if got := sealRun(&c, plaintext, tt.index, tt.final); !bytes.Equal(got, want) {
			t.Errorf("chunk %d, final %v: wrong ciphertext", tt.index, tt.final)
		}
		at := inside
		if tt.final {
			at = atEnd
		}
		var b messageBatch
		if r := c.open(make([]byte, 1024), want, 1024, tt.index, at, &b); r.err != nil || r.opened != 1 || r.ended != tt.final {
			t.Errorf("chunk %d, final %v: does not open: %v", tt.index, tt.final, r)
		}
	}
	// The same in runs, the first of whose chunks is at each place.
	for _, index := range []uint64{1<<8 - 3, 1<<16 - 3, 1<<32 - 3} {
		run := sealRun(&c, mactest.Random(6*1024, 2), index, false)
		for i := range uint64(6) {
			nonce := []byte{0: 0, 7: 0}
			for j, v := 6, index+i; j >= 0; j, v = j-1, v>>8 {
				nonce[j] = byte(v)
			}
			if _, err := a.Open(nil, nonce, run[i*1056:][:1056], nil); err != nil {
				t.Errorf("chunk %d of a run: another nonce than %x", index+i, nonce)
			}
		}
	}
}

// TestSalt checks that every byte of the salt is random.
func TestSalt(t *testing.T) {
	mactest.AllRandom(t, "the salt", func() []byte {
		w, err := NewWriter(io.Discard, testKey)
		if err != nil {
			t.Fatal(err)
		}
		return w.header[8:headSize]
	})
}

// TestLongAdditionalData has additional data whose length does not fit in 16 bits.
func TestLongAdditionalData(t *testing.T) {
	data := mactest.Random(1<<16+5, 13)
	plaintext := mactest.Random(100, 14)
	want := refSealWith(t, testKey, &testSalt, 10, data, plaintext)
	o := Options{AdditionalData: data, ChunkSize: 1 << 10, Concurrency: 1}
	if got := sealWith(t, testKey, &testSalt, o, 100, plaintext); !bytes.Equal(got, want) {
		t.Error("another stream than the reference's")
	}
	if got, err := openWith(testKey, want, o); err != nil || !bytes.Equal(got, plaintext) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	o.AdditionalData = data[:5]
	if _, err := openWith(testKey, want, o); kind(err) != ErrKey {
		t.Errorf("with the first 5 bytes of the additional data: %v", err)
	}
}

// TestEmptyLastChunk has an empty last chunk after any number of full ones, wherever
// jobs begin.
func TestEmptyLastChunk(t *testing.T) {
	for full := 1; full <= 20; full++ {
		plaintext := mactest.Random(full<<10, uint64(full))
		header, c := newChunks(t, testKey, 10, &testSalt)
		file := append(header, sealRun(&c, plaintext, 0, false)...)
		file = append(file, sealRun(&c, nil, uint64(full), true)...)
		for _, run := range []int{1, 2, 3, 8} {
			for _, g := range []int{1, 3} {
				r, err := newReader(bytes.NewReader(file), testKey, g)
				if err != nil {
					t.Fatal(err)
				}
				r.run = run
				if got, err := io.ReadAll(r); err != errEmptyChunk || !bytes.Equal(got, plaintext) {
					t.Errorf("%d full chunks, %d in a job, %d goroutines: %d bytes, %v", full, run, g, len(got), err)
				}
			}
		}
		checkBad(t, fmt.Sprintf("%d full chunks and an empty one", full), testKey, file, plaintext, ErrFormat)
	}
}

// TestTwoEnds has two chunks that were sealed as the last. Only someone with the key
// can make that.
func TestTwoEnds(t *testing.T) {
	plaintext := mactest.Random(12<<10, 1)
	for full := 1; full <= 10; full++ {
		header, c := newChunks(t, testKey, 10, &testSalt)
		file := append(header, sealRun(&c, plaintext[:full<<10], 0, true)...)
		for more := 1; more <= 2; more++ {
			file := append(bytes.Clone(file), sealRun(&c, plaintext[full<<10:(full+more)<<10], uint64(full), true)...)
			what := fmt.Sprintf("%d chunks and %d after the end", full, more)
			checkBad(t, what, testKey, file, plaintext, ErrAuth)
			for _, run := range []int{1, 2, 3, 8} {
				r, err := newReader(bytes.NewReader(file), testKey, 3)
				if err != nil {
					t.Fatal(err)
				}
				r.run = run
				if got, err := io.ReadAll(r); kind(err) != ErrAuth || !bytes.HasPrefix(plaintext[:full<<10], got) {
					t.Errorf("%s, %d in a job: %d bytes, %v", what, run, len(got), err)
				}
			}
		}
	}
}

// TestErrKey has what the header commits to differ: the key, the additional data, the
// size of chunks, the salt. No chunk is looked at.
func TestErrKey(t *testing.T) {
	data := []byte("name of the file")
	plaintext := mactest.Random(3000, 1)
	file := refSealWith(t, testKey, &testSalt, 10, data, plaintext)
	right := Options{AdditionalData: data}
	eachOpener(testKey, file, right, func(how string, got []byte, err error) {
		if err != nil || !bytes.Equal(got, plaintext) {
			t.Errorf("%s: %d bytes, %v", how, len(got), err)
		}
	})
	otherKey := bytes.Clone(testKey)
	otherKey[31] ^= 1
	header := file[:headerSize]
	for what, tt := range map[string]struct {
		key  []byte
		o    Options
		file []byte
	}{
		"another key":           {otherKey, right, header},
		"no additional data":    {testKey, Options{}, header},
		"less additional data":  {testKey, Options{AdditionalData: data[:15]}, header},
		"more additional data":  {testKey, Options{AdditionalData: append(bytes.Clone(data), 0)}, header},
		"other additional data": {testKey, Options{AdditionalData: []byte("name of the fild")}, header},
		"larger chunks":         {testKey, right, append([]byte("unimac2\x0b"), header[8:]...)},
		"another salt":          {testKey, right, append(append(bytes.Clone(header[:8]), header[8]^1), header[9:]...)},
		"another commitment":    {testKey, right, append(bytes.Clone(header[:63]), header[63]^1)},
	} {
		eachOpener(tt.key, tt.file, tt.o, func(how string, got []byte, err error) {
			if !errors.Is(err, ErrKey) || !errors.Is(err, ErrAuth) || errors.Is(err, ErrFormat) || errors.Is(err, ErrTruncated) || len(got) > 0 {
				t.Errorf("%s: %s: %v", what, how, err)
			}
		})
	}
	if errors.Is(ErrAuth, ErrKey) {
		t.Error("every ErrAuth is an ErrKey")
	}
	// The boundary between salt and additional data, and between that and its length,
	// cannot move: what is hashed has no other reading.
	for n := range 3 {
		a, b := newHead(10, &testSalt), newHead(10, &testSalt)
		_, one := a.derive(testKey, make([]byte, n))
		_, two := b.derive(testKey, make([]byte, n+8))
		if one == two {
			t.Errorf("%d and %d bytes of additional data have one commitment", n, n+8)
		}
	}
}

// TestVersion1 checks what is said of the format before this one.
func TestVersion1(t *testing.T) {
	for _, file := range []string{"unimac1", "unimac1\x10", "unimac1\x10" + strings.Repeat("x", 200)} {
		eachOpener(testKey, []byte(file), Options{}, func(how string, got []byte, err error) {
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "version 1") {
				t.Errorf("%s: %v", how, err)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	file := refSeal(t, testKey, &testSalt, 12, nil)
	for n, want := range map[int]string{
		0: "", 1024: "", 1 << 16: "", 1 << 24: "",
		1: "chunks of 1 bytes", -1024: "chunks of -1024 bytes", 1023: "chunks of 1023", 1025: "chunks of 1025", 3 << 10: "chunks of 3072", 1 << 25: "chunks of 33554432",
		512: "stream: chunks of 512 bytes, want a power of two from 1024 to 16777216",
	} {
		o := Options{ChunkSize: n}
		w, err := o.NewWriter(io.Discard, testKey)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) || (w == nil) != (err != nil) {
			t.Errorf("NewWriter with chunks of %d bytes: %v", n, err)
		}
		r, err2 := o.NewSealingReader(bytes.NewReader(nil), testKey)
		if fmt.Sprint(err2) != fmt.Sprint(err) || (r == nil) != (err != nil) {
			t.Errorf("NewSealingReader with chunks of %d bytes: %v", n, err2)
		}
		if got := o.SealedSize(100); (got == 64+100+32) != (want == "") || want != "" && got != -1 {
			t.Errorf("SealedSize with chunks of %d bytes: %d", n, got)
		}
	}
	for n, want := range map[int]string{
		0: "", 1 << 12: "", 5000: "", 1 << 30: "",
		1 << 11: "chunks of 4096 bytes, want at most 2048", 4095: "want at most 4095",
		1023: "stream: chunks of at most 1023 bytes, want at least 1024, or 0 for all", -1: "at most -1 bytes",
	} {
		eachOpener(testKey, file, Options{ChunkSize: n}, func(how string, got []byte, err error) {
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) || errors.Is(err, ErrFormat) != (n >= 1024 && want != "") {
				t.Errorf("%s, chunks of at most %d bytes: %v", how, n, err)
			}
		})
	}
	o := Options{Concurrency: -1}
	_, err := o.NewWriter(io.Discard, testKey)
	for name, open := range openers {
		if _, err2 := open(testKey, file, o); err == nil || fmt.Sprint(err2) != fmt.Sprint(err) {
			t.Errorf("%s with a concurrency of -1: %v, %v", name, err2, err)
		}
	}
	// Memory is for the goroutines that work, not for those that could.
	o.Concurrency = math.MaxInt32
	if got, err := openWith(testKey, refSeal(t, testKey, &testSalt, 10, testKey), o); err != nil || !bytes.Equal(got, testKey) {
		t.Errorf("very many goroutines: %d bytes, %v", len(got), err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(5))
	// WebAssembly has one whatever is asked for.
	if g, err := (&Options{}).goroutines(); g != runtime.GOMAXPROCS(0) || err != nil {
		t.Errorf("with GOMAXPROCS %d: %d goroutines, %v", runtime.GOMAXPROCS(0), g, err)
	}
}

func TestSealedSize(t *testing.T) {
	for _, n := range []int{0, 1, 1023, 1024, 1025, 2048, 65535, 65536, 65537, 131072, 200000} {
		for _, e := range []int{0, 10, 12, 16} {
			o, want := Options{}, refSeal(t, testKey, &testSalt, 16, make([]byte, n))
			if e > 0 {
				o.ChunkSize = 1 << e
				want = refSeal(t, testKey, &testSalt, e, make([]byte, n))
			}
			if got := o.SealedSize(int64(n)); got != int64(len(want)) {
				t.Errorf("%d bytes in chunks of 2^%d: %d, want %d", n, e, got, len(want))
			}
		}
	}
	if got := SealedSize(200000); got != 64+200000+4*32 {
		t.Errorf("SealedSize(200000) = %d", got)
	}
	// The largest plaintext has 2^63 - 1 bytes when sealed, or nearly.
	most := int64(math.MaxInt64 - 64)
	most -= most/(65536+32)*32 + 32
	for n, want := range map[int64]bool{most: true, most + 64: false, math.MaxInt64: false, math.MaxInt64 - 1: false, math.MinInt64: false, -1: false} {
		if got := SealedSize(n); (got > 0) != want || got < -1 || want && got < n {
			t.Errorf("SealedSize(%d) = %d", n, got)
		}
	}
}

// TestHugeSize gives sizes to which nothing may be added.
func TestHugeSize(t *testing.T) {
	file := refSeal(t, testKey, &testSalt, 10, make([]byte, 5000))
	for back := range int64(3000) {
		size := math.MaxInt64 - back*back
		if _, err := NewReaderAt(bytes.NewReader(file), size, testKey); kind(err) != ErrTruncated {
			t.Fatalf("size %d: %v", size, err)
		}
	}
}

// TestZeroValues checks that what no constructor made does not pass for an empty
// stream.
func TestZeroValues(t *testing.T) {
	b := make([]byte, 10)
	for name, f := range map[string]func(){
		"Writer.Write":         func() { new(Writer).Write(b) },
		"Writer.Write of none": func() { new(Writer).Write(nil) },
		"Writer.ReadFrom":      func() { new(Writer).ReadFrom(bytes.NewReader(b)) },
		"Writer.Close":         func() { new(Writer).Close() },
		"Writer.Abort":         func() { new(Writer).Abort() },
		"Reader.Read":          func() { new(Reader).Read(b) },
		"Reader.WriteTo":       func() { new(Reader).WriteTo(io.Discard) },
		"ReaderAt.ReadAt":      func() { new(ReaderAt).ReadAt(b, 0) },
		"ReaderAt.Size":        func() { new(ReaderAt).Size() },
		"ReaderAt.NewReader":   func() { new(ReaderAt).NewReader() },
		"SealingReader.Read":   func() { new(SealingReader).Read(b) },
		"OpeningWriter.Write":  func() { new(OpeningWriter).Write(b) },
		"OpeningWriter.Close":  func() { new(OpeningWriter).Close() },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != "stream: a zero value, which no constructor made" {
					t.Errorf("%s of a zero value: %s", name, got)
				}
			}()
			f()
		}()
	}
}
