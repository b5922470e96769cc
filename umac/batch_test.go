// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"bytes"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/umac"
)

// TestSumBatchBoundary puts one message with a length around the thresholds of the
// four-message kernel into each position of a group.
func TestSumBatchBoundary(t *testing.T) {
	k := mustKey(t, rfcKey, Size64)
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for place := range 4 {
			for _, n := range []int{63, 64, 65, 127, 128, 129, 1023, 1024, 1025, 1056, 2048} {
				var nonces, msgs [][]byte
				var want []byte
				for i := range 4 {
					msg := mactest.Random(32, 1)
					if i == place {
						msg = mactest.Random(n, 2)
					}
					nonces, msgs = append(nonces, []byte{byte(i)}), append(msgs, msg)
					want = k.Sum(want, nonces[i], msg)
				}
				if got := k.SumBatch(nil, nonces, msgs); !bytes.Equal(got, want) {
					t.Errorf("message %d with %d bytes: got %x, want %x", place, n, got, want)
				}
			}
		}
	})
}

// TestCloneLong clones a MAC that has switched to POLY-128, after odd and even numbers
// of chunks. The original then hashes different data.
func TestCloneLong(t *testing.T) {
	const prefix = 1 << 24
	msg := mactest.Random(prefix+4*umac.ChunkSize, 3)
	k := mustKey(t, rfcKey, Size128)
	want := k.Sum(nil, rfcNonce, msg)
	m := k.New(rfcNonce)
	m.Write(msg[:prefix])
	for written, at := prefix, prefix; at < len(msg); at += 500 {
		m.Write(msg[written:at])
		written = at
		clone, err := m.Clone()
		if err != nil {
			t.Fatal(err)
		}
		original := m
		m = clone.(*MAC)
		original.Write(msg[:5000])
		last, _ := m.Clone()
		last.Write(msg[at:])
		if got := last.Sum(nil); !bytes.Equal(got, want) {
			t.Errorf("cloned after %d bytes: got %x, want %x", at, got, want)
		}
	}
}

// TestSumBatch compares SumBatch with Sum.
func TestSumBatch(t *testing.T) {
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for _, size := range sizes {
			k := mustKey(t, rfcKey, size)
			for count := range 20 {
				want := []byte("prefix")
				var nonces, msgs [][]byte
				for i := range count {
					nonces = append(nonces, mactest.Random(1+(i+count)%16, uint64(i)))
					msgs = append(msgs, mactest.Random(i*i*i, 44))
					want = k.Sum(want, nonces[i], msgs[i])
				}
				if got := k.SumBatch([]byte("prefix"), nonces, msgs); !bytes.Equal(got, want) {
					t.Fatalf("%d messages, tags of %d bytes: SumBatch = %x, want %x", count, size, got, want)
				}
				tags := make([]byte, 0, len(want))
				mactest.NoAllocations(t, "SumBatch", func() { k.SumBatch(tags, nonces, msgs) })
			}
		}
	})
	k := mustKey(t, rfcKey, Size64)
	for name, f := range map[string]func(){
		"umac: 1 nonces for 2 messages":         func() { k.SumBatch(nil, [][]byte{{1}}, make([][]byte, 2)) },
		"umac: 2 nonces for 1 messages":         func() { k.SumBatch(nil, [][]byte{{1}, {2}}, make([][]byte, 1)) },
		"umac: nonce of 0 bytes, want 1 to 16":  func() { k.SumBatch(nil, [][]byte{{1}, {}}, make([][]byte, 2)) },
		"umac: nonce of 17 bytes, want 1 to 16": func() { k.SumBatch(nil, [][]byte{make([]byte, 17)}, make([][]byte, 1)) },
		"umac: Key without a key, use NewKey":   func() { new(Key).SumBatch(nil, nil, nil) },
	} {
		if got := mactest.Panic(f); got != name {
			t.Errorf("got panic %q, want %q", got, name)
		}
	}
}

// TestSumBatchApart mixes short messages with long ones at every distance, so that the
// messages hashed in one kernel call have tags that are not adjacent in dst.
func TestSumBatchApart(t *testing.T) {
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for _, size := range sizes {
			k := mustKey(t, rfcKey, size)
			for which := 0; which < 1<<8; which += 5 {
				var nonces, msgs [][]byte
				var want []byte
				for i := range 24 {
					n := 20 + i
					if which>>(i%8)&1 == 1 {
						n = 1100 + i
					}
					nonces, msgs = append(nonces, mactest.Random(7+i%2, uint64(i))), append(msgs, mactest.Random(n, 3))
					want = k.Sum(want, nonces[i], msgs[i])
				}
				if got := k.SumBatch(nil, nonces, msgs); !bytes.Equal(got, want) {
					t.Fatalf("tags of %d bytes, long messages %08b: got %x, want %x", size, which, got, want)
				}
			}
		}
	})
}

// TestVerifyBatch changes each tag, nonce and message of small batches of every size.
func TestVerifyBatch(t *testing.T) {
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for _, size := range sizes {
			k := mustKey(t, rfcKey, size)
			for count := range 35 {
				if testing.Short() && count > 5 && count%7 != 0 {
					continue
				}
				var tags, nonces, msgs [][]byte
				for i := range count {
					nonces = append(nonces, mactest.Random(8, uint64(i)))
					msgs = append(msgs, mactest.Random(1+i*i, 47))
					tags = append(tags, k.Sum(nil, nonces[i], msgs[i]))
				}
				if !k.VerifyBatch(tags, nonces, msgs) {
					t.Fatalf("%d messages, tags of %d bytes: VerifyBatch = false, want true", count, size)
				}
				mactest.NoAllocations(t, "VerifyBatch", func() { k.VerifyBatch(tags, nonces, msgs) })
				for i := range count {
					for what, b := range map[string][]byte{"tag": tags[i], "nonce": nonces[i], "message": msgs[i]} {
						b[len(b)/2] ^= 0x10
						if k.VerifyBatch(tags, nonces, msgs) {
							t.Fatalf("%d messages, %s %d changed: VerifyBatch = true, want false", count, what, i)
						}
						b[len(b)/2] ^= 0x10
					}
					for _, wrong := range [][]byte{nil, tags[i][:size-1], append(tags[i][:size:size], 0)} {
						right := tags[i]
						if tags[i] = wrong; k.VerifyBatch(tags, nonces, msgs) {
							t.Fatalf("%d messages, tag %d of %d bytes: VerifyBatch = true, want false", count, i, len(wrong))
						}
						tags[i] = right
					}
					for _, wrong := range [][]byte{nil, make([]byte, 17)} {
						right := nonces[i]
						if nonces[i] = wrong; k.VerifyBatch(tags, nonces, msgs) {
							t.Fatalf("%d messages, nonce %d of %d bytes: VerifyBatch = true, want false", count, i, len(wrong))
						}
						nonces[i] = right
					}
				}
			}
		}
	})
	k := mustKey(t, rfcKey, Size64)
	for want, f := range map[string]func(){
		"umac: 1 tags and 2 nonces for 2 messages": func() { k.VerifyBatch(make([][]byte, 1), make([][]byte, 2), make([][]byte, 2)) },
		"umac: 2 tags and 3 nonces for 2 messages": func() { k.VerifyBatch(make([][]byte, 2), make([][]byte, 3), make([][]byte, 2)) },
	} {
		if got := mactest.Panic(f); got != want {
			t.Errorf("got panic %q, want %q", got, want)
		}
	}
}
