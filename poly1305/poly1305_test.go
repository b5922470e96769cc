// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math/rand/v2"
	"strings"
	"testing"

	//lint:ignore SA1019 deprecated for those who would build on it; here it is a reference
	xpoly1305 "golang.org/x/crypto/poly1305"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/vectors"
)

// checkTag checks Sum, Verify, and a MAC that is given the message in one piece and in
// two.
func checkTag(t *testing.T, key *[KeySize]byte, msg, want []byte) {
	t.Helper()
	var tag [TagSize]byte
	if Sum(&tag, msg, key); !bytes.Equal(tag[:], want) {
		t.Errorf("%d bytes: Sum = %x, want %x", len(msg), tag, want)
	}
	if !Verify((*[TagSize]byte)(want), msg, key) {
		t.Errorf("%d bytes: Verify of the correct tag = false, want true", len(msg))
	}
	m := New(key)
	m.Write(msg)
	if got := m.Sum(nil); !bytes.Equal(got, want) {
		t.Errorf("%d bytes: MAC = %x, want %x", len(msg), got, want)
	}
	m.Reset()
	m.Write(msg[:len(msg)/3])
	m.Write(msg[len(msg)/3:])
	if !m.Verify(want) {
		t.Errorf("%d bytes in two pieces: MAC = %x, want %x", len(msg), m.Sum(nil), want)
	}
}

// refTag returns x/crypto's tag.
func refTag(msg []byte, key *[KeySize]byte) []byte {
	var tag [TagSize]byte
	xpoly1305.Sum(&tag, msg, key)
	return tag[:]
}

func mustHex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const (
	ietf = "Any submission to the IETF intended by the Contributor for publication as all or part of an " +
		"IETF Internet-Draft or RFC and any statement made within the context of an IETF activity is considered an " +
		"\"IETF Contribution\". Such statements include oral statements in IETF sessions, as well as written and " +
		"electronic communications made at any time or place, which are addressed to"
	jabberwocky = "'Twas brillig, and the slithy toves\nDid gyre and gimble in the wabe:\n" +
		"All mimsy were the borogoves,\nAnd the mome raths outgrabe."
)

// TestRFC checks the test vectors of RFC 8439, section 2.5.2 and appendix A.3.
func TestRFC(t *testing.T) {
	const zero, ones = "00000000000000000000000000000000", "ffffffffffffffffffffffffffffffff"
	text := func(s string) string { return hex.EncodeToString([]byte(s)) }
	for _, tt := range []struct{ name, r, s, msg, tag string }{
		{"2.5.2", "85d6be7857556d337f4452fe42d506a8", "0103808afb0db2fd4abff6af4149f51b",
			text("Cryptographic Forum Research Group"), "a8061dc1305136c6c22b8baf0c0127a9"},
		{"A.3 1", zero, zero, strings.Repeat(zero, 4), zero},
		{"A.3 2", zero, "36e5f6b5c5e06070f0efca96227a863e", text(ietf), "36e5f6b5c5e06070f0efca96227a863e"},
		{"A.3 3", "36e5f6b5c5e06070f0efca96227a863e", zero, text(ietf), "f3477e7cd95417af89a6b8794c310cf0"},
		{"A.3 4", "1c9240a5eb55d38af333888604f6b5f0", "473917c1402b80099dca5cbc207075c0",
			text(jabberwocky), "4541669a7eaaee61e708dc7cbcc5eb62"},
		{"A.3 5: the polynomial is 2^130 - 2", "02000000000000000000000000000000", zero,
			ones, "03000000000000000000000000000000"},
		{"A.3 6: s carries out of 2^128", "02000000000000000000000000000000", ones,
			"02000000000000000000000000000000", "03000000000000000000000000000000"},
		{"A.3 7: all bits of a block carry", "01000000000000000000000000000000", zero,
			ones + "f0ffffffffffffffffffffffffffffff" + "11000000000000000000000000000000",
			"05000000000000000000000000000000"},
		{"A.3 8: the polynomial is 2^130 - 5", "01000000000000000000000000000000", zero,
			ones + "fbfefefefefefefefefefefefefefefe" + "01010101010101010101010101010101", zero},
		{"A.3 9: the polynomial is 2^130 - 6", "02000000000000000000000000000000", zero,
			"fdffffffffffffffffffffffffffffff", "faffffffffffffffffffffffffffffff"},
		{"A.3 10: 5·H+L carries", "01000000000000000400000000000000", zero,
			"e33594d7505e43b90000000000000000" + "3394d7505e4379cd0100000000000000" + zero + "01000000000000000000000000000000",
			"14000000000000005500000000000000"},
		{"A.3 11: 5·H+L, shorter", "01000000000000000400000000000000", zero,
			"e33594d7505e43b90000000000000000" + "3394d7505e4379cd0100000000000000" + zero,
			"13000000000000000000000000000000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			key := [KeySize]byte(mustHex(t, tt.r+tt.s))
			msg, tag := mustHex(t, tt.msg), mustHex(t, tt.tag)
			mactest.Implementations(t, "poly1305", func(t *testing.T) { checkTag(t, &key, msg, tag) })
		})
	}
}

