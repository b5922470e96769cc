// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20poly1305 generates the kernels that encrypt with ChaCha20 and authenticate
// with Poly1305 in one pass.
package chacha20poly1305

import (
	"github.com/unimac/unimac/internal/asm/amd64"
	"github.com/unimac/unimac/internal/asm/layout"
)

// AMD64 returns internal/chacha20poly1305/kernel_amd64.s and the file that declares its
// functions.
func AMD64() (assembly, stubs []byte) {
	f := amd64.NewFile("chacha20poly1305", "state", "lanes", "messageAVX2")
	generateAVX512(f)
	generateAVX2(f)
	generateSSE41(f)
	return f.Bytes("internal/asm/chacha20poly1305")
}

// sigma is "expand 32-byte k", the first row of ChaCha20's state.
var sigma = [4]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}

// The offsets in bytes within the package's state.
const (
	stateChaCha  = 0
	stateCounter = stateChaCha + 4*12
	stateH       = 64
	stateR       = 88
	stateS       = 104
)

// Layout is what the kernels know of the package's structs.
var Layout = []layout.Field{
	{Name: "state.chacha", Offset: stateChaCha},
	{Name: "state.h", Offset: stateH},
	{Name: "state.r", Offset: stateR},
	{Name: "state.s", Offset: stateS},
	{Name: "messageAVX2.counter", Offset: counterAt},
	{Name: "messageAVX2.nonce", Offset: nonceAt},
	{Name: "messageAVX2.h", Offset: hAt},
	{Name: "messageAVX2.r", Offset: rAt},
	{Name: "messageAVX2.s", Offset: sAt},
	{Name: "messageAVX2.lengths", Offset: lengthsAt},
	{Name: "messageAVX2.tag", Offset: tagAt},
}
