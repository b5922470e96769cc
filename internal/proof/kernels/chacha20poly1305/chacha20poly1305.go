// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20poly1305 contains the proof statements for the assembly kernels of
// internal/chacha20poly1305.
package chacha20poly1305

import (
	layout "github.com/unimac/unimac/internal/layout/chacha20poly1305"
	"github.com/unimac/unimac/internal/proof/engine"
)

const file = "internal/chacha20poly1305/chacha20poly1305_amd64.s"

// Kernels contains the statements of the kernels of internal/chacha20poly1305.
var Kernels = engine.Constructed(func() []engine.Kernel {
	return []engine.Kernel{
		sealOpenNEON("sealNEON", false), sealOpenNEON("openNEON", true),
		streamKernel("keyStreamAVX512IFMA"), xorKernel("xorAVX512IFMA"),
		lanesKernel("hChaCha20LanesAVX512IFMA", "HChaCha20 of 16 states in the place of their keys", layout.LanesPolyKey, subkey),
		lanesKernel("blockLanesAVX512IFMA", "blocks of key stream of 16 initial states", layout.LanesOut+64*packets, block),
		xorLanesKernel("xorLanesAVX512IFMA"),
		tagLanesKernel("tagLanesAVX512IFMA"), cryptKernel("cryptAVX512IFMA", &Steps), cryptKernel("cryptHalvedAVX512IFMA", &HalvedSteps),
		crypt("cryptAVX2", onePass{step: 512, before: 448, opened: 192, r0: "SI", r1: 1744}, [3]string{"DX", "CX", "BX"}, "rounds8", "First", ""),
		crypt("cryptSSE41", onePass{step: 256, r0: "R9", r1: 392}, [3]string{"SI", "DI", "R8"}, "rounds4", ""),
		crypt("cryptAVX512", onePass{step: 1024, before: 960, opened: 192, words: true, r0: "DI", r1: 1128}, [3]string{"CX", "BX", "SI"}, ""),
		shortKernel("shortAVX512IFMA"),
	}
})
