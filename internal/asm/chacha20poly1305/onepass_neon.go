// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"github.com/unimac/unimac/internal/asm/arm64"
	"github.com/unimac/unimac/internal/asm/chacha20"
	layout "github.com/unimac/unimac/internal/layout/chacha20poly1305"
)

const polyBlock = 16

// group is the number of text bytes that ChaCha20 encrypts at a time.
var group = chacha20.Seven.Blocks() * block

type neon struct {
	*arm64.File
	cipher *chacha20.NEON
	open   bool

	// stream holds eight blocks of keystream, and kept the ciphertext of a group.
	stream, kept arm64.Local
}

// General registers. ChaCha20 uses registers 0 to 15 only before Poly1305 uses them.
const (
	r0, r1, q    = arm64.R(0), arm64.R(1), arm64.R(2) // q is r1·5/4
	h0, h1, h2   = arm64.R(3), arm64.R(4), arm64.R(5)
	t0, t1, t2   = arm64.R(6), arm64.R(7), arm64.R(8)
	t3, t4       = arm64.R(9), arm64.R(10)
	lo, hi       = arm64.R(11), arm64.R(12)
	x0, x1       = arm64.R(13), arm64.R(14)
	read         = arm64.R(15) // address of the next Poly1305 block
	left         = arm64.R(17)
	dst, src, n  = arm64.R(19), arm64.R(20), arm64.R(21)
	streamed     = arm64.R(22) // address of the text's keystream
	u, v, blocks = arm64.R(23), arm64.R(24), arm64.R(25)
	message      = arm64.R(26)
)

// ARM64 returns the contents of internal/chacha20poly1305/chacha20poly1305_arm64.s. The
// code interleaves vector instructions, which encrypt seven blocks, with scalar
// instructions, which hash the ciphertext of the previous seven blocks.
func ARM64() []byte {
	f := arm64.NewFile("internal/asm/chacha20poly1305")
	for _, open := range []bool{false, true} {
		var frame arm64.Frame
		k := &neon{File: f, cipher: chacha20.NewNEON(f, &frame), open: open}
		k.stream = frame.Local(chacha20.Eight.Blocks() * block)
		name := "sealNEON"
		if open {
			name = "openNEON"
			k.kept = frame.Local(group)
		}
		f.Function(name, "(m *onePass, dst *byte, src *byte, n int, ad *byte, adLen int, tag *[16]byte)", frame.Size())
		k.write()
	}
	return f.Bytes()
}

func (k *neon) write() {
	k.Op("MOVD", k.Argument("m"), message)
	k.Op("MOVD", k.Argument("dst"), dst)
	k.Op("MOVD", k.Argument("src"), src)
	k.Op("MOVD", k.Argument("n"), n)
	for i := 0; i < block; i += 32 {
		a, b := arm64.V(0), arm64.V(1)
		k.Op("FLDPQ", message.At(layout.MessageConstants+i), arm64.Pair(a, b))
		k.Op("FSTPQ", arm64.Pair(a, b), k.cipher.State.At(i))
	}

	k.Comment("Compute the block before the text, which is block 0 in a message's first call, and up to\n\t// seven blocks of the text.")
	k.Address(k.stream, streamed)
	k.Op("ADD", block, n, u)
	k.cipher.KeyStream(streamed, u, u, v, blocks, func(chacha20.Shape) {})
	k.cipher.Advance(chacha20.Eight.Blocks(), u)
	k.key()
	k.additionalData()

	k.Comment("Encrypt the beginning of the text. Poly1305 follows later if there is more text.")
	k.Op("ADD", block, streamed)
	k.Op("CMP", group, n)
	k.Op("BLE", "rest")
	k.xorGroup()

	k.Comment("Encrypt each group, and hash the group before it.")
	k.Label("group")
	k.Op("SUB", group, n)
	k.Op("ADD", group, dst)
	k.Op("ADD", group, src)
	k.both()
	k.Op("CMP", group, n)
	k.Op("BLE", "last")
	k.finish(chacha20.Text{Dst: dst, Src: src, XOR: true, Keep: k.open, Copy: lo})
	k.Op("B", "group")

	k.Comment("Process the last group, which may be incomplete.")
	k.Label("last")
	k.Address(k.stream, streamed)
	k.finish(chacha20.Text{Dst: streamed})
	k.Op("MOVD", chacha20.Eight.Blocks(), blocks)
	k.Label("rest")
	k.xorAndRead()
	k.end()
}

