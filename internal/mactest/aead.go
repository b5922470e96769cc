// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"sync"
	"testing"
)

// aeadKeySize is the key size in bytes of every AEAD in this module.
const aeadKeySize = 32

// TestAEAD tests the [cipher.AEAD] that newAEAD returns for a 32-byte key.
func TestAEAD(t *testing.T, newAEAD func(key []byte) cipher.AEAD) {
	s := &aeadSuite{newAEAD(Random(aeadKeySize, 1)), newAEAD(Random(aeadKeySize, 2))}
	t.Run("RoundTrip", s.roundTrip)
	t.Run("Append", s.append)
	t.Run("Empty", s.empty)
	t.Run("InPlace", s.inPlace)
	t.Run("EveryByte", s.everyByte)
	t.Run("Wrong", s.wrong)
	t.Run("Failure", s.forgedOpen)
	t.Run("Overlap", s.overlap)
	t.Run("NonceOverlap", s.nonceOverlap)
	t.Run("NonceLength", s.nonceLength)
	t.Run("Guarded", s.guarded)
	t.Run("Concurrent", s.concurrent)
	t.Run("Allocations", s.allocations)
}

// aeadSuite contains the AEAD under test and an AEAD with a different key.
type aeadSuite struct {
	aead, other cipher.AEAD
}

// aeadLengths returns short message lengths, and lengths around some multiples of 1024.
func aeadLengths() []int {
	var lengths []int
	for n := range 4*128 + 2 {
		if at := n % 64; testing.Short() && at > 1 && at < 63 && n%5 != 0 {
			continue
		}
		lengths = append(lengths, n)
	}
	long := []int{1024, 2048, 4096, 8192, 16384, 32768, 65536, 3 * 65536}
	if testing.Short() {
		long = []int{1024, 4096, 65536, 3 * 65536}
	}
	for _, n := range long {
		lengths = append(lengths, n-1, n, n+1)
	}
	return lengths
}

// nonce returns a pseudorandom nonce, which is empty if NonceSize returns 0.
func (s *aeadSuite) nonce(seed uint64) []byte { return Random(s.aead.NonceSize(), seed) }

func (s *aeadSuite) roundTrip(t *testing.T) {
	check := func(n, ad int) {
		t.Helper()
		nonce, plaintext, data := s.nonce(uint64(n)), Random(n, 3), Random(ad, 4)
		before := [][]byte{bytes.Clone(nonce), bytes.Clone(plaintext), bytes.Clone(data)}
		sealed := s.aead.Seal(nil, nonce, plaintext, data)
		if len(sealed) != n+s.aead.Overhead() {
			t.Fatalf("Seal of %d bytes returned %d bytes, want %d", n, len(sealed), n+s.aead.Overhead())
		}
		copied := bytes.Clone(sealed)
		opened, err := s.aead.Open(nil, nonce, sealed, data)
		if err != nil || !bytes.Equal(opened, plaintext) {
			t.Fatalf("%d bytes, %d of additional data: Open = %x, %v", n, ad, opened, err)
		}
		for i, b := range [][]byte{nonce, plaintext, data} {
			if !bytes.Equal(b, before[i]) {
				t.Fatalf("%d bytes, %d of additional data: Seal or Open changed an input", n, ad)
			}
		}
		if !bytes.Equal(sealed, copied) {
			t.Fatalf("%d bytes: Open changed the ciphertext", n)
		}
		if n >= 32 && bytes.Contains(sealed, plaintext[:16]) {
			t.Fatalf("%d bytes: the ciphertext contains plaintext", n)
		}
	}
	for i, n := range aeadLengths() {
		check(n, i%40)
	}
	for ad := range 3*128 + 2 {
		check(ad%5*50, ad)
	}
	check(1000, 65537)
}

