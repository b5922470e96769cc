// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"fmt"

	"github.com/unimac/unimac/internal/asm/arm64"
)

// ARM64 returns the contents of internal/chacha20/chacha20_arm64.s.
//
// Four blocks in the wide layout leave two of four vector ports idle, but eight wide
// blocks do not fit in the registers. The other half of a large step therefore consists
// of three blocks in the narrow layout and one block in general registers. Steps of up
// to four blocks use only the wide layout, because no core is faster with the other
// layouts.
//
// These choices rely on llvm-mca's processor models, not on measurements:
//
//	GOARCH=arm64 go test -c -o /tmp/c20 ./chacha20
//	go -C internal/asm run ./estimate -mca llvm-mca-22 \
//		-call 'github.com/unimac/unimac/chacha20.(*Cipher).XORKeyStream' \
//		/tmp/c20 -test.run=- -test.bench='Cipher/peer=unimac/size=64/piece=64$' -test.benchtime=3x
func ARM64() []byte {
	f := arm64.NewFile("internal/asm/chacha20")
	generateNEON(f, chachaMember)
	hChaCha20NEON(f)
	return f.Bytes()
}

// Salsa20ARM64 returns the contents of internal/salsa20/salsa20_arm64.s.
func Salsa20ARM64() []byte {
	f := arm64.NewFile("internal/asm/chacha20")
	generateNEON(f, salsaMember)
	return f.Bytes()
}

func (k *NEON) Rounds(label string, s Shape, n int, left arm64.R) {
	k.Op("MOVD", n, left)
	k.Label(label)
	k.Write(k.DoubleRound(s)...)
	k.Op("SUB", 1, left)
	k.Op("CBNZ", left, label)
}

// Finish emits code that completes and stores blocks. It overwrites u and v.
func (k *NEON) Finish(s Shape, t Text, u, v arm64.R) {
	at := 0
	var scalar, vectors arm64.Code
	if s.Scalar {
		scalar = k.Record(func() {
			k.FinishScalar(u, v)
			k.StoreScalar(t, at)
		})
		at += block
	}
	if s.Narrow {
		vectors = append(vectors, k.Record(func() { k.FinishNarrow(t, at) })...)
		at += narrowBlocks * block
	}
	if s.Wide {
		vectors = append(vectors, k.Record(func() { k.FinishWide(t, at, arm64.R(16)) })...)
	}
	k.Write(scalar, vectors)
}

func generateNEON(f *arm64.File, m *member) {
	dst, src, n := arm64.R(19), arm64.R(20), arm64.R(21)
	u, v, stream, left := arm64.R(22), arm64.R(23), arm64.R(24), arm64.R(26)
	var frame arm64.Frame
	k := newNEON(f, m, &frame)
	widest := k.shapes()[len(k.shapes())-1]
	group := widest.Blocks() * block
	buffer := frame.Local(group)
	f.Function("xorNEON", "(dst *byte, src *byte, n int, key *[32]byte, nonce *[8]byte, counter uint64)", frame.Size())
	f.Arguments(dst, src, n, u, v, stream)
	k.Prepare(u, v, stream, left)

	f.Comment(fmt.Sprintf("Blocks: %d.", widest.Blocks()))
	f.Label("group")
	f.Op("CMP", group, n)
	f.Op("BLT", "rest")
	k.Begin(widest, u)
	k.Rounds("rounds", widest, doubleRounds, left)
	k.Finish(widest, Text{Dst: dst, Src: src, XOR: true}, u, v)
	k.Advance(widest.Blocks(), u)
	f.Op("ADD", group, dst)
	f.Op("ADD", group, src)
	f.Op("SUB", group, n)
	f.Op("B", "group")

	f.Comment("Store the keystream of the tail on the stack.")
	f.Label("rest")
	f.Op("CBZ", n, "wipe")
	f.Address(buffer, stream)
	k.KeyStream(stream, n, u, v, left, func(s Shape) {
		if s != One && s != Four {
			return
		}
		part := fmt.Sprintf("part%d", s.Blocks())
		f.Comment("The flags still compare n with this shape's size. Whole blocks are encrypted directly.")
		f.Op("BNE", part)
		k.Finish(s, Text{Dst: dst, Src: src, XOR: true}, u, v)
		f.Op("B", "wipe")
		f.Label(part)
	})
	k.xor(dst, src, stream, n, u, v)

	f.Comment("Clear the key and the keystream on the stack.")
	k.WipeStream(buffer, left)
	f.Label("wipe")
	if m == salsaMember {
		k.Wipe(k.State, block) // in Salsa20's state, the key is not contiguous
	} else {
		k.Wipe(k.State+KeyAt, 32)
	}
	f.Op("RET")
}

func (k *NEON) shapes() []Shape {
	if k.member == salsaMember {
		return []Shape{One, Four, Five}
	}
	return []Shape{One, Four, Five, Eight}
}

