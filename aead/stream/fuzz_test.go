// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/unimac/unimac/internal/mactest"
)

// checkFuzzed opens a file with all readers. The output must be a prefix of the
// plaintext, and may be complete and without an error only if the file equals good. All
// Readers must return the same amount before the same error.
func (k *kind) checkFuzzed(t *testing.T, file, good, plaintext []byte) {
	t.Helper()
	same := bytes.Equal(file, good)
	check := func(how string, got []byte, err error) {
		t.Helper()
		switch {
		case !bytes.HasPrefix(plaintext, got):
			t.Errorf("%s: the output is not a prefix of the plaintext", how)
		case same && (err != nil || len(got) != len(plaintext)):
			t.Errorf("%s: got %d bytes, error %v, want the %d bytes of plaintext", how, len(got), err, len(plaintext))
		case !same && err == nil:
			t.Errorf("%s: a modified file opens to %d bytes, want an error", how, len(got))
		case !same:
			if k := errorKind(err); k != ErrFormat && k != ErrTruncated && k != ErrAuth && k != ErrKey {
				t.Errorf("%s: got error %v, want an error of this package", how, k)
			}
		}
	}
	read := func(goroutines int, wrap func(io.Reader) io.Reader) ([]byte, error) {
		r, err := k.newReader(wrap(bytes.NewReader(file)), goroutines)
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		_, err = r.WriteTo(&out)
		return out.Bytes(), err
	}
	first, firstErr := k.open(file, 1)
	check("Reader", first, firstErr)
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"DataErrReader": iotest.DataErrReader, "HalfReader": iotest.HalfReader,
	} {
		got, err := read(3, wrap)
		check(name, got, err)
		if (err == nil) != (firstErr == nil) || err != nil && errorKind(err) != errorKind(firstErr) || !bytes.Equal(got, first) {
			t.Errorf("%s: got %d bytes, error %v, want %d bytes, error %v as with one Read", name, len(got), err, len(first), firstErr)
		}
	}
	got, err := openWriter(k.key, file, k.with(2))
	check("OpeningWriter", got, err)
	if err != nil && errorKind(err) != errorKind(firstErr) {
		t.Errorf("OpeningWriter: got error %v, want %v", err, firstErr)
	}
	if got, err := openSeeker(k.key, file, k.with(2)); err != nil || len(got) > 0 {
		check("NewReader", got, err)
	}
	at, atErr := openAtWith(k.key, file, k.with(1))
	check("ReaderAt", at, atErr)
	r, err := k.newReaderAt(bytes.NewReader(file), int64(len(file)), 2)
	if err != nil {
		check("ReaderAt", nil, err)
		return
	}
	// Read small pieces from the end to the beginning. Each must be correct or an
	// error.
	piece := make([]byte, 700)
	for off := r.Size() / 500 * 500; off >= 0; off -= 500 {
		n, err := r.ReadAt(piece, off)
		if err != nil && err != io.EOF {
			check("ReadAt", nil, err)
		}
		if after := plaintext[min(off, int64(len(plaintext))):]; !bytes.HasPrefix(after, piece[:n]) || err == nil && n < len(piece) {
			t.Errorf("ReadAt at %d = %d, %v, want plaintext, and all of it or an error", off, n, err)
		}
	}
}

// fuzzLengths contains plaintext lengths: empty, less than a chunk of 1024 bytes, one
// chunk, and several.
var fuzzLengths = []int{0, 1, 1023, 1024, 1025, 2048, 2500, 4096}

// FuzzReader opens arbitrary bytes, alone and in place of a part of a valid file.
func FuzzReader(f *testing.F) {
	plaintext := mactest.Random(2500, 8)
	good := v2.refSeal(f, plaintext)
	zeros := strings.Repeat("\x00", 200)
	f.Add(good, uint16(0), true)
	f.Add(good[:1120], uint16(5), false)
	f.Add(good[64:1120], uint16(1120), true)
	f.Add([]byte("unimac2\x18"), uint16(40), true)
	for _, header := range []string{"", "unim", "unimac2", "unimac2\x09" + zeros[:56], "unimac2\x19" + zeros[:56], "unimac2\x18" + zeros[:156], "unimacp1" + zeros[:60]} {
		f.Add([]byte(header), uint16(0), false)
	}
	for _, n := range []int{0, 31, 32} { // after a header: nothing, an incomplete tag, and a tag
		f.Add([]byte("unimac2\x0a"+zeros[:56+n]), uint16(0), false)
	}
	f.Add(append([]byte("unimac2\x0a"), make([]byte, 24+32+32)...), uint16(3000), false)
	f.Add(smallKinds[1].refSeal(f, plaintext), uint16(0), true)
	f.Add(make([]byte, 16), uint16(56+2*1040), false)
	f.Fuzz(func(t *testing.T, data []byte, at uint16, rest bool) {
		for _, k := range smallKinds {
			good := k.refSeal(t, plaintext)
			k.checkFuzzed(t, data, good, plaintext)
			file := append(bytes.Clone(good[:min(int(at), len(good))]), data...)
			if rest && len(file) < len(good) {
				file = append(file, good[len(file):]...)
			}
			k.checkFuzzed(t, file, good, plaintext)
		}
	})
}