// append checks that Seal and Open append to dst and write nothing else.
func (s *aeadSuite) append(t *testing.T) {
	nonce, data := s.nonce(5), Random(9, 6)
	for _, n := range []int{0, 1, 64, 128, 300, 5000} {
		plaintext := Random(n, 7)
		sealed := s.aead.Seal(nil, nonce, plaintext, data)
		for _, prefix := range [][]byte{{}, {1}, Random(100, 8)} {
			for _, spare := range []int{0, 1, n, n + s.aead.Overhead(), n + s.aead.Overhead() + 33} {
				check := func(name string, want []byte, f func(dst []byte) []byte) {
					t.Helper()
					buf := bytes.Repeat([]byte{0xee}, len(prefix)+spare)
					copy(buf, prefix)
					got := f(buf[:len(prefix)])
					if !bytes.HasPrefix(got, prefix) || !bytes.Equal(got[len(prefix):], want) {
						t.Fatalf("%s: %d bytes, prefix of %d, %d spare bytes: wrong result", name, n, len(prefix), spare)
					}
					if spare < len(want) {
						return
					}
					if len(got) > 0 && &got[0] != &buf[0] {
						t.Fatalf("%s did not use %d spare bytes", name, spare)
					}
					if rest := buf[len(got):]; !bytes.Equal(rest, bytes.Repeat([]byte{0xee}, len(rest))) {
						t.Fatalf("%s wrote beyond its result", name)
					}
				}
				check("Seal", sealed, func(dst []byte) []byte { return s.aead.Seal(dst, nonce, plaintext, data) })
				check("Open", plaintext, func(dst []byte) []byte {
					got, err := s.aead.Open(dst, nonce, sealed, data)
					if err != nil {
						t.Fatal(err)
					}
					return got
				})
			}
		}
	}
}

// empty tests empty plaintexts, empty additional data, and a nil dst.
func (s *aeadSuite) empty(t *testing.T) {
	for _, n := range []int{1, 16, 65, 600, 5000} {
		nonce, plaintext, data := s.nonce(34), Random(n, 35), Random(n, 36)
		Empty(t, fmt.Sprintf("Seal and Open, other inputs of %d bytes", n), func(empty []byte) (all []byte) {
			for _, m := range []struct{ plaintext, data []byte }{{empty, data}, {plaintext, empty}, {empty, empty}} {
				sealed := s.aead.Seal(empty[:0:0], nonce, m.plaintext, m.data)
				opened, err := s.aead.Open(empty[:0:0], nonce, sealed, m.data)
				if err != nil || !bytes.Equal(opened, m.plaintext) {
					t.Fatalf("%d bytes, %d of additional data: Open = %x, %v", len(m.plaintext), len(m.data), opened, err)
				}
				if len(nonce) > 0 { // without a nonce, Seal is randomized
					all = append(all, sealed...)
				}
			}
			return all
		}, nonce, plaintext, data)
	}
}

func (s *aeadSuite) inPlace(t *testing.T) {
	nonce, data := s.nonce(9), Random(20, 10)
	for _, n := range aeadLengths() {
		plaintext := Random(n, 11)
		want := s.aead.Seal(nil, nonce, plaintext, data)
		buf := make([]byte, 3+n+s.aead.Overhead())
		copy(buf, "pre")
		copy(buf[3:], plaintext)
		if got := s.aead.Seal(buf[:3], nonce, buf[3:3+n], data); !bytes.Equal(got[3:], want) {
			t.Fatalf("%d bytes: Seal in place: wrong result", n)
		}
		got, err := s.aead.Open(buf[:3], nonce, buf[3:], data)
		if err != nil || string(got[:3]) != "pre" || !bytes.Equal(got[3:], plaintext) {
			t.Fatalf("%d bytes: Open in place: wrong result, %v", n, err)
		}
	}
}

// refuse checks that Open fails without writing plaintext, and returns the error.
func (s *aeadSuite) refuse(t *testing.T, aead cipher.AEAD, what string, nonce, sealed, data []byte) error {
	t.Helper()
	check := func(dst, before []byte, sealed []byte) error {
		t.Helper()
		got, err := aead.Open(dst, nonce, sealed, data)
		if err == nil || got != nil {
			t.Fatalf("%s: Open = %x, %v", what, got, err)
		}
		// Every byte of the output must be zero or unchanged.
		for i, b := range dst[:cap(dst)] {
			if b != 0 && b != before[i] {
				t.Fatalf("%s: output byte %d is %#x after Open failed, want 0 or %#x", what, i, b, before[i])
			}
		}
		return err
	}
	beside := bytes.Repeat([]byte{0xee}, len(sealed))
	err := check(beside[:0], bytes.Clone(beside), sealed) // out of place
	within := bytes.Clone(sealed)
	check(within[:0:len(within)], sealed, within) // in place
	return err
}

