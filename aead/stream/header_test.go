// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"crypto/cipher"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/unimac/unimac/aead"
	"github.com/unimac/unimac/internal/mactest"
)

// nonces contains the nonces of chunks at positions where a counter with fewer bits
// would wrap.
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

// TestNonces seals and opens a chunk at each of these positions, and compares it with
// the result of the AEAD for the literal nonce.
func TestNonces(t *testing.T) {
	_, c := v2.newChunks(t)
	s, err := deriveV2(v2.key, newV2Head(v2.size, &v2.salt), nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := aead.New(s.key[:])
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range nonces {
		nonce, err := hex.DecodeString(tt.want)
		if err != nil {
			t.Fatal(err)
		}
		checkNonce(t, &c, a, tt.index, tt.final, nonce)
	}
	// Repeat the comparison with runs whose first chunk is at each position.
	for _, index := range []uint64{1<<8 - 3, 1<<16 - 3, 1<<32 - 3} {
		run := sealRun(&c, mactest.Random(6*1024, 2), index, false)
		for i := range uint64(6) {
			nonce := []byte{0: 0, 7: 0}
			for j, v := 6, index+i; j >= 0; j, v = j-1, v>>8 {
				nonce[j] = byte(v)
			}
			if _, err := a.Open(nil, nonce, run[i*1056:][:1056], nil); err != nil {
				t.Errorf("run, chunk %d: does not open with nonce %x: %v", index+i, nonce, err)
			}
		}
	}
}

// TestChunkedNonces is TestNonces for the formats whose nonces have a base.
func TestChunkedNonces(t *testing.T) {
	for _, k := range smallKinds[1:] {
		_, c := k.newChunks(t)
		for _, index := range []uint64{0, 1, 1<<8 - 1, 1 << 8, 1<<16 - 1, 1 << 16, 1<<32 - 1, 1 << 32, 1<<32 + 5, 1<<38 - 2} {
			nonce := bytes.Clone(c.base[:c.nonceSize])
			for j, v := c.nonceSize-1, index; j >= 0; j, v = j-1, v>>8 {
				nonce[j] ^= byte(v)
			}
			checkNonce(t, &c, c.aead, index, false, nonce)
			checkNonce(t, &c, c.aead, index, true, nonce)
		}
	}
}

// checkNonce seals and opens a chunk at position index, which is the stream's last
// chunk if last is set.
func checkNonce(t *testing.T, c *chunkCipher, a cipher.AEAD, index uint64, last bool, nonce []byte) {
	t.Helper()
	plaintext := mactest.Random(1024, 1)
	at := posMiddle
	if last {
		at = posEnd
		if c.shortEnd {
			plaintext = plaintext[:1000]
		}
	}
	want := a.Seal(nil, nonce, plaintext, nil)
	if got := sealRun(c, plaintext, index, last); !bytes.Equal(got, want) {
		t.Errorf("%s: chunk %d, last %t: got wrong ciphertext", c.name, index, last)
	}
	var b messageBatch
	if r := c.open(make([]byte, 1024), want, 1024, index, at, &b); r.err != nil || r.count != 1 || r.final != last {
		t.Errorf("%s: chunk %d, last %t: open = %v, want one chunk, ended %t and no error", c.name, index, last, r, last)
	}
}

// TestSalt checks that every byte of the salt is random.
func TestSalt(t *testing.T) { eachKind(t, largeKinds, everySalt) }

func everySalt(t *testing.T, k *kind) {
	mactest.AllRandom(t, "the salt", func() []byte {
		w, err := k.o.NewWriter(io.Discard, k.key)
		if err != nil {
			t.Fatal(err)
		}
		return w.header[k.header-commitSize-saltSize : k.header-commitSize]
	})
}

// TestLongAdditionalData uses additional data whose length does not fit in 16 bits.
func TestLongAdditionalData(t *testing.T) { eachKind(t, smallKinds, testLongAdditionalData) }

func testLongAdditionalData(t *testing.T, k *kind) {
	data := mactest.Random(1<<16+5, 13)
	plaintext := mactest.Random(100, 14)
	want := k.refSealWith(t, &k.salt, data, plaintext)
	o := k.with(1)
	o.AdditionalData = data
	if got := sealWith(t, k.key, &k.salt, o, 100, plaintext); !bytes.Equal(got, want) {
		t.Error("the stream differs from the reference")
	}
	if got, err := openWith(k.key, want, o); err != nil || !bytes.Equal(got, plaintext) {
		t.Errorf("got %d bytes, error %v, want the plaintext", len(got), err)
	}
	o.AdditionalData = data[:5]
	if _, err := openWith(k.key, want, o); errorKind(err) != ErrKey {
		t.Errorf("first 5 bytes of the additional data: got error %v, want %v", err, ErrKey)
	}
}

// TestEmptyLastChunk appends an empty last chunk to any number of whole chunks, so that
// it falls on every position relative to jobs.
func TestEmptyLastChunk(t *testing.T) {
	for full := 1; full <= 20; full++ {
		plaintext := mactest.Random(full<<10, uint64(full))
		header, c := v2.newChunks(t)
		file := append(header, sealRun(&c, plaintext, 0, false)...)
		file = append(file, sealRun(&c, nil, uint64(full), true)...)
		for _, run := range []int{1, 2, 3, 8} {
			for _, g := range []int{1, 3} {
				r, err := v2.newReader(bytes.NewReader(file), g)
				if err != nil {
					t.Fatal(err)
				}
				r.maxJobChunks = run
				if got, err := io.ReadAll(r); err != errEmptyChunk || !bytes.Equal(got, plaintext) {
					t.Errorf("%d whole chunks, %d per job, %d goroutines: got %d bytes, error %v, want the plaintext and %v", full, run, g, len(got), err, errEmptyChunk)
				}
			}
		}
		v2.checkBad(t, fmt.Sprintf("%d full chunks and an empty one", full), file, plaintext, ErrFormat)
	}
}

// TestTwoEnds uses streams in which two chunks were sealed as the last one. Only
// someone with the key can create them.
func TestTwoEnds(t *testing.T) {
	plaintext := mactest.Random(12<<10, 1)
	for full := 1; full <= 10; full++ {
		header, c := v2.newChunks(t)
		file := append(header, sealRun(&c, plaintext[:full<<10], 0, true)...)
		for more := 1; more <= 2; more++ {
			file := append(bytes.Clone(file), sealRun(&c, plaintext[full<<10:(full+more)<<10], uint64(full), true)...)
			what := fmt.Sprintf("%d chunks and %d after the end", full, more)
			v2.checkBad(t, what, file, plaintext, ErrAuth)
			for _, run := range []int{1, 2, 3, 8} {
				r, err := v2.newReader(bytes.NewReader(file), 3)
				if err != nil {
					t.Fatal(err)
				}
				r.maxJobChunks = run
				if got, err := io.ReadAll(r); errorKind(err) != ErrAuth || !bytes.HasPrefix(plaintext[:full<<10], got) {
					t.Errorf("%s, %d per job: got %d bytes, error %v, want a prefix of the plaintext and %v", what, run, len(got), err, ErrAuth)
				}
			}
		}
	}
}

// TestEndInTheMiddle uses a whole chunk that was sealed as the last one, followed by
// others, which only someone with the key can create. All readers must reject this
// chunk and everything after it, and return everything before it.
func TestEndInTheMiddle(t *testing.T) {
	plaintext := mactest.Random(20<<10, 1)
	for before := range 10 {
		for after := 1; after <= 10; after++ {
			header, c := v2.newChunks(t)
			file := append(header, sealRun(&c, plaintext[:(before+1)<<10], 0, true)...)
			file = append(file, sealRun(&c, plaintext[(before+1)<<10:(before+1+after)<<10], uint64(before+1), true)...)
			check := func(how string, got []byte, err error) {
				t.Helper()
				if errorKind(err) != ErrAuth || !bytes.Equal(got, plaintext[:before<<10]) {
					t.Errorf("%d chunks before, %d after: %s: got %d bytes, error %v, want the chunks before and %v", before, after, how, len(got), err, ErrAuth)
				}
			}
			v2.eachOpener(file, check)
			// The end of the source is not known before the last chunk of a job has
			// been read.
			for run := 1; run <= 3; run++ {
				for name, src := range map[string]io.Reader{
					"whole": bytes.NewReader(file), "byte by byte": iotest.OneByteReader(bytes.NewReader(file)),
					"last bytes with io.EOF": iotest.DataErrReader(bytes.NewReader(file)),
				} {
					r, err := v2.newReader(src, 2)
					if err != nil {
						t.Fatal(err)
					}
					r.maxJobChunks = run
					got, err := io.ReadAll(r)
					check(fmt.Sprintf("%s, %d in a job", name, run), got, err)
				}
			}
			// In this case, the end is reached while other jobs are in use.
			var opened bytes.Buffer
			w, err := v2.with(3).NewOpeningWriter(&opened, v2.key)
			if err != nil {
				t.Fatal(err)
			}
			w.Write(file[:v2.header])
			w.maxJobChunks = 1
			_, err = w.Write(file[v2.header:])
			err = errors.Join(err, w.Close())
			check("OpeningWriter, 1 in a job", opened.Bytes(), err)
			at, err := v2.newReaderAt(bytes.NewReader(file), int64(len(file)), 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range [][]byte{make([]byte, 1), make([]byte, 1<<10), make([]byte, 1025)} {
				if n, err := at.ReadAt(p, int64(before)<<10); n != 0 || errorKind(err) != ErrAuth {
					t.Errorf("%d chunks before, %d after: ReadAt of %d bytes = %d, %v, want 0, %v", before, after, len(p), n, err, ErrAuth)
				}
			}
		}
	}
}

// TestLastBeforeFault uses a source that fails where it should end. The chunk that was
// sealed as the last one is authentic and must be returned before the error.
func TestLastBeforeFault(t *testing.T) {
	for n := range 5 {
		plaintext := mactest.Random((n+1)<<10, 1)
		src := io.MultiReader(bytes.NewReader(v2.refSeal(t, plaintext)), iotest.ErrReader(io.ErrClosedPipe))
		r, err := v2.newReader(src, 2)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != io.ErrClosedPipe || !bytes.Equal(got, plaintext) {
			t.Errorf("got %d bytes, error %v, want %d bytes, error %v", len(got), err, len(plaintext), io.ErrClosedPipe)
		}
	}
}

// TestErrKey changes each input to which the header commits: the key, the additional
// data, the chunk size, and the salt. No chunk may be read.
func TestErrKey(t *testing.T) { eachKind(t, smallKinds, testErrKey) }

func testErrKey(t *testing.T, k *kind) {
	data := []byte("name of the file")
	plaintext := mactest.Random(3000, 1)
	file := k.refSealWith(t, &k.salt, data, plaintext)
	right := k.o
	right.AdditionalData = data
	eachOpener(k.key, file, right, func(how string, got []byte, err error) {
		if err != nil || !bytes.Equal(got, plaintext) {
			t.Errorf("%s: got %d bytes, error %v, want the plaintext", how, len(got), err)
		}
	})
	otherKey := bytes.Clone(k.key)
	otherKey[len(otherKey)-1] ^= 1
	header := file[:k.header]
	saltAt := k.header - commitSize - saltSize
	with := func(data []byte) Options {
		o := k.o
		o.AdditionalData = data
		return o
	}
	changed := func(at int) []byte {
		changed := bytes.Clone(header)
		changed[at] ^= 1
		return changed
	}
	type test struct {
		key  []byte
		o    Options
		file []byte
	}
	tests := map[string]test{
		"other key":                         {otherKey, right, header},
		"no additional data":                {k.key, with(nil), header},
		"less additional data":              {k.key, with(data[:len(data)-1]), header},
		"more additional data":              {k.key, with(append(bytes.Clone(data), 0)), header},
		"other additional data":             {k.key, with(append(bytes.Clone(data[:len(data)-1]), 'd')), header},
		"other salt":                        {k.key, right, changed(saltAt)},
		"other last byte of the salt":       {k.key, right, changed(saltAt + saltSize - 1)},
		"other commitment":                  {k.key, right, changed(k.header - commitSize)},
		"other last byte of the commitment": {k.key, right, changed(k.header - 1)},
	}
	if !k.shortEnd() {
		larger := changed(7)
		larger[7] = 0x0b
		o := right
		o.ChunkSize = 0
		tests["larger chunks"] = test{k.key, o, larger}
	}
	for what, tt := range tests {
		eachOpener(tt.key, tt.file, tt.o, func(how string, got []byte, err error) {
			if !errors.Is(err, ErrKey) || !errors.Is(err, ErrAuth) || errors.Is(err, ErrFormat) || errors.Is(err, ErrTruncated) || len(got) > 0 {
				t.Errorf("%s: %s: got %d bytes, error %v, want 0 bytes, %v", what, how, len(got), err, ErrKey)
			}
		})
	}
	if errors.Is(ErrAuth, ErrKey) {
		t.Error("errors.Is(ErrAuth, ErrKey) = true, want false")
	}
	// The boundaries between the salt, the additional data and its length cannot be
	// moved: the hashed bytes have only one interpretation.
	f, head := formats[k.o.Format], header[:k.header-commitSize]
	for n := range 3 {
		one, err1 := f.derive(k.key, head, make([]byte, n))
		two, err2 := f.derive(k.key, head, make([]byte, n+8))
		if err1 != nil || err2 != nil || one.commitment == two.commitment {
			t.Errorf("%d and %d bytes of additional data: errors %v, %v, want nil and different commitments", n, n+8, err1, err2)
		}
	}
}

// TestVersion1 checks the documented behavior for the previous version of the format.
func TestVersion1(t *testing.T) {
	for _, file := range []string{"unimac1", "unimac1\x10", "unimac1\x10" + strings.Repeat("x", 200)} {
		v2.eachOpener([]byte(file), func(how string, got []byte, err error) {
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "version 1") {
				t.Errorf("%s: got error %v, want %v that names version 1", how, err, ErrFormat)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	file := newKind(UnimacV2, 1<<12).refSeal(t, nil)
	for n, want := range map[int]string{
		0: "", 1024: "", 1 << 16: "", 1 << 24: "",
		1: "chunks of 1 bytes", -1024: "chunks of -1024 bytes", 1023: "chunks of 1023", 1025: "chunks of 1025", 3 << 10: "chunks of 3072", 1 << 25: "chunks of 33554432",
		512: "stream: chunks of 512 bytes, want a power of two from 1024 to 16777216",
	} {
		o := Options{ChunkSize: n}
		w, err := o.NewWriter(io.Discard, testKey)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) || (w == nil) != (err != nil) {
			t.Errorf("NewWriter with chunks of %d bytes: got error %v, want %q", n, err, want)
		}
		r, err2 := o.NewSealingReader(bytes.NewReader(nil), testKey)
		if fmt.Sprint(err2) != fmt.Sprint(err) || (r == nil) != (err != nil) {
			t.Errorf("NewSealingReader with chunks of %d bytes: got error %v, want %v", n, err2, err)
		}
		if got := o.SealedSize(100); (got == 64+100+32) != (want == "") || want != "" && got != -1 {
			t.Errorf("SealedSize with chunks of %d bytes = %d, want 196 if the size is valid, otherwise -1", n, got)
		}
	}
	for n, want := range map[int]string{
		0: "", 1 << 12: "", 5000: "", 1 << 30: "",
		1 << 11: "chunks of 4096 bytes, want at most 2048", 4095: "want at most 4095",
		1023: "stream: chunks of at most 1023 bytes, want at least 1024, or 0 for all", -1: "at most -1 bytes",
	} {
		eachOpener(testKey, file, Options{ChunkSize: n}, func(how string, got []byte, err error) {
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) || errors.Is(err, ErrFormat) != (n >= 1024 && want != "") {
				t.Errorf("%s, ChunkSize %d: got error %v, want %q", how, n, err, want)
			}
		})
	}
	o := Options{Concurrency: -1}
	_, err := o.NewWriter(io.Discard, testKey)
	for name, open := range openers {
		if _, err2 := open(testKey, file, o); err == nil || fmt.Sprint(err2) != fmt.Sprint(err) {
			t.Errorf("%s, Concurrency -1: got error %v, want %v", name, err2, err)
		}
	}
	// Memory is allocated for the goroutines that work, not for all that are allowed.
	o.Concurrency = math.MaxInt32
	if got, err := openWith(testKey, v2.refSeal(t, testKey), o); err != nil || !bytes.Equal(got, testKey) {
		t.Errorf("Concurrency 2^31 - 1: got %d bytes, error %v, want the plaintext", len(got), err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(5))
	// WebAssembly always uses one goroutine.
	if g, err := (&Options{}).goroutines(); g != runtime.GOMAXPROCS(0) || err != nil {
		t.Errorf("goroutines = %d, %v, want GOMAXPROCS, which is %d", g, err, runtime.GOMAXPROCS(0))
	}
}

// TestChunkedOptions checks the options of formats with a fixed chunk size.
func TestChunkedOptions(t *testing.T) {
	for _, k := range largeKinds[1:] {
		file := k.refSeal(t, testKey)
		for n, want := range map[int]string{
			0: "<nil>", 1 << 14: "<nil>",
			1 << 13: "stream: chunks of 8192 bytes, want 16384, or 0", 1 << 16: "stream: chunks of 65536 bytes, want 16384, or 0", -1: "stream: chunks of -1 bytes, want 16384, or 0",
		} {
			o := Options{Format: k.o.Format, ChunkSize: n}
			w, err := o.NewWriter(io.Discard, k.key)
			if fmt.Sprint(err) != want || (w == nil) != (err != nil) {
				t.Errorf("%v: NewWriter with chunks of %d bytes: got error %v, want %s", o.Format, n, err, want)
			}
			if got := o.SealedSize(100); got != 56+100+16 && !(got == -1 && want != "<nil>") {
				t.Errorf("%v: SealedSize with chunks of %d bytes = %d, want 172, or -1 for an error", o.Format, n, got)
			}
			eachOpener(k.key, file, o, func(how string, got []byte, err error) {
				if fmt.Sprint(err) != want || err == nil && !bytes.Equal(got, testKey) {
					t.Errorf("%v: %s with chunks of %d bytes: got error %v, want %s", o.Format, how, n, err, want)
				}
			})
		}
	}
}

// TestFormats checks the methods of every Format and of invalid values.
func TestFormats(t *testing.T) {
	for f, want := range map[Format]struct {
		name string
		size int
	}{
		UnimacV2:                {"UnimacV2", 32},
		Cobblestone128:          {"Cobblestone128", 16},
		Cobblestone256:          {"Cobblestone256", 32},
		ChunkedChaCha20Poly1305: {"ChunkedChaCha20Poly1305", 32},
		ChunkedAEGIS256X2:       {"ChunkedAEGIS256X2", 32},
		-1:                      {"Format(-1)", 0},
		1000:                    {"Format(1000)", 0},
	} {
		if f.String() != want.name || f.KeySize() != want.size {
			t.Errorf("Format %d: name %v, key size %d, want %s, %d", int(f), f, f.KeySize(), want.name, want.size)
		}
	}
	if (Options{}).Format != UnimacV2 || UnimacV2.KeySize() != KeySize {
		t.Errorf("the default format is %v, want %v with keys of %d bytes", (Options{}).Format, UnimacV2, KeySize)
	}
	for _, f := range []Format{-1, 1000} {
		o, want := Options{Format: f}, fmt.Sprintf("stream: unknown format %d", int(f))
		if n := o.SealedSize(10); n != -1 {
			t.Errorf("%v: SealedSize = %d, want -1", f, n)
		}
		if _, err := o.NewWriter(io.Discard, testKey); fmt.Sprint(err) != want {
			t.Errorf("%v: NewWriter: got error %v, want %s", f, err, want)
		}
		if _, err := o.NewSealingReader(bytes.NewReader(nil), testKey); fmt.Sprint(err) != want {
			t.Errorf("%v: NewSealingReader: got error %v, want %s", f, err, want)
		}
		eachOpener(testKey, nil, o, func(how string, _ []byte, err error) {
			if fmt.Sprint(err) != want {
				t.Errorf("%v: %s: got error %v, want %s", f, how, err, want)
			}
		})
	}
}

func TestSealedSize(t *testing.T) {
	eachKind(t, append(smallKinds, largeKinds...), testSealedSize)
	if got := SealedSize(200000); got != 64+200000+4*32 {
		t.Errorf("SealedSize(200000) = %d, want %d", got, 64+200000+4*32)
	}
	// The largest plaintext takes 2^63 - 1 bytes when sealed, or slightly less.
	maxSize := int64(math.MaxInt64 - 64)
	maxSize -= maxSize/(65536+32)*32 + 32
	for n, want := range map[int64]bool{maxSize: true, maxSize + 64: false, math.MaxInt64: false, math.MaxInt64 - 1: false, math.MinInt64: false, -1: false} {
		if got := SealedSize(n); (got > 0) != want || got < -1 || want && got < n {
			t.Errorf("SealedSize(%d) = %d, want -1, or more than the plaintext size if a stream can be so large (%t)", n, got, want)
		}
	}
	// In the other formats, the largest plaintext consists of 2^38 chunks, the last of
	// which is incomplete.
	for _, k := range largeKinds[1:] {
		for n, want := range map[int64]int64{1<<52 - 1: 56 + 1<<52 - 1 + 16<<38, 1 << 52: -1, 1<<52 + 1: -1, math.MaxInt64: -1, -1: -1} {
			if got := k.o.SealedSize(n); got != want {
				t.Errorf("%s: SealedSize(%d) = %d, want %d", k.name, n, got, want)
			}
		}
	}
}

func testSealedSize(t *testing.T, k *kind) {
	for _, n := range []int{0, 1, 1023, 1024, 1025, 2048, 16383, 16384, 16385, 32768, 65535, 65536, 65537, 131072, 200000} {
		if got, want := k.o.SealedSize(int64(n)), len(k.refSeal(t, make([]byte, n))); got != int64(want) {
			t.Errorf("SealedSize(%d) = %d, want %d", n, got, want)
		}
	}
}

// TestHugeSize passes sizes that overflow if anything is added to them.
func TestHugeSize(t *testing.T) { eachKind(t, smallKinds, testHugeSize) }

func testHugeSize(t *testing.T, k *kind) {
	file := k.refSeal(t, make([]byte, 5000))
	for back := range int64(3000) {
		size := math.MaxInt64 - back*back
		want := ErrTruncated
		if k.shortEnd() {
			want = ErrFormat // there is no such stream
		}
		if _, err := k.o.NewReaderAt(bytes.NewReader(file), size, k.key); errorKind(err) != want {
			t.Fatalf("NewReaderAt with size %d: got error %v, want %v", size, err, want)
		}
	}
}

// TestZeroValues checks that zero values do not behave like an empty stream.
func TestZeroValues(t *testing.T) {
	b := make([]byte, 10)
	for name, f := range map[string]func(){
		"Writer.Write":        func() { new(Writer).Write(b) },
		"empty Writer.Write":  func() { new(Writer).Write(nil) },
		"Writer.ReadFrom":     func() { new(Writer).ReadFrom(bytes.NewReader(b)) },
		"Writer.Close":        func() { new(Writer).Close() },
		"Writer.Abort":        func() { new(Writer).Abort() },
		"Reader.Read":         func() { new(Reader).Read(b) },
		"empty Reader.Read":   func() { new(Reader).Read(nil) },
		"Reader.WriteTo":      func() { new(Reader).WriteTo(io.Discard) },
		"ReaderAt.ReadAt":     func() { new(ReaderAt).ReadAt(b, 0) },
		"ReaderAt.Size":       func() { new(ReaderAt).Size() },
		"ReaderAt.NewReader":  func() { new(ReaderAt).NewReader() },
		"SealingReader.Read":  func() { new(SealingReader).Read(b) },
		"OpeningWriter.Write": func() { new(OpeningWriter).Write(b) },
		"OpeningWriter.Close": func() { new(OpeningWriter).Close() },
	} {
		if got := mactest.Panic(f); got != "stream: use of a value that no constructor returned" {
			t.Errorf("%s of a zero value: got panic %q", name, got)
		}
	}
}

// TestNoDestination uses an OpeningWriter whose destination is nil. Unlike the zero
// value, it works until there is plaintext.
func TestNoDestination(t *testing.T) {
	file := v2.refSeal(t, mactest.Random(100, 1))
	w, err := v2.o.NewOpeningWriter(nil, v2.key)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := w.Write(file); n != len(file) || err != nil {
		t.Errorf("Write = %d, %v, want %d, nil", n, err, len(file))
	}
	if got := mactest.Panic(func() { w.Close() }); got == "" || strings.Contains(got, "zero value") {
		t.Errorf("Close: got panic %q, want another panic than for a zero value", got)
	}
}

// TestTruncatedIsEOF checks that code that does not know this package sees truncation
// as io.ErrUnexpectedEOF.
func TestTruncatedIsEOF(t *testing.T) {
	file := v2.refSeal(t, mactest.Random(3000, 1))
	for _, n := range []int{0, 10, v2.header, v2.header + v2.stride()} {
		v2.eachOpener(file[:n], func(how string, _ []byte, err error) {
			if !errors.Is(err, ErrTruncated) || !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(err.Error(), "stream: truncated") {
				t.Errorf("truncated to %d bytes: %s: got error %v, want %v", n, how, err, ErrTruncated)
			}
		})
	}
}

// TestOpeningWriterWipes checks that an OpeningWriter keeps its key until it has
// received the header, or has failed to, and no longer.
func TestOpeningWriterWipes(t *testing.T) { eachKind(t, smallKinds, testOpeningWriterWipes) }

func testOpeningWriterWipes(t *testing.T, k *kind) {
	file := k.refSeal(t, mactest.Random(100, 1))
	for _, n := range []int{0, 10, k.header - 1, k.header, len(file)} {
		w, err := k.o.NewOpeningWriter(io.Discard, k.key)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(file[:n])
		if wiped := bytes.Equal(w.key, make([]byte, len(k.key))); wiped != (n >= k.header) {
			t.Errorf("%d bytes written: key wiped = %t, want %t", n, wiped, !wiped)
		}
		if w.Close(); !bytes.Equal(w.key, make([]byte, len(k.key))) {
			t.Errorf("%d bytes written: the key was not wiped by Close", n)
		}
	}
	foreign := k.withKey(77)
	w, err := foreign.o.NewOpeningWriter(io.Discard, foreign.key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(file); !errors.Is(err, ErrKey) {
		t.Fatal(err)
	}
	if !bytes.Equal(w.key, make([]byte, len(k.key))) {
		t.Error("the key was not wiped after ErrKey")
	}
}