// FuzzChanged modifies valid files: the choices determine the order of the chunks, some
// of which are from another file under the same key; bytes are changed; and the end is
// truncated.
func FuzzChanged(f *testing.F) {
	// Each byte of order selects a chunk: its number, plus 16 for a chunk of the other
	// file.
	f.Add([]byte{6, 0, 0, 0}, []byte{0, 1, 2})
	f.Add([]byte{7, 0, 0, 0}, []byte{0, 1, 2, 3})
	f.Add([]byte{7, 0, 0, 0}, []byte{0, 2, 1, 3})
	f.Add([]byte{5, 0, 0, 0}, []byte{0, 1, 1})
	f.Add([]byte{4, 0, 0, 0}, []byte{16, 1})
	f.Add([]byte{4, 32, 0, 0}, []byte{0, 1})
	f.Add([]byte{3, 0, 0, 1, 7, 0, 1}, []byte{0})
	f.Add([]byte{0, 0, 0, 1, 40, 0, 0x80}, []byte{0})
	for _, cut := range []int{1, 31, 32, 33, 1055, 1056, 1057} {
		f.Add([]byte{7, byte(cut), byte(cut >> 8), 0}, []byte{0, 1, 2, 3})
	}
	for _, order := range []string{"", "\x00\x01\x02\x03\x03", "\x01\x02\x03", "\x00\x01\x02\x13"} { // no chunk, the last one twice, the first one missing, and a last chunk of the other file
		f.Add([]byte{7, 0, 0, 0}, []byte(order))
	}
	f.Add([]byte{0, 0, 0, 0}, []byte{0, 0})
	f.Add([]byte{48, 0, 0, 49, 31, 0, 1}, []byte{48}) // changes the file into the other one
	type sealed struct {
		k                          *kind
		plaintext, good, otherGood []byte
		mine, other                layout
	}
	files := make([][]sealed, len(fuzzLengths))
	for i, n := range fuzzLengths {
		plaintext := mactest.Random(n, 8)
		for _, k := range smallKinds {
			otherSalt := k.salt
			otherSalt[23] ^= 1
			good, other := k.refSeal(f, plaintext), k.refSealWith(f, &otherSalt, nil, plaintext)
			files[i] = append(files[i], sealed{k, plaintext, good, other, k.layOut(good), k.layOut(other)})
		}
	}
	f.Fuzz(func(t *testing.T, choices, order []byte) {
		for format := range smallKinds {
			c := mactest.NewChoices(choices)
			s := files[c.Below(len(files))][format]
			file := bytes.Clone(s.mine.header)
			for _, b := range order[:min(len(order), 12)] {
				l := s.mine
				if b&16 != 0 {
					l = s.other
				}
				file = append(file, l.chunks[int(b&15)%len(l.chunks)]...)
			}
			file = file[:max(0, len(file)-c.Length(6000))]
			for range c.Below(4) {
				if at := c.Length(6000); at < len(file) {
					file[at] ^= c.Bytes(1)[0]
				}
			}
			good := s.good
			if bytes.Equal(file, s.otherGood) {
				good = s.otherGood // if there is one chunk, changing the last byte of the salt suffices
			}
			s.k.checkFuzzed(t, file, good, s.plaintext)
		}
	})
}

// FuzzWriter writes pieces with Write and ReadFrom and compares the file with the
// reference. The choices determine the plaintext length, which may exceed a job, the
// number of goroutines, and the pieces.
func FuzzWriter(f *testing.F) {
	f.Add([]byte(nil), []byte(nil))
	f.Add([]byte{0, 4, 0, 1, 10, 64, 255, 255, 0, 255}, []byte("text"))
	f.Add([]byte{0, 8, 0, 2, 79, 79, 79, 80, 78, 255}, mactest.Random(100, 1))
	f.Add([]byte{0, 0, 15, 2, 0, 254, 1}, mactest.Random(100, 2))
	f.Add([]byte{1, 0, 15, 0, 255, 254, 255}, mactest.Random(100, 3))
	for i, n := range []int{0, 1, 1023, 1024, 1025, 4096} {
		f.Add([]byte{byte(n), byte(n >> 8), 0, byte(i % 3), 66, 1}, []byte("text"))
	}
	f.Fuzz(func(t *testing.T, choices, data []byte) {
		for i, k := range smallKinds {
			c := mactest.NewChoices(choices)
			n := c.Length(5000)
			if c.Below(16) == 15 { // more than one job
				n += maxJobBytes / 16
				if k = largeKinds[i]; i == 0 {
					k = newKind(UnimacV2, 1<<13)
				}
			}
			plaintext := make([]byte, n)
			for rest := plaintext; len(rest) > 0 && len(data) > 0; {
				rest = rest[copy(rest, data):]
			}
			k.writeFuzzed(t, c, plaintext)
		}
	})
}

// writeFuzzed writes plaintext in pieces and compares the file with the reference.
func (k *kind) writeFuzzed(t *testing.T, c *mactest.Choices, plaintext []byte) {
	goroutines := 1 + c.Below(3)
	var file bytes.Buffer
	w, err := k.newWriter(&file, goroutines)
	if err != nil {
		t.Fatal(err)
	}
	for rest := plaintext; ; {
		n := c.Piece(len(rest))
		if n > 3000 && n%2 == 1 {
			n = min(n*200, len(rest))
		}
		var err error
		if n%4 == 2 {
			_, err = w.ReadFrom(bytes.NewReader(rest[:n]))
		} else {
			_, err = w.Write(rest[:n])
		}
		if err != nil {
			t.Fatal(err)
		}
		if rest = rest[n:]; len(rest) == 0 {
			break
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if want := k.refSeal(t, plaintext); !bytes.Equal(file.Bytes(), want) {
		t.Errorf("%s, %d bytes, %d goroutines: the file differs from the reference", k.name, len(plaintext), goroutines)
	}
	if got, err := k.open(file.Bytes(), goroutines); err != nil || !bytes.Equal(got, plaintext) {
		t.Errorf("%s, %d bytes: the file opens to %d bytes, error %v", k.name, len(plaintext), len(got), err)
	}
}
