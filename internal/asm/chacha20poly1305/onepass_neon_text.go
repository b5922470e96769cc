// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"fmt"

	"github.com/unimac/unimac/internal/asm/arm64"
	"github.com/unimac/unimac/internal/asm/chacha20"
	layout "github.com/unimac/unimac/internal/layout/chacha20poly1305"
)

func (k *neon) xorGroup() {
	from := u
	k.Op("MOVD", src, from)
	k.Op("MOVD", dst, v)
	if k.open {
		k.Address(k.kept, lo)
	}
	k.Op("MOVD", chacha20.Seven.Blocks(), left)
	k.Label("xor")
	for i := range arm64.V(4) {
		k.Op("FMOVQ.P", from.Post(16), i.F())
		k.Op("FMOVQ.P", streamed.Post(16), (i + 4).F())
	}
	for i := range arm64.V(4) {
		k.Op("VEOR", i.B16(), (i + 4).B16(), (i + 4).B16())
		if k.open {
			k.Op("FMOVQ.P", i.F(), lo.Post(16))
		}
	}
	for i := range arm64.V(4) {
		k.Op("FMOVQ.P", (i + 4).F(), v.Post(16))
	}
	k.Op("SUB", 1, left)
	k.Op("CBNZ", left, "xor")
}

func (k *neon) finish(t chacha20.Text) {
	if t.Keep {
		k.Address(k.kept, t.Copy)
	}
	k.cipher.Finish(chacha20.Seven, t, u, v)
	k.cipher.Advance(chacha20.Seven.Blocks(), u)
}

func (k *neon) xorAndRead() {
	ciphertext := [2]arm64.R{lo, hi}
	if k.open {
		ciphertext = [2]arm64.R{x0, x1}
	}
	k.Comment("Encrypt and hash the rest of the text.")
	k.Op("SUBS", polyBlock, n)
	k.Op("BLT", "textLast")
	k.Label("text")
	k.Op("LDP.P", src.Post(polyBlock), arm64.Words(x0, x1))
	k.Op("LDP.P", streamed.Post(polyBlock), arm64.Words(lo, hi))
	k.Op("EOR", x0, lo)
	k.Op("EOR", x1, hi)
	k.Op("STP.P", arm64.Words(lo, hi), dst.Post(polyBlock))
	k.add(ciphertext[0], ciphertext[1])
	k.multiply()
	k.Op("SUBS", polyBlock, n)
	k.Op("BGE", "text")
	k.Label("textLast")
	k.Op("ADDS", polyBlock, n)
	k.Op("BEQ", "textRead")
	k.gather("src", src, n, x0, x1)
	k.gather("key", streamed, n, lo, hi)
	k.Op("EOR", x0, lo)
	k.Op("EOR", x1, hi)
	k.add(ciphertext[0], ciphertext[1])
	for _, part := range []struct {
		bit   int
		store string
	}{{3, "MOVD"}, {2, "MOVW"}, {1, "MOVH"}, {0, "MOVB"}} {
		less := fmt.Sprintf("store%d", 1<<part.bit)
		k.Op("TBZ", part.bit, n, less)
		k.Op(part.store+".P", lo, dst.Post(1<<part.bit))
		if part.bit == 3 {
			k.Op("MOVD", hi, lo)
		} else {
			k.Op("LSR", 8<<part.bit, lo)
		}
		k.Label(less)
	}
	k.multiply()
	k.Label("textRead")
}

// gather emits code that loads and zero-pads exactly n bytes, 1 to 15.
func (k *neon) gather(label string, from, n, lo, hi arm64.R) {
	at, shift := t0, t1
	insert := func(part arm64.R) { // a shift in bytes
		k.Op("LSL", 3, shift)
		k.Op("LSL", shift, part)
		k.Op("ORR", part, lo)
	}
	k.Op("MOVD", "ZR", hi)
	k.Op("TBNZ", 3, n, label+"8")
	k.Op("TBNZ", 2, n, label+"4")

	k.Op("MOVBU", from.At(0), lo)
	k.Op("LSR", 1, n, shift)
	k.Op("ADD", shift, from, at)
	k.Op("MOVBU", at.At(0), t2)
	k.Op("ADD", n, from, at)
	k.Op("MOVBU", at.At(-1), t3)
	insert(t2)
	k.Op("SUB", 1, n, shift)
	insert(t3)
	k.Op("B", label+"0")

	k.Label(label + "4")
	k.Op("MOVWU", from.At(0), lo)
	k.Op("ADD", n, from, at)
	k.Op("MOVWU", at.At(-4), t2)
	k.Op("SUB", 4, n, shift)
	insert(t2)
	k.Op("B", label+"0")

	k.Label(label + "8")
	k.Op("MOVD", from.At(0), lo)
	k.Op("ADD", n, from, at)
	k.Op("MOVD", at.At(-8), hi)
	k.Op("MOVD", 15, shift)
	k.Op("SUB", n, shift)
	k.Op("LSL", 3, shift)
	k.Op("LSR", 8, hi) // two shifts, because a shift by 64 would have no effect
	k.Op("LSR", shift, hi)
	k.Label(label + "0")
}

func (k *neon) end() {
	tag := v
	k.Comment("Stop if no text is left.")
	k.Op("MOVD", k.Argument("tag"), tag)
	k.Op("CBNZ", tag, "tag")
	k.Op("STP", arm64.Words(h0, h1), message.At(layout.MessageH))
	k.Op("MOVD", h2, message.At(layout.MessageH+16))
	k.Op("B", "wipe")

	k.Comment("Hash the lengths, reduce h modulo 2^130 - 5 and add s. The difference h - (2^130 - 5) replaces h\n\t// if it is not negative.")
	k.Label("tag")
	k.Op("LDP", message.At(layout.MessageLengths), arm64.Words(x0, x1))
	k.add(x0, x1)
	k.multiply()
	k.Op("ADDS", 5, h0, t0)
	k.Op("ADCS", "ZR", h1, t1)
	k.Op("ADC", "ZR", h2, t2)
	k.Op("CMP", 4, t2)
	k.Op("CSEL", "HS", t0, h0, h0)
	k.Op("CSEL", "HS", t1, h1, h1)
	k.Op("LDP", message.At(layout.MessageS), arm64.Words(t0, t1))
	k.Op("ADDS", t0, h0)
	k.Op("ADC", t1, h1)
	k.Op("STP", arm64.Words(h0, h1), tag.At(0))
	for i := layout.MessageKey; i < layout.MessageCounter; i += 16 {
		k.Op("STP", "(ZR, ZR)", message.At(i))
	}
	for i := layout.MessageH; i < layout.MessageLengths; i += 16 {
		k.Op("STP", "(ZR, ZR)", message.At(i))
	}

	k.Comment("Clear the key and the keystream on the stack.")
	k.Label("wipe")
	k.cipher.WipeStream(k.stream, blocks)
	k.cipher.Wipe(k.cipher.State+chacha20.KeyAt, 32)
	k.Op("RET")
}
