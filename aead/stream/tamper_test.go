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

// errorKind returns the error of this package that err wraps, or a different error if
// err does not wrap exactly one.
func errorKind(err error) error {
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
		return fmt.Errorf("error %v wraps %d errors of this package, want 1", err, len(kinds))
	}
	return kinds[0]
}

// A layout contains the parts of a file.
type layout struct {
	header []byte
	chunks [][]byte
}

func (k *kind) layOut(file []byte) layout {
	l := layout{header: file[:k.header]}
	for rest := file[k.header:]; len(rest) > 0; {
		n := min(k.stride(), len(rest))
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

// TestChunks removes, repeats and exchanges chunks.
func TestChunks(t *testing.T) { eachKind(t, smallKinds, testChunks) }

func testChunks(t *testing.T, k *kind) {
	for _, n := range []int{3 << 10, 4<<10 - 100, 1<<12 - 1} {
		plaintext := mactest.Random(n, 5)
		l := k.layOut(k.refSeal(t, plaintext))
		last := len(l.chunks) - 1
		all := make([]int, len(l.chunks))
		for i := range all {
			all[i] = i
		}
		if got, err := k.open(l.file(all...), 1); err != nil || !bytes.Equal(got, plaintext) {
			t.Fatal(err)
		}
		check := func(want error, chunks ...int) {
			t.Helper()
			k.checkBad(t, fmt.Sprintf("%d bytes, chunks %v", n, chunks), l.file(chunks...), plaintext, want)
		}
		for i := range all { // the end is missing
			check(ErrTruncated, all[:i]...)
		}
		for i := range all[:last] { // remove or duplicate a chunk
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
		// Insert a chunk of another file under the same key.
		otherSalt := k.salt
		otherSalt[0] ^= 1
		other := k.layOut(k.refSealWith(t, &otherSalt, nil, plaintext))
		for i := range all {
			mixed := layout{l.header, append([][]byte{}, l.chunks...)}
			mixed.chunks[i] = other.chunks[i]
			k.checkBad(t, fmt.Sprintf("chunk %d of another file", i), mixed.file(all...), plaintext, ErrAuth)
		}
	}
}

// TestTruncated truncates files at every byte and extends them. In whole mode, it uses
// more lengths.
func TestTruncated(t *testing.T) { eachKind(t, smallKinds, testTruncated) }

func testTruncated(t *testing.T, k *kind) {
	t.Parallel()
	lengths := []int{0, 1024, 1025}
	if mactest.Whole() {
		lengths = []int{0, 1, 100, 1024, 1025, 2048, 2500}
	}
	for _, n := range lengths {
		plaintext := mactest.Random(n, 6)
		file := k.refSeal(t, plaintext)
		for cut := range file {
			want := ErrAuth
			if cut < k.header || (cut-k.header)%k.stride() < k.tag {
				want = ErrTruncated
			}
			k.checkBad(t, fmt.Sprintf("%d bytes, cut after %d", n, cut), file[:cut], plaintext, want)
		}
		for _, more := range []int{1, k.tag - 1, k.tag, k.tag + 1, k.stride() - 1, k.stride(), k.stride() + 1, 1100} {
			for _, tail := range [][]byte{make([]byte, more), mactest.Random(more, 7)} {
				k.checkBad(t, fmt.Sprintf("%d bytes and %d more", n, more), append(bytes.Clone(file), tail...), plaintext, ErrAuth)
			}
		}
	}
}

// TestEveryByte changes every byte of a file, by flipping one bit or, in whole mode,
// each of two bits.
func TestEveryByte(t *testing.T) { eachKind(t, smallKinds, testEveryByte) }

func testEveryByte(t *testing.T, k *kind) {
	t.Parallel()
	plaintext := mactest.Random(2100, 8)
	file := k.refSeal(t, plaintext)
	for i := range file {
		if testing.Short() && i > 100 && i%17 != 0 {
			continue
		}
		for j, mask := range []byte{1, 0x80} {
			if !mactest.Whole() && i > 100 && i%2 != j { // flips both bits in the header
				continue
			}
			want := ErrAuth
			switch {
			case i < 7 || i == 7 && mask == 0x80:
				want = k.foreign()
			case i < k.header:
				want = ErrKey
			}
			file[i] ^= mask
			k.checkBad(t, fmt.Sprintf("byte %d changed", i), file, plaintext, want)
			file[i] ^= mask
		}
	}
}

func TestForeign(t *testing.T) { eachKind(t, smallKinds, testForeign) }

func testForeign(t *testing.T, k *kind) {
	file := k.refSeal(t, mactest.Random(3000, 9))
	other := k.withKey(10)
	other.checkBad(t, "another key", file, nil, ErrKey)
	other.checkBad(t, "another key, empty", k.refSeal(t, nil), nil, ErrKey)
	if k.shortEnd() {
		k.checkBad(t, "a text", []byte("a text that is longer than the header of a stream, and is not one"), nil, ErrKey)
		return
	}
	for _, foreign := range []string{"u2", "\x7fELF", "unimac3", "unimac1", "unimac1\x10", "unimac2\x09", "unimac2\x19", "unimac2\x00",
		"a text that is longer than the header of a stream, and is not one"} {
		k.checkBad(t, foreign, []byte(foreign), nil, ErrFormat)
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
		k.checkBad(t, fmt.Sprintf("chunks of 2^%d", e), changed, nil, want)
	}
}

// sealRun seals consecutive chunks.
func sealRun(c *chunkCipher, plaintext []byte, index uint64, last bool) []byte {
	count := int(c.chunkCount(int64(len(plaintext)), int64(c.size)))
	buf := make([]byte, len(plaintext)+count*c.tagSize)
	for i := 0; i < len(plaintext); i += c.size {
		copy(buf[c.plainOffset(i):], plaintext[i:min(i+c.size, len(plaintext))])
	}
	return c.seal(buf, nil, len(plaintext), index, last, new(messageBatch))
}

// TestEmptyChunk creates a file that only someone with the key can create: an empty
// last chunk after others. It opens if streams of the format end this way.
func TestEmptyChunk(t *testing.T) { eachKind(t, smallKinds, testEmptyChunk) }

func testEmptyChunk(t *testing.T, k *kind) {
	plaintext := mactest.Random(2048, 11)
	header, c := k.newChunks(t)
	file := append(header, sealRun(&c, plaintext, 0, false)...)
	file = append(file, sealRun(&c, nil, 2, true)...)
	if k.shortEnd() {
		k.eachOpener(file, func(how string, got []byte, err error) {
			if err != nil || !bytes.Equal(got, plaintext) {
				t.Errorf("empty last chunk: %s: got %d bytes, error %v, want the plaintext", how, len(got), err)
			}
		})
	} else {
		k.checkBad(t, "an empty chunk after others", file, plaintext, ErrFormat)
	}
	file[len(file)-1] ^= 1
	k.checkBad(t, "an empty chunk after others, changed", file, plaintext, ErrAuth)
}

// TestAuthenticPrefix checks that a Reader returns all authentic plaintext before an
// error.
func TestAuthenticPrefix(t *testing.T) { eachKind(t, smallKinds, testAuthenticPrefix) }

func testAuthenticPrefix(t *testing.T, k *kind) {
	plaintext := mactest.Random(20<<10, 12)
	for _, g := range goroutines {
		for bad := range 20 {
			file := k.refSeal(t, plaintext)
			file[k.header+bad*k.stride()+5] ^= 1
			if got, err := k.open(file, g); errorKind(err) != ErrAuth || !bytes.Equal(got, plaintext[:bad<<10]) {
				t.Errorf("chunk %d changed: got %d bytes, error %v, want %d bytes, %v", bad, len(got), err, bad<<10, ErrAuth)
			}
			cut := k.refSeal(t, plaintext)[:k.header+bad*k.stride()]
			if got, err := k.open(cut, g); errorKind(err) != ErrTruncated || !bytes.Equal(got, plaintext[:bad<<10]) {
				t.Errorf("truncated after %d chunks: got %d bytes, error %v, want %d bytes, %v", bad, len(got), err, bad<<10, ErrTruncated)
			}
		}
	}
}
