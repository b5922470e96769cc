// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimac

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/crypto/blake2b"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/vectors"
)

var sizes = []int{32, 48, 64}

func testKeys(size int) (key1, key2 []byte) {
	return mactest.Random(size, 1), mactest.Random(size, 2)
}

func mustKey(tb testing.TB, key1, key2 []byte) *Key {
	tb.Helper()
	k, err := NewKey(key1, key2)
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

// refMAC computes the tag by definition, with golang.org/x/crypto's BLAKE2b.
func refMAC(tb testing.TB, key1, key2 []byte, inputs ...[]byte) []byte {
	tb.Helper()
	mac := func(key, msg []byte) []byte {
		h, err := blake2b.New(len(key1), key)
		if err != nil {
			tb.Fatal(err)
		}
		h.Write(msg)
		return h.Sum(nil)
	}
	t := key1
	for _, input := range inputs {
		t = mac(t, input)
	}
	return mac(key2, t)
}

// checkTag checks Sum, Verify, SumBatch, and a MAC that is given each input in one
// piece or in two.
func checkTag(t *testing.T, k *Key, want []byte, inputs ...[]byte) {
	t.Helper()
	if got := k.Sum(inputs...); !bytes.Equal(got, want) {
		t.Errorf("Sum = %x, want %x", got, want)
	}
	if !k.Verify(want, inputs...) {
		t.Error("Verify of the correct tag = false, want true")
	}
	if got := k.SumBatch([]byte("ab"), inputs, inputs); !bytes.Equal(got, append(append([]byte("ab"), want...), want...)) {
		t.Errorf("SumBatch = %x, want %x twice", got, want)
	}
	m := k.New()
	for range 2 {
		m.Reset()
		for i, input := range inputs {
			m.Write(input[:len(input)/3])
			m.Write(input[len(input)/3:])
			// The last input needs no Next, because Write has begun it.
			if i < len(inputs)-1 {
				m.Next()
			}
		}
		if got := m.Sum(nil); !bytes.Equal(got, want) {
			t.Errorf("MAC = %x, want %x", got, want)
		}
		if len(inputs) > 0 {
			m.Next()
		}
		if !m.Verify(want) {
			t.Errorf("MAC after Next = %x, want %x", m.Sum(nil), want)
		}
	}
}

func TestVectors(t *testing.T) {
	type test struct {
		Key1, Key2, Tag vectors.Hex
		Inputs          []vectors.Message
	}
	for i, v := range vectors.Load[test](t, "multimac.json") {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			var inputs [][]byte
			for _, input := range v.Inputs {
				inputs = append(inputs, input.Bytes())
			}
			checkTag(t, mustKey(t, v.Key1, v.Key2), v.Tag, inputs...)
		})
	}
}

func TestKnownAnswers(t *testing.T) {
	keys := vectors.Pattern(64)
	k := mustKey(t, keys[:32], keys[32:])
	for _, tt := range []struct {
		inputs [][]byte
		want   string
	}{
		{[][]byte{[]byte("Po"), []byte("ta"), []byte("toes"), []byte("Boil 'em, mash 'em, stick 'em in a stew")},
			"ec88a4edbf4ddf20c8d27d484d4a6f8678de701f1ad1349f8a396eb9cbe83791"},
		{nil, "7aba32d6cfc1729ca7eea48bbabeaeb09483b8a4131d9b3f41a425f28ec14f9c"},
	} {
		want, err := hex.DecodeString(tt.want)
		if err != nil {
			t.Fatal(err)
		}
		checkTag(t, k, want, tt.inputs...)
	}
}

// TestReference compares lists of many shapes with the reference.
func TestReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range sizes {
		key1, key2 := testKeys(size)
		k := mustKey(t, key1, key2)
		for n := range 4*128 + 2 {
			inputs := [][]byte{mactest.Random(n, 3), mactest.Random(n%130, 4)}
			checkTag(t, k, refMAC(t, key1, key2, inputs[:1]...), inputs[:1]...)
			checkTag(t, k, refMAC(t, key1, key2, inputs...), inputs...)
		}
		for range 300 {
			inputs := make([][]byte, rng.IntN(8))
			for i := range inputs {
				if rng.IntN(3) > 0 {
					inputs[i] = mactest.Random(rng.IntN(600), 5)
				}
			}
			checkTag(t, k, refMAC(t, key1, key2, inputs...), inputs...)
		}
	}
}

// TestBatch passes lists of different shapes to one call of SumBatch.
func TestBatch(t *testing.T) {
	mactest.Implementations(t, "blake2b", testBatch)
}

func testBatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, size := range sizes {
		key1, key2 := testKeys(size)
		k := mustKey(t, key1, key2)
		for count := range 40 {
			lists := make([][][]byte, count)
			want := []byte("prefix")
			for i := range lists {
				lists[i] = make([][]byte, rng.IntN(5))
				for j := range lists[i] {
					lists[i][j] = mactest.Random(rng.IntN(2)*rng.IntN(700), uint64(i*j))
				}
				want = append(want, refMAC(t, key1, key2, lists[i]...)...)
			}
			if got := k.SumBatch([]byte("prefix"), lists...); !bytes.Equal(got, want) {
				t.Fatalf("size %d, %d lists: SumBatch = %x, want %x", size, count, got, want)
			}
		}
	}
}

