// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	xchacha20poly1305 "golang.org/x/crypto/chacha20poly1305"

	"github.com/unimac/unimac/aead"
	"github.com/unimac/unimac/chacha20poly1305"
)

// sivs compares ChaCha20-Poly1305-SIV with what a program may take instead: nobody else has it.
func sivs() []Contest {
	return []Contest{
		siv("chacha20-poly1305-siv-seal", "ChaCha20-Poly1305-SIV, Seal", false),
		siv("chacha20-poly1305-siv-open", "ChaCha20-Poly1305-SIV, Open", true),
		sivBatch("chacha20-poly1305-siv-seal-batch", "ChaCha20-Poly1305-SIV, 128 packets sealed under one key", false),
		sivBatch("chacha20-poly1305-siv-open-batch", "ChaCha20-Poly1305-SIV, 128 packets opened under one key", true),
	}
}

func siv(name, title string, open bool) Contest {
	return Contest{
		Name: name, Title: title, Sizes: chachaPolySizes(),
		Entrants: append(levelsOf(chachaPolyPackages, startAEAD(chacha20poly1305.NewSIV, open), "avx2", "sse41", "neon", "generic"),
			Entrant{Name: "x-crypto", Label: "x/crypto, ChaCha20-Poly1305", Other: true, Start: startAEAD(xchacha20poly1305.New, open)},
			Entrant{Name: "unimac-chacha20-blake2b", Label: "unimac, ChaCha20-BLAKE2b", Ours: true, Other: true, Start: startAEAD(aead.New, open)},
			uncommitted(open), aesGCM(open), committingGCM(open),
		),
	}
}

func sivBatch(name, title string, open bool) Contest {
	c := Contest{Name: name, Title: title, Sizes: batchSizes, Bytes: batchBytes, Entrants: batchEntrants(chacha20poly1305.NewSIV, open)}
	x := c.Entrant("x-crypto")
	x.Label, x.Other = "x/crypto, ChaCha20-Poly1305", true
	return c
}