func TestVectors(t *testing.T) {
	type test struct {
		Key, Tag vectors.Hex
		Msg      vectors.Message
	}
	tests := vectors.Load[test](t, "poly1305.json")
	mactest.Implementations(t, "poly1305", func(t *testing.T) {
		for _, v := range tests {
			checkTag(t, (*[KeySize]byte)(v.Key), v.Msg.Bytes(), v.Tag)
		}
	})
}

func TestWycheproof(t *testing.T) {
	type test struct {
		Key, Tag vectors.Hex
		Msg      vectors.Message
		Valid    bool
		Flags    []string
	}
	tests := vectors.Load[test](t, "poly1305_wycheproof.json")
	mactest.Implementations(t, "poly1305", func(t *testing.T) {
		valid := 0
		for i, v := range tests {
			key := (*[KeySize]byte)(v.Key)
			if v.Valid {
				valid++
				checkTag(t, key, v.Msg.Bytes(), v.Tag)
				continue
			}
			m := New(key)
			m.Write(v.Msg.Bytes())
			if Verify((*[TagSize]byte)(v.Tag), v.Msg.Bytes(), key) || m.Verify(v.Tag) {
				t.Errorf("test %d (%v): Verify accepts a wrong tag", i, v.Flags)
			}
		}
		if valid == 0 || valid == len(tests) {
			t.Errorf("%d of %d tests are valid, want valid and invalid tests", valid, len(tests))
		}
	})
}

func TestHash(t *testing.T) {
	key := [KeySize]byte(mactest.Random(KeySize, 1))
	mactest.Implementations(t, "poly1305", func(t *testing.T) {
		mactest.TestHash(t, func() hash.Hash { return New(&key) })
	})
	if m := New(&key); m.Size() != 16 || m.BlockSize() != 16 {
		t.Errorf("Size = %d, BlockSize = %d, want 16, 16", m.Size(), m.BlockSize())
	}
}

// TestSplits writes messages in pieces that are long enough for every kernel, so that
// states pass from one kernel to another and tables are kept.
func TestSplits(t *testing.T) {
	messages := 400
	if testing.Short() {
		messages = 60
	}
	mactest.Implementations(t, "poly1305", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		for i := range messages {
			key := [KeySize]byte(mactest.Random(KeySize, uint64(i)))
			msg := mactest.Random(rng.IntN(20000), 2)
			m := New(&key)
			for rest := msg; len(rest) > 0; {
				n := 1 + rng.IntN(1<<rng.IntN(13))
				n = min(n, len(rest))
				m.Write(rest[:n])
				if i%2 == 0 {
					m.Sum(nil)
				}
				rest = rest[n:]
			}
			if got, want := m.Sum(nil), refTag(msg, &key); !bytes.Equal(got, want) {
				t.Fatalf("%d bytes in pieces: got %x, want %x", len(msg), got, want)
			}
		}
	})
}

// TestBounds uses messages directly before and after inaccessible memory, at every
// alignment.
func TestBounds(t *testing.T) {
	const size = 2100
	guarded := mactest.NewGuarded(t, size+64)
	key := [KeySize]byte(mactest.Random(KeySize, 2))
	msg := mactest.Random(size, 3)
	wants := make([][TagSize]byte, size+1)
	for n := range wants {
		xpoly1305.Sum(&wants[n], msg[:n], &key)
	}
	mactest.Implementations(t, "poly1305", func(t *testing.T) {
		var tag [TagSize]byte
		for n, want := range wants {
			for name, place := range map[string][]byte{
				"front": guarded.Front(n), "back": guarded.Back(n), "offset": guarded.Front(n + n%64)[n%64:],
			} {
				copy(place, msg)
				if Sum(&tag, place, &key); tag != want {
					t.Fatalf("%d bytes at the %s: got %x, want %x", n, name, tag, want)
				}
			}
		}
		for _, n := range []int{64, 320, 1024, 1040, 2000} {
			for offset := range 64 {
				place := guarded.Front(n + offset)[offset:]
				copy(place, msg)
				if Sum(&tag, place, &key); tag != wants[n] {
					t.Fatalf("%d bytes at offset %d: got %x, want %x", n, offset, tag, wants[n])
				}
			}
		}
	})
}

