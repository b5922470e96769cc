// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead

import (
	"bytes"
	"testing"

	"github.com/unimac/unimac/aead/internal/batch"
	"github.com/unimac/unimac/internal/mactest"
)

// TestLengths has lengths of messages and of additional data that do not fit in 16 bits,
// or in 20.
func TestLengths(t *testing.T) {
	for _, alg := range algorithms {
		key, nonce := mactest.Random(KeySize, 21), mactest.Random(alg.nonceSize, 22)
		a := mustAEAD(t, alg, key, TagSize)
		for _, tt := range []struct{ message, data int }{{5, 1<<16 + 3}, {1<<20 + 7, 0}, {1 << 16, 1<<20 + 1}} {
			plaintext, data := mactest.Random(tt.message, 23), mactest.Random(tt.data, 24)
			want := refSeal(t, alg, TagSize, key, nonce, plaintext, data)
			checkSealed(t, a, nonce, plaintext, data, func(sealed []byte) bool { return bytes.Equal(sealed, want) })
		}
	}
}

// TestLanesLengths is TestLengths for several messages at once.
func TestLanesLengths(t *testing.T) {
	key := mactest.Random(KeySize, 21)
	a := mustAEAD(t, algorithms[0], key, TagSize).(batch.AEAD)
	msgs := make([]batch.Message, batch.MaxLanes)
	for i := range msgs {
		in := mactest.Random(1<<20+i, uint64(i))
		msgs[i] = batch.Message{Nonce: mactest.Random(NonceSize, uint64(i)), In: in, Out: make([]byte, len(in)+TagSize)}
	}
	a.SealAll(msgs)
	for i, m := range msgs {
		if !bytes.Equal(m.Out, refSeal(t, algorithms[0], TagSize, key, m.Nonce, m.In, nil)) {
			t.Errorf("message %d: wrong ciphertext", i)
		}
		msgs[i].In, msgs[i].Out = m.Out, make([]byte, len(m.In))
	}
	if opened := a.OpenAll(msgs); opened != len(msgs) {
		t.Errorf("%d messages opened, want %d", opened, len(msgs))
	}
}
