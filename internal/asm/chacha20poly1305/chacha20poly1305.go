// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20poly1305 generates the kernels that encrypt with ChaCha20 and authenticate
// with Poly1305 in one pass.
package chacha20poly1305

import (
	"github.com/unimac/unimac/internal/asm/amd64"
	"github.com/unimac/unimac/internal/asm/layout"
)

// AMD64 returns internal/chacha20poly1305/chacha20poly1305_amd64.s and the file that declares its
// functions.
func AMD64() (assembly, stubs []byte) {
	f := amd64.NewFile("chacha20poly1305", "message", "lanes")
	c := generateAVX512(f)
	generateOnePassAVX512(f, c, generateAVX2(f))
	generateSSE41(f)
	return f.Bytes("internal/asm/chacha20poly1305")
}

// The offsets in package chacha20poly1305's message in bytes, and its size.
const (
	messageConstants = 0
	messageKey       = messageConstants + 4*4
	messageCounter   = messageKey + 4*8
	messageNonce     = messageCounter + 8
	messageH         = messageNonce + 8
	messageR         = messageH + 3*8
	messageS         = messageR + 2*8
	messageLengths   = messageS + 2*8
	messageSize      = messageLengths + 2*8
)

// Layout lists the fields of the package's structs on which the kernels depend.
var Layout = []layout.Field{
	{Name: "message.constants", Offset: messageConstants},
	{Name: "message.key", Offset: messageKey},
	{Name: "message.counter", Offset: messageCounter},
	{Name: "message.nonce", Offset: messageNonce},
	{Name: "message.h", Offset: messageH},
	{Name: "message.r", Offset: messageR},
	{Name: "message.s", Offset: messageS},
	{Name: "message.lengths", Offset: messageLengths},
	{Name: "message", Offset: messageSize},
}