// KeyStream emits code that stores at least n bytes of keystream at stream and sets the
// blocks register to the number of blocks stored. At run time, the code chooses one of
// several shapes. For each of them, KeyStream calls rounded, which may emit code to run
// after the rounds and before the stores. n must be positive and at most the size of
// the largest shape. The code clobbers u and v.
func (k *NEON) KeyStream(stream, n, u, v, blocks arm64.R, rounded func(s Shape)) {
	shapes := k.shapes()
	for _, s := range shapes[:len(shapes)-1] {
		k.Op("CMP", s.Blocks()*block, n)
		k.Op("BLE", fmt.Sprintf("stream%d", s.Blocks()))
	}
	for i := len(shapes) - 1; i >= 0; i-- {
		s := shapes[i]
		k.Comment(fmt.Sprintf("Blocks: %d.", s.Blocks()))
		k.Label(fmt.Sprintf("stream%d", s.Blocks()))
		k.Begin(s, u)
		k.Rounds(fmt.Sprintf("streamRounds%d", s.Blocks()), s, doubleRounds, blocks)
		rounded(s)
		k.Finish(s, Text{Dst: stream}, u, v)
		k.Op("MOVD", s.Blocks(), blocks)
		if i > 0 {
			k.Op("B", "streamed")
		}
	}
	k.Label("streamed")
}

func (k *NEON) WipeStream(stream arm64.Local, blocks arm64.R) {
	k.Op("CMP", Four.Blocks(), blocks)
	k.Op("BLT", "wipe1")
	k.Op("BEQ", "wipe4")
	widest := k.shapes()[len(k.shapes())-1]
	k.Wipe(stream+arm64.Local(Four.Blocks()*block), (widest.Blocks()-Four.Blocks())*block)
	k.Label("wipe4")
	k.Wipe(stream+arm64.Local(block), (Four.Blocks()-One.Blocks())*block)
	k.Label("wipe1")
	k.Wipe(stream, block)
}

// xor emits code that XORs n bytes of src and stream into dst.
func (k *NEON) xor(dst, src, stream, n, t, u arm64.R) {
	a, b := [4]arm64.V{0, 1, 2, 3}, [4]arm64.V{4, 5, 6, 7}
	k.Comment("XOR with the text in pieces of 64 bytes, 16 bytes and less.")
	k.Op("SUBS", block, n)
	k.Op("BLT", "sixteens")
	k.Label("block")
	for i := range a {
		k.Op("FMOVQ.P", src.Post(16), a[i].F())
		k.Op("FMOVQ.P", stream.Post(16), b[i].F())
	}
	for i := range a {
		k.Op("VEOR", a[i].B16(), b[i].B16(), b[i].B16())
		k.Op("FMOVQ.P", b[i].F(), dst.Post(16))
	}
	k.Op("SUBS", block, n)
	k.Op("BGE", "block")
	k.Label("sixteens")
	k.Op("ADDS", block-16, n)
	k.Op("BLT", "bytes")
	k.Label("sixteen")
	k.Op("FMOVQ.P", src.Post(16), a[0].F())
	k.Op("FMOVQ.P", stream.Post(16), b[0].F())
	k.Op("VEOR", a[0].B16(), b[0].B16(), b[0].B16())
	k.Op("FMOVQ.P", b[0].F(), dst.Post(16))
	k.Op("SUBS", 16, n)
	k.Op("BGE", "sixteen")
	k.Label("bytes")
	for _, part := range []struct {
		bit         int
		load, store string
	}{{3, "MOVD", "MOVD"}, {2, "MOVWU", "MOVW"}, {1, "MOVHU", "MOVH"}, {0, "MOVBU", "MOVB"}} {
		less := fmt.Sprintf("less%d", 1<<part.bit)
		k.Op("TBZ", part.bit, n, less)
		k.Op(part.load+".P", src.Post(1<<part.bit), t)
		k.Op(part.load+".P", stream.Post(1<<part.bit), u)
		k.Op("EOR", u, t, t)
		k.Op(part.store+".P", t, dst.Post(1<<part.bit))
		k.Label(less)
	}
}

func hChaCha20NEON(f *arm64.File) {
	out, key, nonce, left := arm64.R(19), arm64.R(20), arm64.R(21), arm64.R(26)
	k := &NEON{File: f}
	f.Function("hChaCha20NEON", "(out *[32]byte, key *[32]byte, nonce *[16]byte)", 0)
	f.Arguments(out, key, nonce)
	f.Table("chacha", table, left)
	two := func(i int) string { return arm64.Words(scalarWord(i), scalarWord(i+1)) }
	for i := 0; i < 16; i += 2 {
		from := []string{left.At(4 * i), key.At(4*i - 16), key.At(4*i - 16), nonce.At(4*i - 48)}[i/4]
		f.Op("LDPW", from, two(i))
	}
	k.Rounds("rounds", One, doubleRounds, left)
	for i := 0; i < 4; i += 2 {
		f.Op("STPW", two(i), out.At(4*i))
		f.Op("STPW", two(12+i), out.At(16+4*i))
	}
	f.Op("RET")
}