func TestVerify(t *testing.T) {
	msg := []byte("an authentic message, longer than a block")
	key := [KeySize]byte(mactest.Random(KeySize, 4))
	var tag [TagSize]byte
	Sum(&tag, msg, &key)
	m := New(&key)
	m.Write(msg)
	verify := func(wrong [TagSize]byte, want bool) {
		t.Helper()
		if Verify(&wrong, msg, &key) != want || m.Verify(wrong[:]) != want {
			t.Errorf("Verify(%x) = %t, want %t", wrong, !want, want)
		}
	}
	verify(tag, true)
	for i := range 8 * TagSize {
		wrong := tag
		wrong[i/8] ^= 1 << (i % 8)
		verify(wrong, false)
	}
	for i := range 8 * len(msg) {
		wrong := bytes.Clone(msg)
		wrong[i/8] ^= 1 << (i % 8)
		if Verify(&tag, wrong, &key) {
			t.Errorf("Verify ignores bit %d of the message", i)
		}
	}
	for n := range TagSize {
		if m.Verify(tag[:n]) {
			t.Errorf("Verify accepts the first %d bytes of the tag", n)
		}
	}
	if m.Verify(append(tag[:], 0)) {
		t.Error("Verify accepts the tag followed by a zero byte")
	}
	m.Write([]byte{0})
	if m.Verify(tag[:]) {
		t.Error("the tag still verifies after Verify and Write")
	}
}

// TestNewCopies checks that the caller may overwrite the key after New.
func TestNewCopies(t *testing.T) {
	key := [KeySize]byte(mactest.Random(KeySize, 5))
	want := refTag([]byte("message"), &key)
	m := New(&key)
	key = [KeySize]byte{}
	m.Write([]byte("message"))
	if !m.Verify(want) {
		t.Error("overwriting the caller's key changed the MAC")
	}
}

func TestAllocations(t *testing.T) {
	mactest.Implementations(t, "poly1305", func(t *testing.T) {
		for _, n := range []int{0, 16, 100, 1024, 100000} {
			msg := mactest.Random(n, 6)
			var counter uint64
			mactest.NoAllocations(t, fmt.Sprintf("Sum and Verify of %d bytes", n), func() {
				var key [KeySize]byte
				var tag [TagSize]byte
				counter++
				binary.LittleEndian.PutUint64(key[:], counter)
				Sum(&tag, msg, &key)
				if !Verify(&tag, msg, &key) {
					t.Error("Verify of the correct tag = false, want true")
				}
			})
			mactest.NoAllocations(t, fmt.Sprintf("a MAC of %d bytes that stays on the stack", n), func() {
				var key [KeySize]byte
				var tag [TagSize]byte
				m := New(&key)
				m.Write(msg)
				m.Sum(tag[:0])
			})
		}
	})
}

// TestZeroValue checks that the zero MAC panics, because its tag of every message would
// be 0.
func TestZeroValue(t *testing.T) {
	for _, n := range []int{0, TagSize} {
		mactest.NeverTrue(t, "MAC.Verify", func() bool { return new(MAC).Verify(make([]byte, n)) })
		mactest.NeverTrue(t, "MAC.Verify after a Write", func() bool {
			m := new(MAC)
			m.Write([]byte("a message"))
			return m.Verify(make([]byte, n))
		})
	}
}

// TestEmpty checks empty messages, including slices of the key and the tag.
func TestEmpty(t *testing.T) {
	mactest.Implementations(t, "poly1305", func(t *testing.T) {
		key, tag := [KeySize]byte(mactest.Random(KeySize, 7)), [TagSize]byte{}
		mactest.Empty(t, "Sum and Verify", func(empty []byte) []byte {
			if Sum(&tag, empty, &key); !Verify(&tag, empty, &key) {
				t.Error("Verify of the empty message = false, want true")
			}
			return append(tag[:], key[:]...)
		}, key[:], tag[:])
	})
}