// everyByte checks that Open fails if any byte of its inputs is changed.
func (s *aeadSuite) everyByte(t *testing.T) {
	masks := []byte{0x01, 0x80, 0xff}
	if testing.Short() {
		masks = masks[:1]
	}
	for _, n := range []int{0, 1, 64, 200} {
		nonce, data := s.nonce(12), Random(n, 13)
		sealed := s.aead.Seal(nil, nonce, Random(n, 14), data)
		for name, b := range map[string][]byte{"sealed": sealed, "nonce": nonce, "additional data": data} {
			for i := range b {
				for _, mask := range masks {
					b[i] ^= mask
					s.refuse(t, s.aead, fmt.Sprintf("%d bytes: byte %d of the %s changed", n, i, name), nonce, sealed, data)
					b[i] ^= mask
				}
			}
		}
		if _, err := s.aead.Open(nil, nonce, sealed, data); err != nil {
			t.Fatalf("%d bytes, all changes undone: %v", n, err)
		}
	}
}

// wrong checks that Open returns the same error for all forgeries.
func (s *aeadSuite) wrong(t *testing.T) {
	nonce, data, plaintext := s.nonce(15), Random(21, 16), Random(150, 17)
	sealed := s.aead.Seal(nil, nonce, plaintext, data)
	n := len(plaintext)
	var errs []error
	refuse := func(aead cipher.AEAD, what string, nonce, sealed, data []byte) {
		t.Helper()
		errs = append(errs, s.refuse(t, aead, what, nonce, sealed, data))
	}
	refuse(s.other, "different key", nonce, sealed, data)
	if s.aead.NonceSize() > 0 {
		refuse(s.aead, "different nonce", s.nonce(18), sealed, data)
	}
	for cut := range data {
		refuse(s.aead, "shorter additional data", nonce, sealed, data[:cut])
	}
	refuse(s.aead, "longer additional data", nonce, sealed, append(bytes.Clone(data), 0))
	for cut := range sealed {
		refuse(s.aead, "last bytes removed", nonce, sealed[:cut], data)
		refuse(s.aead, "first bytes removed", nonce, sealed[len(sealed)-cut:], data)
	}
	refuse(s.aead, "one byte appended", nonce, append(bytes.Clone(sealed), 0), data)
	// Move the boundary between additional data and ciphertext without changing a byte.
	joined := append(bytes.Clone(data), sealed...)
	for shift := range len(data) + n {
		if shift != len(data) {
			refuse(s.aead, "boundary moved", nonce, joined[shift:], joined[:shift])
		}
	}
	refuse(s.aead, "all zeros", nonce, make([]byte, len(sealed)), data)
	for _, err := range errs {
		if err != errs[0] {
			t.Fatalf("forgeries returned different errors: %v and %v", err, errs[0])
		}
	}
}

// forgedOpen checks that a failed Open leaves no plaintext behind.
func (s *aeadSuite) forgedOpen(t *testing.T) {
	nonce := s.nonce(19)
	for _, n := range aeadLengths() {
		sealed := s.aead.Seal(nil, nonce, Random(n, 20), nil)
		// Open may decrypt much of a long message before it detects the forgery.
		for _, at := range []int{0, n / 2, len(sealed) - 1} {
			sealed[at] ^= 4
			s.refuse(t, s.aead, fmt.Sprintf("%d bytes: byte %d changed", n, at), nonce, sealed, nil)
			sealed[at] ^= 4
		}
	}
}

