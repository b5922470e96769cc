// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

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
		if testing.Short() && i > 100 && i%17 != 0 {
			continue
		}
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
	return c.seal(buf, nil, len(plaintext), index, last, new(messageBatch))
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