// TestBoundaries checks that lists with the same concatenation, or that look alike,
// have different tags.
func TestBoundaries(t *testing.T) {
	for _, size := range sizes {
		k := mustKey(t, mactest.Random(size, 1), mactest.Random(size, 2))
		seen := map[string][]string{}
		for _, list := range [][]string{
			{}, {""}, {"", ""}, {"", "", ""},
			{"abc"}, {"ab", "c"}, {"a", "bc"}, {"a", "b", "c"}, {"c", "b", "a"}, {"c", "ab"},
			{"abc", ""}, {"", "abc"}, {"a", "", "bc"}, {"a", "bc", ""},
			{"\x00"}, {"\x00", ""}, {"\x00\x00"}, {"abc\x00"},
		} {
			var inputs [][]byte
			for _, s := range list {
				inputs = append(inputs, []byte(s))
			}
			tag := string(k.Sum(inputs...))
			if other, ok := seen[tag]; ok {
				t.Errorf("size %d: %q and %q have the same tag", size, list, other)
			}
			seen[tag] = list
		}
	}
}

// TestNext checks how Next and Sum treat empty inputs.
func TestNext(t *testing.T) {
	k := mustKey(t, mactest.Random(32, 1), mactest.Random(32, 2))
	a, b := []byte("a"), []byte("b")
	for _, tt := range []struct {
		steps string // n: Next; s: Sum; 0: an empty Write; any other letter is written
		want  [][]byte
	}{
		{"", nil}, {"s", nil},
		{"n", [][]byte{{}}}, {"0n", [][]byte{{}}}, {"nn", [][]byte{{}, {}}},
		{"0", [][]byte{{}}}, {"00", [][]byte{{}}}, {"0s0", [][]byte{{}}}, {"0a", [][]byte{a}}, {"s0n0", [][]byte{{}, {}}},
		{"a", [][]byte{a}}, {"an", [][]byte{a}}, {"an0", [][]byte{a, {}}}, {"ann", [][]byte{a, {}}},
		{"anb", [][]byte{a, b}}, {"asnsb", [][]byte{a, b}}, {"asb", [][]byte{[]byte("ab")}},
		{"na", [][]byte{{}, a}}, {"nsasn", [][]byte{{}, a}}, {"annb", [][]byte{a, {}, b}},
	} {
		m := k.New()
		for _, step := range tt.steps {
			switch step {
			case 'n':
				m.Next()
			case 's':
				m.Sum(nil)
			case '0':
				m.Write(nil)
			default:
				m.Write([]byte{byte(step)})
			}
		}
		if got, want := m.Sum(nil), k.Sum(tt.want...); !bytes.Equal(got, want) {
			t.Errorf("%q: got %x, want %x, the tag of %q", tt.steps, got, want, tt.want)
		}
	}
}

// TestHash runs the conformance suite and clones a MAC within its second input.
func TestHash(t *testing.T) {
	for _, size := range sizes {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			k := mustKey(t, mactest.Random(size, 1), mactest.Random(size, 2))
			mactest.TestHash(t, func() hash.Hash { return k.New() })
			// The suite calls Reset before each message, so it never reaches a second
			// input.
			m := k.New()
			m.Write([]byte("first"))
			m.Next()
			m.Write([]byte("sec"))
			c, err := m.Clone()
			if err != nil {
				t.Fatal(err)
			}
			m.Write([]byte("ret"))
			c.Write([]byte("ond"))
			c.(*MAC).Next()
			if !k.Verify(c.Sum(nil), []byte("first"), []byte("second")) || !k.Verify(m.Sum(nil), []byte("first"), []byte("secret")) {
				t.Error("a MAC cloned within its second input shares state with the original")
			}
		})
	}
}

func TestVerify(t *testing.T) {
	inputs := [][]byte{[]byte("an authentic input"), []byte("and another"), {0}}
	for _, size := range sizes {
		k := mustKey(t, mactest.Random(size, 1), mactest.Random(size, 2))
		m := k.New()
		for _, input := range inputs {
			m.Write(input)
			m.Next()
		}
		tag := m.Sum(nil)
		verify := func(tag []byte, want bool) {
			t.Helper()
			if k.Verify(tag, inputs...) != want || m.Verify(tag) != want {
				t.Errorf("Verify(%x) = %t, want %t", tag, !want, want)
			}
		}
		verify(tag, true)
		verify(nil, false)
		verify(tag[:size-1], false)
		verify(append(tag[:size:size], 0), false)
		for i := range 8 * size {
			wrong := bytes.Clone(tag)
			wrong[i/8] ^= 1 << (i % 8)
			verify(wrong, false)
		}
		for _, input := range inputs {
			for i := range 8 * len(input) {
				input[i/8] ^= 1 << (i % 8)
				if k.Verify(tag, inputs...) {
					t.Errorf("size %d: Verify ignores bit %d of %q", size, i, input)
				}
				input[i/8] ^= 1 << (i % 8)
			}
		}
	}
}

