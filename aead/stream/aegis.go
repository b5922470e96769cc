// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"github.com/unimac/unimac/aead/internal/batch"
	"github.com/unimac/unimac/aegis"
	kernel "github.com/unimac/unimac/internal/aegis"
)

// pairAEAD implements AEGIS-256X2 and processes two messages at a time.
type pairAEAD struct {
	singleAEAD
	cipher kernel.Cipher
}

func newAEGIS256X2(s secrets) (batch.AEAD, error) {
	a, err := aegis.NewWithTagSize(aegis.AEGIS256X2, s.key[:s.keySize], kernel.TagSize128)
	if err != nil {
		return nil, err
	}
	return &pairAEAD{singleAEAD{a}, kernel.Cipher{Variant: kernel.AEGIS256X2, TagSize: kernel.TagSize128, Key: s.key}}, nil
}

func (a *pairAEAD) SealAll(msgs []batch.Message) {
	for ; len(msgs) > 1; msgs = msgs[2:] {
		var two [2]kernel.Message
		for i, m := range msgs[:2] {
			n := len(m.In)
			two[i] = kernel.Message{Nonce: m.Nonce, Tag: m.Out[n:], Dst: m.Out[:n], Src: m.In}
		}
		kernel.SealPair(&a.cipher, &two)
	}
	a.singleAEAD.SealAll(msgs)
}

func (a *pairAEAD) OpenAll(msgs []batch.Message) int {
	opened := 0
	for ; len(msgs)-opened > 1; opened += 2 {
		var two [2]kernel.Message
		for i, m := range msgs[opened:][:2] {
			n := len(m.Out)
			two[i] = kernel.Message{Nonce: m.Nonce, Tag: m.In[n:], Dst: m.Out, Src: m.In[:n]}
		}
		if n := kernel.OpenPair(&a.cipher, &two); n < 2 {
			return opened + n
		}
	}
	return opened + a.singleAEAD.OpenAll(msgs[opened:])
}