func (k *neon) key() {
	k.Comment("In the first call, compute r and s.")
	k.Op("MOVD", message.At(layout.OnePassBegun), t0)
	k.Op("CBNZ", t0, "goOn")
	k.Op("MOVD", 1, t0)
	k.Op("MOVD", t0, message.At(layout.OnePassBegun))
	k.Op("LDP", streamed.At(0), arm64.Words(r0, r1))
	k.Op("LDP", streamed.At(16), arm64.Words(t0, t1))
	k.Op("AND", "$0x0ffffffc0fffffff", r0)
	k.Op("AND", "$0x0ffffffc0ffffffc", r1)
	k.Op("MOVD", "ZR", h0)
	k.Op("MOVD", "ZR", h1)
	k.Op("MOVD", "ZR", h2)
	k.Op("STP", arm64.Words(r0, r1), message.At(layout.MessageR))
	k.Op("STP", arm64.Words(t0, t1), message.At(layout.MessageS))
	k.Op("B", "keyed")
	k.Label("goOn")
	k.Op("LDP", message.At(layout.MessageR), arm64.Words(r0, r1))
	k.Op("LDP", message.At(layout.MessageH), arm64.Words(h0, h1))
	k.Op("MOVD", message.At(layout.MessageH+16), h2)
	k.Label("keyed")
	k.Op("ADD", r1.String()+">>2", r1, q)
}

func (k *neon) additionalData() {
	rest := v
	k.Op("MOVD", k.Argument("ad"), read)
	k.Op("MOVD", k.Argument("adLen"), rest)
	k.Op("CBZ", rest, "adRead")
	k.Comment("Hash the additional data.")
	k.Op("SUBS", polyBlock, rest)
	k.Op("BLT", "adLast")
	k.Label("ad")
	k.readBlock()
	k.Op("SUBS", polyBlock, rest)
	k.Op("BGE", "ad")
	k.Label("adLast")
	k.Op("ADDS", polyBlock, rest)
	k.Op("BEQ", "adRead")
	k.gather("ad", read, rest, lo, hi)
	k.add(lo, hi)
	k.multiply()
	k.Label("adRead")
}

func (k *neon) add(lo, hi arm64.R) {
	k.Op("ADDS", lo, h0)
	k.Op("ADCS", hi, h1)
	k.Op("ADC", "ZR", h2)
	k.Op("ADD", 1, h2)
}

// multiply emits code that sets h to h·r, partially reduced.
func (k *neon) multiply() {
	// For bounds, see multiply in internal/poly1305.
	product := func(lo, hi, x, y arm64.R) {
		k.Op("MUL", x, y, lo)
		k.Op("UMULH", x, y, hi)
	}
	a0, a1, b0, b1 := t0, t1, t2, t3
	k.Op("MUL", q, h2, b0)
	k.Op("MUL", r0, h2, b1)
	product(a0, a1, r0, h0)
	for _, sum := range [][4]arm64.R{{q, h1, a0, a1}, {r0, h1, b0, b1}, {r1, h0, b0, b1}} {
		product(t4, h2, sum[0], sum[1])
		k.Op("ADDS", t4, sum[2])
		k.Op("ADC", h2, sum[3])
	}
	k.Op("ADDS", a1, b0)
	k.Op("ADC", "ZR", b1)
	// Add 5 times the bits above 2^130, as 4 times plus once.
	k.Op("AND", -4, b1, t4)
	k.Op("AND", 3, b1, h2)
	k.Op("ADD", b1.String()+">>2", t4)
	k.Op("ADDS", t4, a0, h0)
	k.Op("ADCS", "ZR", b0, h1)
	k.Op("ADC", "ZR", h2)
}

func (k *neon) readBlock() {
	k.Op("LDP.P", read.Post(polyBlock), arm64.Words(x0, x1))
	k.add(x0, x1)
	k.multiply()
}

// both emits the rounds of seven blocks, which also hash the previous group.
func (k *neon) both() {
	k.cipher.Begin(chacha20.Seven, u)
	if k.open {
		// The plaintext may have overwritten the ciphertext, so hash a copy.
		k.Address(k.kept, read)
	} else {
		k.Op("SUB", group, dst, read)
	}
	blocks := chacha20.Seven.Blocks() * block / polyBlock
	each := blocks / (doubleRounds - 1)
	double := func(blocks int) {
		poly := k.Record(func() {
			for range blocks {
				k.readBlock()
			}
		})
		k.Write(append(k.cipher.DoubleRound(chacha20.Seven), poly)...)
	}
	k.Op("MOVD", doubleRounds-1, left)
	k.Label("rounds")
	double(each)
	k.Op("SUB", 1, left)
	k.Op("CBNZ", left, "rounds")
	double(blocks - each*(doubleRounds-1))
}