// TestCopy checks that an input without bytes, for which io.Copy does not call Write,
// counts if Next follows.
func TestCopy(t *testing.T) {
	k := mustKey(t, mactest.Random(32, 1), mactest.Random(32, 2))
	m := k.New()
	for _, input := range []string{"a", "", "b", ""} {
		if _, err := io.Copy(m, strings.NewReader(input)); err != nil {
			t.Fatal(err)
		}
		m.Next()
	}
	if !k.Verify(m.Sum(nil), []byte("a"), nil, []byte("b"), nil) {
		t.Error("got wrong tag, want that of a list with two empty inputs")
	}
}

func TestAllocations(t *testing.T) {
	for _, size := range sizes {
		k := mustKey(t, mactest.Random(size, 1), mactest.Random(size, 2))
		a, b := mactest.Random(16, 3), mactest.Random(512, 4)
		good, m := k.Sum(a, b), k.New()
		lists, tags := [][][]byte{{a, b}, {a}, {}, {b, a, b}}, make([]byte, 0, 4*maxSize)
		mactest.NoAllocations(t, "Key.Sum into an array", func() {
			var tag [maxSize]byte
			k.Append(tag[:0], a, b)
		})
		mactest.NoAllocations(t, "Key.Verify", func() {
			if !k.Verify(good, a, b) {
				t.Error("Verify of the correct tag = false, want true")
			}
		})
		mactest.NoAllocations(t, "SumBatch", func() { k.SumBatch(tags, lists...) })
		mactest.NoAllocations(t, "MAC", func() {
			m.Reset()
			m.Write(a)
			m.Next()
			m.Write(b)
			var tag [maxSize]byte
			if !m.Verify(m.Sum(tag[:0])) {
				t.Error("Verify of the correct tag = false, want true")
			}
		})
	}
}

// TestVerifyBatch changes each tag and each list of small batches of every size.
func TestVerifyBatch(t *testing.T) {
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		for _, size := range sizes {
			k := mustKey(t, mactest.Random(size, 1), mactest.Random(size, 2))
			for count := 0; count < 70; count += 1 + count/9 {
				lists, tags := make([][][]byte, count), make([][]byte, count)
				for i := range lists {
					lists[i] = [][]byte{mactest.Random(1+7*i, 6), mactest.Random(i%3*50, 7)}
					tags[i] = k.Sum(lists[i]...)
				}
				if !k.VerifyBatch(tags, lists...) {
					t.Fatalf("%d lists, tags of %d bytes: VerifyBatch = false, want true", count, size)
				}
				mactest.NoAllocations(t, "VerifyBatch", func() { k.VerifyBatch(tags, lists...) })
				for i := range lists {
					for what, b := range map[string][]byte{"tag": tags[i], "input": lists[i][0]} {
						b[len(b)/2] ^= 0x10
						if k.VerifyBatch(tags, lists...) {
							t.Fatalf("%d lists, %s %d changed: VerifyBatch = true, want false", count, what, i)
						}
						b[len(b)/2] ^= 0x10
					}
					for _, wrong := range [][]byte{nil, tags[i][:size-1], append(tags[i][:size:size], 0)} {
						right := tags[i]
						if tags[i] = wrong; k.VerifyBatch(tags, lists...) {
							t.Fatalf("%d lists, tag %d of %d bytes: VerifyBatch = true, want false", count, i, len(wrong))
						}
						tags[i] = right
					}
				}
			}
		}
	})
	k := mustKey(t, mactest.Random(32, 1), mactest.Random(32, 2))
	if got := mactest.Panic(func() { k.VerifyBatch(make([][]byte, 1), nil, nil) }); got != "multimac: 1 tags for 2 lists" {
		t.Errorf("got panic %q, want the numbers of tags and lists", got)
	}
}

// TestEmpty checks lists without inputs and lists with empty inputs at the beginning,
// in the middle and at the end, alone and in batches.
func TestEmpty(t *testing.T) {
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		for _, size := range sizes {
			key1, key2 := testKeys(size)
			k, input := mustKey(t, key1, key2), mactest.Random(200, 8)
			mactest.Empty(t, "Sum and SumBatch", func(empty []byte) (all []byte) {
				lists := [][][]byte{{empty}, {empty, input}, {input, empty}, {empty, empty}, {input}, nil, {empty}}
				for _, inputs := range lists {
					tag := k.Append(empty[:0:0], inputs...)
					if !k.Verify(tag, inputs...) {
						t.Errorf("%d inputs: Verify of the correct tag = false, want true", len(inputs))
					}
					all = append(all, tag...)
				}
				return k.SumBatch(all, lists...)
			}, input, key1)
		}
	})
}
