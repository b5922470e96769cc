// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"bytes"
	"crypto/cipher"
	"crypto/fips140"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/unimac/unimac/chacha20poly1305"
	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/vectors"
)

// variants lists all variants with their names in the files of test vectors.
var variants = []struct {
	Variant
	file string
	rate int
}{
	{AEGIS128L, "128l", 32}, {AEGIS128X2, "128x2", 64}, {AEGIS128X4, "128x4", 128},
	{AEGIS256, "256", 16}, {AEGIS256X2, "256x2", 32}, {AEGIS256X4, "256x4", 64},
}

func mustAEAD(tb testing.TB, v Variant, key []byte, size int) cipher.AEAD {
	tb.Helper()
	a, err := NewWithTagSize(v, key, size)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// implementations runs f as a subtest for every kernel.
func implementations(t *testing.T, f func(t *testing.T)) { mactest.Implementations(t, "aegis", f) }

// TestAEAD runs the conformance suite with both tag sizes.
func TestAEAD(t *testing.T) {
	implementations(t, func(t *testing.T) {
		for i, v := range variants {
			for _, size := range []int{16, 32} {
				if testing.Short() && (i%2 == 0) == (size == 16) {
					continue
				}
				t.Run(fmt.Sprintf("%v/%d", v.Variant, size), func(t *testing.T) {
					mactest.TestAEAD(t, func(key []byte) cipher.AEAD { return mustAEAD(t, v.Variant, key[:v.KeySize()], size) })
				})
			}
		}
	})
}

// TestVectors checks the vectors of libaegis.
func TestVectors(t *testing.T) {
	file := vectors.AEGIS(t)
	implementations(t, func(t *testing.T) {
		for _, v := range variants {
			for i, x := range file.AEAD[v.file] {
				for _, tag := range [][]byte{x.Tag128, x.Tag256} {
					a := mustAEAD(t, v.Variant, x.Key, len(tag))
					sealed := a.Seal(nil, x.Nonce, x.Msg, x.AD)
					if n := len(x.Msg); x.CT != nil && !bytes.Equal(sealed[:n], *x.CT) || !bytes.Equal(sealed[n:], tag) {
						t.Errorf("%v, case %d: Seal = %x, want the vector's ciphertext and tag %x", v.Variant, i, sealed, tag)
					}
					if got, err := a.Open(nil, x.Nonce, sealed, x.AD); err != nil || !bytes.Equal(got, x.Msg) {
						t.Errorf("%v, case %d: Open: got wrong plaintext or error %v", v.Variant, i, err)
					}
				}
				// The default tag size is 32 bytes.
				a, err := New(v.Variant, x.Key)
				if err != nil {
					t.Fatal(err)
				}
				if got := a.Seal(nil, x.Nonce, x.Msg, x.AD); !bytes.Equal(got[len(x.Msg):], x.Tag256) {
					t.Errorf("%v, case %d: New: got tag %x, want %x", v.Variant, i, got[len(x.Msg):], []byte(x.Tag256))
				}
			}
		}
	})
}

// TestWycheproof checks the cases of C2SP's Wycheproof. They include older versions of
// the cipher, which must not open.
func TestWycheproof(t *testing.T) {
	type test struct {
		Variant                              string
		ID                                   int
		Key, Nonce, AD, Msg, Ciphertext, Tag vectors.Hex
		Valid                                bool
	}
	tests := vectors.Load[test](t, "aegis_wycheproof.json")
	implementations(t, func(t *testing.T) {
		for _, x := range tests {
			v := AEGIS128L
			if x.Variant == "256" {
				v = AEGIS256
			}
			a := mustAEAD(t, v, x.Key, 16)
			sealed := append(bytes.Clone(x.Ciphertext), x.Tag...)
			opened, err := a.Open(nil, x.Nonce, sealed, x.AD)
			if ok := err == nil; ok != x.Valid || ok && !bytes.Equal(opened, x.Msg) {
				t.Errorf("%v, case %d: Open = %x, %v, want success %t", v, x.ID, opened, err, x.Valid)
			}
			if got := a.Seal(nil, x.Nonce, x.Msg, x.AD); bytes.Equal(got, sealed) != x.Valid {
				t.Errorf("%v, case %d: Seal = %x, want equality with %x: %t", v, x.ID, got, sealed, x.Valid)
			}
		}
	})
}

// TestSizes checks that the constants agree with the variants and the AEADs.
func TestSizes(t *testing.T) {
	for _, v := range variants {
		key, nonce := KeySize128, NonceSize128
		if v.Variant >= AEGIS256 {
			key, nonce = KeySize256, NonceSize256
		}
		if v.KeySize() != key || v.NonceSize() != nonce {
			t.Errorf("%v: KeySize = %d, NonceSize = %d, want %d, %d", v.Variant, v.KeySize(), v.NonceSize(), key, nonce)
		}
		a, err := New(v.Variant, make([]byte, key))
		if err != nil {
			t.Fatal(err)
		}
		if a.Overhead() != Overhead || a.NonceSize() != nonce {
			t.Errorf("%v: Overhead = %d, NonceSize = %d, want %d, %d", v.Variant, a.Overhead(), a.NonceSize(), Overhead, nonce)
		}
	}
}

// TestVariant checks names and sizes, including those of invalid values.
func TestVariant(t *testing.T) {
	for _, tt := range []struct {
		v    Variant
		name string
		size int
	}{
		{AEGIS128L, "AEGIS-128L", 16}, {AEGIS128X2, "AEGIS-128X2", 16}, {AEGIS128X4, "AEGIS-128X4", 16},
		{AEGIS256, "AEGIS-256", 32}, {AEGIS256X2, "AEGIS-256X2", 32}, {AEGIS256X4, "AEGIS-256X4", 32},
		{6, "Variant(6)", 0}, {-1, "Variant(-1)", 0},
	} {
		if tt.v.String() != tt.name || tt.v.KeySize() != tt.size || tt.v.NonceSize() != tt.size {
			t.Errorf("Variant %d: name %v, KeySize = %d, NonceSize = %d, want %s, %d, %d", int(tt.v), tt.v, tt.v.KeySize(), tt.v.NonceSize(), tt.name, tt.size, tt.size)
		}
	}
}

// TestErrors checks all error texts.
func TestErrors(t *testing.T) {
	aead := func(v Variant, key, size int) error {
		a, err := NewWithTagSize(v, make([]byte, key), size)
		if (a == nil) != (err != nil) {
			t.Errorf("NewWithTagSize = %v, %v, want exactly one nil", a, err)
		}
		return err
	}
	random := func(v Variant, key int) error {
		a, err := NewWithRandomNonce(v, make([]byte, key))
		if (a == nil) != (err != nil) {
			t.Errorf("NewWithRandomNonce = %v, %v, want exactly one nil", a, err)
		}
		return err
	}
	mac := func(v Variant, key int, nonce []byte, size int) error {
		m, err := NewMAC(v, make([]byte, key), nonce, size)
		if (m == nil) != (err != nil) {
			t.Errorf("NewMAC = %v, %v, want exactly one nil", m, err)
		}
		return err
	}
	short := "aegis: nonces of AEGIS-128X2 are too short to be random: two of 2^48 are equal with a chance of 2^-33"
	for i, tt := range []struct {
		err  error
		want string
	}{
		{aead(AEGIS128L, 15, 16), "aegis: key of 15 bytes, want 16 for AEGIS-128L"},
		{aead(AEGIS128X4, 32, 16), "aegis: key of 32 bytes, want 16 for AEGIS-128X4"},
		{aead(AEGIS256X2, 16, 32), "aegis: key of 16 bytes, want 32 for AEGIS-256X2"},
		{aead(AEGIS256, 32, 24), "aegis: tag of 24 bytes, want 16 or 32"},
		{aead(AEGIS256, 32, 0), "aegis: tag of 0 bytes, want 16 or 32"},
		{aead(6, 32, 32), "aegis: unknown variant 6"},
		{aead(-1, 16, 32), "aegis: unknown variant -1"},
		{random(AEGIS128X2, 16), short},
		{random(AEGIS256, 31), "aegis: key of 31 bytes, want 32 for AEGIS-256"},
		{random(7, 32), "aegis: unknown variant 7"},
		{mac(AEGIS256, 16, nil, 16), "aegis: key of 16 bytes, want 32 for AEGIS-256"},
		{mac(AEGIS256, 32, make([]byte, 16), 16), "aegis: nonce of 16 bytes, want 32 for AEGIS-256, or nil"},
		{mac(AEGIS128L, 16, []byte{}, 16), "aegis: nonce of 0 bytes, want 16 for AEGIS-128L, or nil"},
		{mac(AEGIS128L, 16, nil, 20), "aegis: tag of 20 bytes, want 16 or 32"},
		{mac(-2, 16, nil, 32), "aegis: unknown variant -2"},
	} {
		if tt.err == nil || tt.err.Error() != tt.want {
			t.Errorf("case %d: got error %v, want %s", i, tt.err, tt.want)
		}
	}
}

// TestTagSizes checks that a message sealed with one tag size does not open with the
// other, however it is truncated or extended.
func TestTagSizes(t *testing.T) {
	for _, v := range variants {
		key, nonce := mactest.Random(v.KeySize(), 1), mactest.Random(v.NonceSize(), 2)
		short, long := mustAEAD(t, v.Variant, key, 16), mustAEAD(t, v.Variant, key, 32)
		text := mactest.Random(50, 3)
		sealed := long.Seal(nil, nonce, text, nil)
		for cut := range sealed {
			if _, err := short.Open(nil, nonce, sealed[:cut], nil); err != errOpen {
				t.Errorf("%v: Open with 16-byte tags accepts the first %d bytes of a message with a 32-byte tag", v.Variant, cut)
			}
		}
		sealed = short.Seal(nil, nonce, text, nil)
		for _, more := range []int{0, 16} {
			if _, err := long.Open(nil, nonce, append(bytes.Clone(sealed), make([]byte, more)...), nil); err != errOpen {
				t.Errorf("%v: Open with 32-byte tags accepts a message with a 16-byte tag and %d zeros", v.Variant, more)
			}
		}
	}
}

// TestBatch checks that SealBatch and OpenBatch of package chacha20poly1305 accept an
// AEAD of this package.
func TestBatch(t *testing.T) {
	a := mustAEAD(t, AEGIS256X2, mactest.Random(32, 4), 16)
	packets := make([]chacha20poly1305.Packet, 5)
	for i := range packets {
		packets[i].Nonce, packets[i].Text = mactest.Random(32, uint64(i)), mactest.Random(100*i, uint64(i))
	}
	chacha20poly1305.SealBatch(a, packets)
	for i := range packets {
		p := &packets[i]
		if want := a.Seal(nil, p.Nonce, p.Text, nil); !bytes.Equal(p.Dst, want) {
			t.Errorf("packet %d: SealBatch and Seal differ", i)
		}
		p.Text, p.Dst = p.Dst, nil
	}
	packets[2].Text[7] ^= 1
	chacha20poly1305.OpenBatch(a, packets)
	for i := range packets {
		if packets[i].OK != (i != 2) {
			t.Errorf("packet %d: OK = %t, want %t", i, packets[i].OK, i != 2)
		}
	}
}

const fipsOnly = "GODEBUG=fips140=only"

// TestFIPS runs itself again in FIPS 140-only mode.
func TestFIPS(t *testing.T) {
	if slices.Contains(os.Environ(), fipsOnly) {
		testFIPS(t)
		return
	}
	switch runtime.GOOS {
	case "js", "wasip1", "ios", "android":
		t.Skip("this platform cannot start programs")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append(strings.Fields(os.Getenv("UNIMAC_TEST_EMULATOR")), self, "-test.run=^TestFIPS$")
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), fipsOnly)
	out, err := cmd.CombinedOutput()
	if bytes.Contains(out, []byte("incompatible with the purego build tag")) {
		t.Skip("Go rejects the mode with -tags purego")
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// testFIPS checks that every constructor fails.
func testFIPS(t *testing.T) {
	if !fips140.Enforced() {
		t.Fatal("FIPS 140-only mode is not enabled")
	}
	for _, v := range variants {
		key := make([]byte, v.KeySize())
		if a, err := New(v.Variant, key); a != nil || err != errFIPS {
			t.Errorf("New: got error %v, want %v", err, errFIPS)
		}
		if a, err := NewWithTagSize(v.Variant, key, 16); a != nil || err != errFIPS {
			t.Errorf("NewWithTagSize: got error %v, want %v", err, errFIPS)
		}
		if m, err := NewMAC(v.Variant, key, nil, 16); m != nil || err != errFIPS {
			t.Errorf("NewMAC: got error %v, want %v", err, errFIPS)
		}
	}
	if a, err := NewWithRandomNonce(AEGIS256, make([]byte, 32)); a != nil || err != errFIPS {
		t.Errorf("NewWithRandomNonce: got error %v, want %v", err, errFIPS)
	}
}

// TestLengths compares long texts and additional data, which need several kernel calls,
// with plain Go.
func TestLengths(t *testing.T) {
	var want [][]byte
	check := func(i int, got []byte) {
		if i == len(want) {
			want = append(want, got)
		} else if !bytes.Equal(got, want[i]) {
			t.Errorf("case %d: implementations differ", i)
		}
	}
	mactest.EachImplementation("aegis", func(string) {
		i := 0
		for _, v := range variants {
			key, nonce := mactest.Random(v.KeySize(), 13), mactest.Random(v.NonceSize(), 14)
			a := mustAEAD(t, v.Variant, key, 16)
			for _, tt := range []struct{ text, data int }{{5, 1<<16 + 3}, {1<<18 + 7, 0}, {1 << 16, 1<<17 + 1}} {
				text, data := mactest.Random(tt.text, 15), mactest.Random(tt.data, 16)
				sealed := a.Seal(nil, nonce, text, data)
				check(i, sealed)
				if got, err := a.Open(nil, nonce, sealed, data); err != nil || !bytes.Equal(got, text) {
					t.Errorf("%v: %d bytes, %d bytes of additional data: got wrong plaintext or error %v", v.Variant, tt.text, tt.data, err)
				}
				m := mustMAC(t, v.Variant, key, nonce, 32)
				m.Write(data)
				m.Write(text)
				check(i+1, m.Sum(nil))
				i += 2
			}
		}
	})
}

// TestTooLong passes slices that are longer than a message may be. Their memory does
// not exist, so it must not be read.
func TestTooLong(t *testing.T) {
	if uint64(^uint(0)) == 1<<32-1 {
		t.Skip("slices of this length are impossible on 32-bit platforms")
	}
	var b byte
	length := uint64(1) << 61 // a variable, because the constant would not compile for 32-bit platforms
	long := unsafe.Slice(&b, length)
	for _, v := range variants {
		a, nonce := mustAEAD(t, v.Variant, make([]byte, v.KeySize()), 32), make([]byte, v.NonceSize())
		for name, f := range map[string]func(){
			"aegis: text too long":            func() { a.Seal(nil, nonce, long, nil) },
			"aegis: additional data too long": func() { a.Open(nil, nonce, make([]byte, 32), long) },
		} {
			if got := mactest.Panic(f); got != name {
				t.Errorf("%v: got panic %q, want %q", v.Variant, got, name)
			}
		}
	}
}
