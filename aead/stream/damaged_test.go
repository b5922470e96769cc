// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// A damagedCase contains a damaged stream and says which of its chunks are intact.
type damagedCase struct {
	k         *kind
	what      string
	file      []byte
	plaintext []byte // of the undamaged stream
	intact    []bool // for each chunk of file
	size      int64  // plaintext size that corresponds to the length of file
	whole     bool   // the end is intact
}

// damage returns a stream of k with random damage after its header. A chunk is intact
// if its bytes equal the original bytes at the same position.
func (k *kind) damage(rng *rand.Rand, plaintext, original []byte) *damagedCase {
	d := &damagedCase{k: k, file: bytes.Clone(original), plaintext: plaintext}
	for range 1 + rng.IntN(2) {
		n := len(d.file) - k.header
		if n == 0 {
			break
		}
		at := k.header + rng.IntN(n)
		chunk := func() int { return k.header + rng.IntN((n+k.stride()-1)/k.stride())*k.stride() }
		switch kind := rng.IntN(8); kind {
		case 0: // flip a bit
			d.file[at] ^= 1 << rng.IntN(8)
		case 1: // clear a sector
			clear(d.file[at:min(at+512, len(d.file))])
		case 2: // truncate
			d.file = d.file[:at]
		case 3: // truncate at a chunk boundary, or within the next tag's length
			d.file = d.file[:min(chunk()+rng.IntN(2)*rng.IntN(k.tag), len(d.file))]
		case 4: // append bytes
			d.file = append(d.file, mactest.Random(1+rng.IntN(2*k.stride()), rng.Uint64())...)
		case 5: // remove a piece, which shifts everything after it
			d.file = append(d.file[:at:at], d.file[min(at+1+rng.IntN(k.stride()), len(d.file)):]...)
		case 6: // duplicate a chunk
			i := chunk()
			d.file = append(d.file[:i:i], append(bytes.Clone(d.file[i:min(i+k.stride(), len(d.file))]), d.file[i:]...)...)
		case 7: // duplicate the whole stream
			d.file = append(d.file, original[rng.IntN(2)*k.header:]...)
		}
		d.what += fmt.Sprint(" ", len(d.file))
	}
	was, is := k.layOut(original).chunks, k.layOut(d.file).chunks
	for i, chunk := range is {
		d.intact = append(d.intact, i < len(was) && bytes.Equal(chunk, was[i]))
		d.size += int64(max(0, len(chunk)-k.tag))
	}
	d.whole = len(is) == len(was) && d.intact[len(is)-1]
	return d
}

// TestDamaged opens 1000 damaged streams of each format with Options.Damaged.
func TestDamaged(t *testing.T) { eachKind(t, smallKinds, testDamaged) }

func testDamaged(t *testing.T, k *kind) {
	rng := rand.New(rand.NewPCG(49, uint64(k.o.Format)))
	opened, lost, ends := 0, 0, 0
	for i := range 1000 {
		n := rng.IntN(5*k.size + 1)
		if i%4 == 0 {
			n = n / k.size * k.size // the last chunk is complete, or empty
		}
		plaintext := mactest.Random(n, uint64(i))
		d := k.damage(rng, plaintext, k.seal(t, 1, n+1, plaintext))
		d.what = fmt.Sprintf("stream %d of %d bytes,%s", i, n, d.what)
		for _, intact := range d.intact {
			if intact {
				opened++
			} else {
				lost++
			}
		}
		if d.whole {
			ends++
		}
		d.check(t, rng)
		if t.Failed() {
			return
		}
	}
	if opened < 1000 || lost < 1000 || ends < 50 || ends > 900 {
		t.Errorf("%d chunks opened, %d chunks lost, %d intact ends, want at least 1000 chunks of each kind and 50 to 900 ends", opened, lost, ends)
	}
}

