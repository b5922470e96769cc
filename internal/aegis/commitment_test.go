// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// connect returns 128 bytes of data that lead AEGIS-128L from any state to any other
// state (Isobe and Rahman, "Key Committing Security Analysis of AEGIS", IACR ePrint
// 2023/1495).
//
// An Update adds M0 only to S0 and M1 only to S4. Anyone who knows the state can
// therefore choose these two words four times, and solve backwards for the values that
// S1 to S3 and S5 to S7 must take.
func connect(from, to reference) (data []byte) {
	from = slices.Clone(from)
	first, second := heads(from[:4], to[:4]), heads(from[4:], to[4:])
	for i := range first {
		m0 := first[i].xor(from[7].round()).xor(from[0])
		m1 := second[i].xor(from[3].round()).xor(from[4])
		from.update([]word{m0, m1})
		data = append(append(data, m0[:]...), m1[:]...)
	}
	return data
}

// heads returns the required value of the first of four words after each of four
// Updates, such that the words end as to[0] to to[3].
func heads(from, to reference) [4]word {
	h, a, b, c := from[0], from[1], from[2], from[3]
	a1 := h.round().xor(a)
	b1 := a.round().xor(b)
	b2 := a1.round().xor(b1)
	c1 := b.round().xor(c)
	c2 := b1.round().xor(c1)
	c3 := b2.round().xor(c2)
	b3 := to[3].xor(c3).unround()
	a2 := b3.xor(b2).unround()
	a3 := to[2].xor(b3).unround()
	return [4]word{a2.xor(a1).unround(), a3.xor(a2).unround(), to[1].xor(a3).unround(), to[0]}
}

// randomReference returns a state of AEGIS-128L.
func randomReference(seed uint64) (s reference) {
	for i := range 8 {
		s = append(s, word(mactest.Random(blockSize, 8*seed+uint64(i))))
	}
	return s
}

// TestCommitment checks that a ciphertext with a 32-byte tag can open under two keys if
// the attacker chooses the additional data for each key, but not if the additional data
// is replaced by its hash or is empty.
func TestCommitment(t *testing.T) {
	target := randomReference(1)
	nonce, text := mactest.Random(16, 2), []byte("the same text under both keys")
	var keys, data [2][]byte
	for i := range keys {
		keys[i] = mactest.Random(16, 100+uint64(i))
		data[i] = connect(newReference(AEGIS128L, 0, keys[i], nonce), target)
	}
	ciphertext, tag := make([]byte, len(text)), make([]byte, TagSize256)
	first, second := cipherOf(AEGIS128L, keys[0], TagSize256), cipherOf(AEGIS128L, keys[1], TagSize256)
	seal(first, nonce, tag, ciphertext, text, data[0])
	got := make([]byte, len(text))
	if !Open(second, nonce, tag, got, ciphertext, data[1]) || !bytes.Equal(got, text) {
		t.Error("the ciphertext does not open under the other key, so the attack or the cipher is wrong")
	}
	for name, cure := range map[string]func(data []byte) []byte{
		"hashed": func(data []byte) []byte { h := sha256.Sum256(data); return h[:] },
		"empty":  func([]byte) []byte { return nil },
	} {
		seal(first, nonce, tag, ciphertext, text, cure(data[0]))
		if Open(second, nonce, tag, got, ciphertext, cure(data[1])) {
			t.Errorf("additional data %s: the ciphertext opens under two keys", name)
		}
	}
}

// TestNoHash checks that the MAC is not a collision-resistant hash: whoever knows the
// key can construct two messages with the same tag.
func TestNoHash(t *testing.T) {
	key, nonce, target := mactest.Random(16, 3), mactest.Random(16, 4), randomReference(5)
	var tags, messages [2][]byte
	for i := range messages {
		begin := mactest.Random(32, 6+uint64(i))
		after := newReference(AEGIS128L, 0, key, nonce)
		after.update([]word{word(begin), word(begin[16:])})
		messages[i] = append(begin, connect(after, target)...)
		var s State
		s.Init(AEGIS128L, key, nonce)
		tags[i] = make([]byte, TagSize256)
		s.MAC(tags[i], messages[i], uint64(len(messages[i])))
	}
	if bytes.Equal(messages[0], messages[1]) || !bytes.Equal(tags[0], tags[1]) {
		t.Errorf("tags %x and %x of messages %x and %x, want equal tags of different messages", tags[0], tags[1], messages[0], messages[1])
	}
}