// overlap checks that Seal and Open panic if buffers overlap where they must not.
func (s *aeadSuite) overlap(t *testing.T) {
	nonce, data := s.nonce(21), Random(5, 22)
	const n, at = 50, 200
	tag := s.aead.Overhead()
	plaintext := Random(n, 23)
	sealed := s.aead.Seal(nil, nonce, plaintext, data)
	for to := range 2*at - n {
		buf := make([]byte, 3*at)
		copy(buf[at:], plaintext)
		disjoint := to+n+tag <= at || to >= at+n
		panicked := Panic(func() {
			if got := s.aead.Seal(buf[:to], nonce, buf[at:at+n], data); !bytes.Equal(got[to:], sealed) {
				t.Errorf("Seal to %d from %d: wrong result", to, at)
			}
		}) != ""
		// The output may overlap the input only if both begin at the same address.
		if want := !disjoint && to != at; panicked != want {
			t.Errorf("Seal of %d bytes to %d from %d: panicked = %v, want %v", n, to, at, panicked, want)
		}

		clear(buf)
		copy(buf[at:], sealed)
		disjoint = to+n <= at || to >= at+n+tag
		panicked = Panic(func() {
			if got, err := s.aead.Open(buf[:to], nonce, buf[at:at+n+tag], data); err != nil || !bytes.Equal(got[to:], plaintext) {
				t.Errorf("Open to %d from %d: wrong result, %v", to, at, err)
			}
		}) != ""
		// Open may succeed if it reads the tag before writing the plaintext.
		overTag := to >= at+n && to < at+n+tag
		if want := !disjoint && to != at; panicked != want && !overTag {
			t.Errorf("Open of %d bytes to %d from %d: panicked = %v, want %v", n, to, at, panicked, want)
		}
	}
	buf := make([]byte, 500)
	// The output must not overlap the additional data.
	for _, from := range []int{0, n, n + tag - 1} {
		if Panic(func() { s.aead.Seal(buf[:0], nonce, plaintext, buf[from:from+100]) }) == "" {
			t.Errorf("Seal over the additional data from %d did not panic", from)
		}
	}
	for _, from := range []int{0, n - 1} {
		sealed := s.aead.Seal(nil, nonce, plaintext, buf[from:from+100])
		if Panic(func() { s.aead.Open(buf[:0], nonce, sealed, buf[from:from+100]) }) == "" {
			t.Errorf("Open over the additional data from %d did not panic", from)
		}
	}
}

// nonceOverlap checks that the output of Seal and Open may overlap the nonce.
func (s *aeadSuite) nonceOverlap(t *testing.T) {
	size := s.aead.NonceSize()
	// The longest messages need several kernel calls.
	for i, n := range []int{0, 1, 16, 60, 64, 65, 128, 300, 600, 1500, 5000, 9000, 70000, 200000} {
		if size == 0 || testing.Short() && n > 70000 {
			break
		}
		plaintext, data, nonce := Random(n, 37), Random([]int{0, 13, 300}[i%3], 38), s.nonce(39)
		sealed := s.aead.Seal(nil, nonce, plaintext, data)
		// Testing every position of the nonce would take too long for long messages.
		for at := 1; at < size+len(sealed); {
			s.overlapNonce(t, at, nonce, plaintext, sealed, data)
			switch {
			case n > 5000:
				at += 1 + at
			case n > 65:
				at += 1 + at/4
			default:
				at++
			}
		}
	}
}

// overlapNonce tests Seal and Open when the nonce and the output share a buffer.
func (s *aeadSuite) overlapNonce(t *testing.T, nonceOffset int, nonce, plaintext, sealed, data []byte) {
	t.Helper()
	size, n := len(nonce), len(plaintext)
	memory := make([]byte, 2*size+len(sealed))
	out, within := memory[size:], memory[nonceOffset:nonceOffset+size]
	copy(within, nonce)
	if got := s.aead.Seal(out[:0], within, plaintext, data); !bytes.Equal(got, sealed) {
		t.Fatalf("Seal of %d bytes, nonce at output offset %d: wrong result", n, nonceOffset-size)
	}
	copy(within, nonce)
	if got, err := s.aead.Open(out[:0], within, bytes.Clone(sealed), data); err != nil || !bytes.Equal(got, plaintext) {
		t.Fatalf("Open of %d bytes, nonce at output offset %d: wrong result, %v", n, nonceOffset-size, err)
	}
	// If Seal works in place, the nonce overlaps the plaintext, too.
	copy(out, plaintext)
	copy(within, nonce)
	text := bytes.Clone(out[:n])
	want := s.aead.Seal(nil, nonce, text, data)
	if got := s.aead.Seal(out[:0], within, out[:n], data); !bytes.Equal(got, want) {
		t.Fatalf("Seal of %d bytes in place, nonce at output offset %d: wrong result", n, nonceOffset-size)
	}
}

