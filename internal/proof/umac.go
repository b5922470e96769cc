// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// Where package umac's struct keys has what, which its test of the layout checks.
const (
	umacStreams = nhKeySize
	umacPoly64  = umacStreams + 8
	umacL3      = umacPoly64 + 3*8*nhStreams + 4*8*nhStreams // POLY-128's keys come before
	umacL3Size  = 72
	umacRounds  = umacL3 + nhStreams*umacL3Size
	umacAES     = umacRounds + 8
	umacSize    = umacAES + 15*16
)

// umacSums are the kernels of package umac for whole messages.
var umacSums = []Kernel{
	sumUMAC("umac/sum_arm64.s", "sumNEONAES"),
	sumLong("umac/sum_amd64.s", "sumAVX2AES"), sumLong("umac/sum_amd64.s", "sumAVX512AES"),
}

// A umacCase is the sizes that a variant has: streams, AES's rounds, and where the pad begins
// in the block that is encrypted.
type umacCase struct {
	streams, rounds int
	at              int64
}

// umacCases are all that there are: with tags of 4 and 8 bytes the nonce chooses a part of
// the block.
func umacCases() (names []string, cases map[string]umacCase) {
	cases = map[string]umacCase{}
	for streams := 1; streams <= nhStreams; streams++ {
		for _, rounds := range []int{10, 12, 14} {
			for at := int64(0); at < 16; at += 4 * int64(streams) {
				name := fmt.Sprintf("%d rounds, %d streams, pad at %d", rounds, streams, at)
				names, cases[name] = append(names, name), umacCase{streams, rounds, at}
				if streams > 2 {
					break
				}
			}
		}
	}
	return names, cases
}

// A umacSum is one case of the proof.
type umacSum struct {
	umacCase
	tag, msg, keys, nhKey *machine.Object
	l3                    []*l3
	poly                  *poly64
	pad                   [16]term.Byte
}

func newUMACSum(c *Case, of umacCase) *umacSum {
	u := &umacSum{umacCase: of}
	u.tag, u.msg, u.keys = Writable(c.Buffer("tag", int64(4*u.streams))), c.Bytes("msg", c.N), c.Buffer("keys", umacSize)
	u.nhKey = c.nhKeyIn(u.keys)
	u.keys.Set(umacStreams, c.Const(64, uint64(u.streams)))
	u.keys.Set(umacRounds, c.Const(64, uint64(u.rounds)))
	for s := range u.streams {
		u.l3 = append(u.l3, c.l3Key(u.keys, umacL3+umacL3Size*int64(s), s))
	}
	u.poly = c.poly64Key(u.keys, umacPoly64, u.streams)
	lo, hi := c.Input("lo", false), c.Input("hi", false)
	var block [16]term.Byte
	c.Store.Bytes(block[:8], lo)
	c.Store.Bytes(block[8:], hi)
	u.pad = c.aesEncrypt(block, u.keys, umacAES, u.rounds)
	c.Pointers(u.tag, u.keys)
	c.Arg(lo)
	c.Arg(hi)
	c.Arg(c.Const(64, uint64(u.at)))
	c.Pointers(u.msg)
	c.Arg(c.N)
	return u
}

// value returns what L3-HASH has been taken of in a stream's part of the tag, which is that
// hash as a big-endian word, masked with the key and the pad.
func (u *umacSum) value(c *Case, s *machine.State, stream int) (term.Term, error) {
	var mask, hash [4]term.Byte
	c.Store.Bytes(mask[:], u.l3[stream].k2)
	for i := range hash {
		at := int64(4*stream + 3 - i)
		b := c.Gather([]term.Byte{s.Mem.Byte(u.tag, at)})
		for _, x := range []term.Byte{mask[i], u.pad[u.at+at]} {
			b = c.Xor(b, c.Gather([]term.Byte{x}))
		}
		c.Store.Bytes(hash[i:i+1], b)
	}
	return u.l3[stream].of(c, c.Gather(hash[:]))
}

// nh returns the NH value of a stream for n bytes of the message.
func (u *umacSum) nh(c *Case, at, n int64, stream int) term.Term {
	type key struct {
		at, n  int64
		stream int
	}
	t, ok := c.Memo[key{at, n, stream}].(term.Term)
	if !ok {
		t = c.nhValue(u.nhKey, u.msg, at, n, stream)
		c.Memo[key{at, n, stream}] = t
	}
	return t
}

// hashed checks the tag: what L3-HASH is taken of is what right says.
func (u *umacSum) hashed(c *Case, s *machine.State, right func(stream int, value term.Term) error) error {
	for stream := range u.streams {
		value, err := u.value(c, s, stream)
		if err == nil {
			err = right(stream, value)
		}
		if err != nil {
			return fmt.Errorf("stream %d: %w", stream, err)
		}
	}
	return nil
}

// short checks the tag of a message of one chunk: its values are NH's.
func (u *umacSum) short(c *Case, s *machine.State, n int64) error {
	return u.hashed(c, s, func(stream int, value term.Term) error {
		if want := u.nh(c, 0, n, stream); value != want {
			return fmt.Errorf("hashes %s, want %s", c.Format(value), c.Format(want))
		}
		return nil
	})
}

// sumUMAC stores the tag of a message of one chunk.
func sumUMAC(file, name string) Kernel {
	var u *umacSum
	names, cases := umacCases()
	return Kernel{
		File: file, Func: name,
		Claim:    "the tag of msg: L3-HASH of the NH value, masked with the encrypted block",
		Variants: names,
		Lengths:  "0 to 1024 bytes, for 1 to 4 streams, 10, 12 and 14 rounds, and each place of the pad",
		Unit:     1, Min: 0, Max: nhChunk,
		Setup: func(c *Case) { u = newUMACSum(c, cases[c.Variant]) },
		Spec: func(c *Case, _ int64, _ bool) {
			c.Free(u.tag, 0, int64(4*u.streams))
		},
		Left: func(c *Case, s *machine.State, n int64, _ bool) error { return u.short(c, s, n) },
	}
}