func (d *damagedCase) check(t *testing.T, rng *rand.Rand) {
	t.Helper()
	k, src, size := d.k, bytes.NewReader(d.file), int64(len(d.file))
	o := k.with(1 + rng.IntN(2)*2)
	if _, err := o.NewReaderAt(src, size, k.key); (err == nil) != d.whole {
		t.Errorf("%s: without Damaged: got error %v; the end is intact: %t", d.what, err, d.whole)
	}
	o.Damaged = true
	r, err := o.NewReaderAt(src, size, k.key)
	if err != nil {
		t.Fatalf("%s: NewReaderAt: %v", d.what, err)
	}
	if r.Size() != d.size {
		t.Fatalf("%s: Size = %d, want %d", d.what, r.Size(), d.size)
	}
	// Beyond the end, the error is io.EOF only if the end is intact.
	n, err := r.ReadAt(make([]byte, 1), r.Size())
	if n != 0 || d.whole != (err == io.EOF) || !d.whole && !errors.Is(err, ErrAuth) && !errors.Is(err, ErrTruncated) && !errors.Is(err, ErrFormat) {
		t.Errorf("%s: ReadAt at the end = %d, %v, want 0 and io.EOF if the end is intact (%t), or another error", d.what, n, err, d.whole)
	}
	s := r.NewReader()
	defer s.Close()
	for range 6 {
		off := rng.Int64N(d.size + 1)
		if rng.IntN(2) == 0 {
			off = off / int64(k.size) * int64(k.size)
		}
		p := make([]byte, rng.IntN(3*k.size))
		want, ok := d.want(off, len(p))
		n, err := r.ReadAt(p, off)
		if n != len(want) || !bytes.Equal(p[:n], want) || (err == nil) != ok {
			t.Errorf("%s: ReadAt of %d bytes at %d = %d, %v, want %d, success %t", d.what, len(p), off, n, err, len(want), ok)
		}
		if !ok && (err == io.EOF) != (d.whole && off+int64(n) == d.size) {
			t.Errorf("%s: ReadAt of %d bytes at %d = %d, %v, want io.EOF only at the end (%d) of an intact stream", d.what, len(p), off, n, err, d.size)
		}
		// Repeat the read with NewReader, and then read to the end: Seek continues
		// after a damaged chunk.
		if _, err := s.Seek(off, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		m, err := io.ReadFull(s, p)
		if m != len(want) || !bytes.Equal(p[:m], want) || (err == nil) != ok {
			t.Errorf("%s: Read of %d bytes at %d = %d, %v, want %d, success %t", d.what, len(p), off, m, err, len(want), ok)
		}
		s.Seek(off, io.SeekStart)
		rest, ok := d.want(off, int(d.size-off))
		if got, err := io.ReadAll(s); !bytes.Equal(got, rest) || (err == nil) != (ok && d.whole) {
			t.Errorf("%s: ReadAll from %d: got %d bytes, error %v, want %d bytes, success %t", d.what, off, len(got), err, len(rest), ok && d.whole)
		}
		s.Seek(off, io.SeekStart)
		var out bytes.Buffer
		w, err := s.(io.WriterTo).WriteTo(&out)
		if w != int64(len(rest)) || !bytes.Equal(out.Bytes(), rest) || (err == nil) != (ok && d.whole) {
			t.Errorf("%s: WriteTo from %d = %d, %v, want %d, success %t", d.what, off, w, err, len(rest), ok && d.whole)
		}
	}
}

// want returns the expected result of reading n bytes at off: the plaintext before the
// first damaged chunk, and whether this is all of it.
func (d *damagedCase) want(off int64, n int) (p []byte, ok bool) {
	end := min(off+int64(n), d.size)
	for at := off; at < end; {
		i := at / int64(d.k.size)
		switch {
		case !d.intact[i] && at == off:
			return nil, false
		case !d.intact[i]:
			return d.plaintext[off:at], false
		}
		at = min((i+1)*int64(d.k.size), end)
	}
	if off == end {
		return nil, n == 0
	}
	return d.plaintext[off:end], end == off+int64(n)
}

// TestDamagedHeader uses streams that are rejected even with Options.Damaged.
func TestDamagedHeader(t *testing.T) { eachKind(t, smallKinds, testDamagedHeader) }

func testDamagedHeader(t *testing.T, k *kind) {
	o := k.with(1)
	o.Damaged = true
	file := k.refSeal(t, mactest.Random(3*k.size, 1))
	for at := range file[:k.header] {
		if _, err := o.NewReaderAt(bytes.NewReader(file), int64(at), k.key); !errors.Is(err, ErrTruncated) {
			t.Errorf("header truncated to %d bytes: got error %v, want %v", at, err, ErrTruncated)
		}
		file[at] ^= 1
		if _, err := o.NewReaderAt(bytes.NewReader(file), int64(len(file)), k.key); err == nil {
			t.Errorf("byte %d changed: got no error", at)
		}
		file[at] ^= 1
	}
	if _, err := o.NewReaderAt(bytes.NewReader(file), int64(len(file)), k.withKey(2).key); !errors.Is(err, ErrKey) {
		t.Errorf("wrong key: got error %v, want %v", err, ErrKey)
	}
	// The header alone is a stream that has lost all chunks.
	r, err := o.NewReaderAt(bytes.NewReader(file), int64(k.header), k.key)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := r.ReadAt(make([]byte, 1), 0); r.Size() != 0 || n != 0 || !errors.Is(err, ErrTruncated) {
		t.Errorf("header without chunks: Size = %d, ReadAt = %d, %v, want size 0 and 0, %v", r.Size(), n, err, ErrTruncated)
	}
	// A Reader and an OpeningWriter ignore the option.
	damaged := bytes.Clone(file)
	damaged[k.header] ^= 1
	if got, err := openWith(k.key, damaged, o); len(got) > 0 || !errors.Is(err, ErrAuth) {
		t.Errorf("Reader: got %d bytes, error %v, want 0 bytes, %v", len(got), err, ErrAuth)
	}
	if got, err := openWriter(k.key, damaged, o); len(got) > 0 || !errors.Is(err, ErrAuth) {
		t.Errorf("OpeningWriter: got %d bytes, error %v, want 0 bytes, %v", len(got), err, ErrAuth)
	}
}

// badSectors is a source with some unreadable bytes.
type badSectors struct {
	*bytes.Reader
	from, to int64
}

var errBadSector = errors.New("bad sector")

func (b badSectors) ReadAt(p []byte, off int64) (int, error) {
	if off < b.to && b.from < off+int64(len(p)) {
		n, _ := b.Reader.ReadAt(p[:max(0, b.from-off)], off)
		return n, errBadSector
	}
	return b.Reader.ReadAt(p, off)
}

// TestDamagedSource uses a source that fails at the end of the stream.
func TestDamagedSource(t *testing.T) { eachKind(t, smallKinds, testDamagedSource) }

func testDamagedSource(t *testing.T, k *kind) {
	plaintext := mactest.Random(3*k.size+10, 1)
	file := k.refSeal(t, plaintext)
	src := badSectors{bytes.NewReader(file), int64(len(file)) - 1, int64(len(file))}
	o := k.with(1)
	if _, err := o.NewReaderAt(src, int64(len(file)), k.key); err != errBadSector {
		t.Errorf("NewReaderAt without Damaged: got error %v, want %v", err, errBadSector)
	}
	o.Damaged = true
	r, err := o.NewReaderAt(src, int64(len(file)), k.key)
	if err != nil {
		t.Fatal(err)
	}
	p := make([]byte, len(plaintext)+1)
	if n, err := r.ReadAt(p, 0); n != 3*k.size || err != errBadSector || !bytes.Equal(p[:n], plaintext[:n]) {
		t.Errorf("ReadAt = %d, %v, want %d, %v and the plaintext", n, err, 3*k.size, errBadSector)
	}
	if _, err := r.ReadAt(p, r.Size()); err != errBadSector {
		t.Errorf("ReadAt at the end: got error %v, want %v", err, errBadSector)
	}
}

// A rangeSource records the range that has been read.
type rangeSource struct {
	*bytes.Reader
	from, to int64
}

func (s *rangeSource) ReadAt(p []byte, off int64) (int, error) {
	s.from, s.to = min(s.from, off), max(s.to, off+int64(len(p)))
	return s.Reader.ReadAt(p, off)
}

// TestSealedRange compares SealedRange with the range that ReadAt reads.
func TestSealedRange(t *testing.T) { eachKind(t, smallKinds, testSealedRange) }

func testSealedRange(t *testing.T, k *kind) {
	rng := rand.New(rand.NewPCG(50, uint64(k.o.Format)))
	for i := range 60 {
		n := rng.IntN(6 * k.size)
		switch i % 6 {
		case 0:
			n = n / k.size * k.size
		case 1:
			n = rng.IntN(2)
		}
		file := k.refSeal(t, mactest.Random(n, 1))
		o := k.with(1)
		if i%5 == 0 && n > 0 { // truncate within the last chunk
			o.Damaged = true
			file = file[:len(file)-rng.IntN(k.tag)-1]
		}
		for range 20 {
			src := &rangeSource{Reader: bytes.NewReader(file)}
			r, err := o.NewReaderAt(src, int64(len(file)), k.key) // a new one, because it keeps opened chunks
			if err != nil {
				t.Fatal(err)
			}
			off, length := rng.Int64N(int64(n)+10), rng.Int64N(int64(2*n)+10)
			from, to := r.SealedRange(off, length)
			src.from, src.to = math.MaxInt64, 0
			r.slots = slotPool{} // drop the chunks that the constructor opened, too
			r.slots.init(4, 1)
			_, err = r.ReadAt(make([]byte, length), off)
			if src.to == 0 {
				src.from = 0
			}
			if from != src.from || to != src.to {
				t.Fatalf("SealedRange of %d bytes at %d of %d = %d, %d, but ReadAt read %d to %d (error %v)", length, off, r.Size(), from, to, src.from, src.to, err)
			}
		}
	}
	r, err := k.with(1).NewReaderAt(bytes.NewReader(k.refSeal(t, make([]byte, 3000))), int64(k.o.SealedSize(3000)), k.key)
	if err != nil {
		t.Fatal(err)
	}
	end := k.o.SealedSize(3000)
	for _, tt := range [][4]int64{
		{0, 0, 0, 0}, {-1, 5, 0, 0}, {5, -1, 0, 0}, {3000, 1, 0, 0}, {math.MaxInt64, math.MaxInt64, 0, 0},
		{math.MinInt64, math.MinInt64, 0, 0}, {5, math.MaxInt64, int64(k.header), end}, {0, 3000, int64(k.header), end},
		{2999, 1, int64(k.header + 2999/k.size*k.stride()), end},
	} {
		if from, to := r.SealedRange(tt[0], tt[1]); from != tt[2] || to != tt[3] {
			t.Errorf("SealedRange(%d, %d) = %d, %d, want %d, %d", tt[0], tt[1], from, to, tt[2], tt[3])
		}
	}
}