func (s *aeadSuite) nonceLength(t *testing.T) {
	sealed := s.aead.Seal(nil, s.nonce(24), nil, nil)
	for n := range 40 {
		nonce := make([]byte, n)
		want := n != s.aead.NonceSize()
		if got := Panic(func() { s.aead.Seal(nil, nonce, nil, nil) }) != ""; got != want {
			t.Errorf("Seal with a nonce of %d bytes: panicked = %v, want %v", n, got, want)
		}
		if got := Panic(func() { s.aead.Open(nil, nonce, sealed, nil) }) != ""; got != want {
			t.Errorf("Open with a nonce of %d bytes: panicked = %v, want %v", n, got, want)
		}
	}
}

// guarded places the input and the output beside inaccessible memory.
func (s *aeadSuite) guarded(t *testing.T) {
	const maxLength = 5000
	tag := s.aead.Overhead()
	in, out, extra := NewGuarded(t, maxLength+tag), NewGuarded(t, maxLength+tag), NewGuarded(t, maxLength)
	for n := 0; n <= maxLength; n += 1 + n/20 {
		nonce, plaintext, data := s.nonce(25), Random(n, 26), Random(n%150, 27)
		want := s.aead.Seal(nil, nonce, plaintext, data)
		for _, part := range []func(*Guarded, int) []byte{(*Guarded).Front, (*Guarded).Back} {
			ad := part(extra, len(data))
			copy(ad, data)
			src := part(in, n)
			copy(src, plaintext)
			sealed := s.aead.Seal(part(out, n+tag)[:0], nonce, src, ad)
			if !bytes.Equal(sealed, want) {
				t.Fatalf("%d bytes next to inaccessible memory: wrong ciphertext", n)
			}
			if opened, err := s.aead.Open(part(in, n)[:0], nonce, sealed, ad); err != nil || !bytes.Equal(opened, plaintext) {
				t.Fatalf("%d bytes next to inaccessible memory: wrong plaintext, %v", n, err)
			}
		}
	}
}

func (s *aeadSuite) concurrent(t *testing.T) {
	nonce, plaintext, data := s.nonce(28), Random(3000, 29), Random(30, 30)
	want := s.aead.Seal(nil, nonce, plaintext, data)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if got := s.aead.Seal(nil, nonce, plaintext, data); !bytes.Equal(got, want) {
					t.Error("concurrent Seal: wrong result")
				}
				if got, err := s.aead.Open(nil, nonce, want, data); err != nil || !bytes.Equal(got, plaintext) {
					t.Errorf("concurrent Open: wrong result, %v", err)
				}
			}
		})
	}
	wg.Wait()
}

func (s *aeadSuite) allocations(t *testing.T) {
	for _, n := range []int{0, 1, 512, 70000} {
		nonce, plaintext, data := s.nonce(31), Random(n, 32), Random(13, 33)
		sealed := s.aead.Seal(nil, nonce, plaintext, data)
		forged := bytes.Clone(sealed)
		forged[len(forged)-1] ^= 1
		out := make([]byte, 0, len(sealed))
		NoAllocations(t, "Seal", func() { s.aead.Seal(out, nonce, plaintext, data) })
		NoAllocations(t, "Open", func() {
			if _, err := s.aead.Open(out, nonce, sealed, data); err != nil {
				t.Error(err)
			}
		})
		NoAllocations(t, "Open of a forgery", func() {
			if _, err := s.aead.Open(out, nonce, forged, data); err == nil {
				t.Error("Open accepted a forgery")
			}
		})
	}
}
