// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20blake2b

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	"github.com/unimac/unimac/internal/asm/blake2b"
	"github.com/unimac/unimac/internal/asm/chacha20"
)

// An avx2 emits compressXORAVX2, which computes eight blocks of ChaCha20 in vector
// registers and BLAKE2b in general registers. BLAKE2b occupies all general registers
// but one, so the frame holds all other values.
//
// A block of BLAKE2b takes about as long as five of the ten double rounds of eight
// ChaCha20 blocks, so the kernel encrypts two bytes for each byte that it hashes. The
// remaining bytes are hashed alone afterwards. BLAKE2b determines the total time.
type avx2 struct {
	*amd64.File
	cipher *chacha20.AVX2
	mac    *blake2b.Scalar
	left   Mem // number of BLAKE2b blocks left in this group

	blocks, t, dst, src, n, counter Mem // arguments, advanced past the processed bytes
}

const (
	messageAt = chacha20.KeyStreamAt // stack offset of a block for BLAKE2b
	initialAt = messageAt + block    // stack offset of the initial state of ChaCha20, without the counter
	wordsAt   = initialAt + 64       // stack offset of row c of BLAKE2b
	avx2Size  = wordsAt + 4*8
)

const eight = 512

func generateAVX2(f *amd64.File, c *blake2b.Constants) {
	k := &avx2{File: f, cipher: chacha20.NewAVX2(f)}
	f.Function("compressXORAVX2", compressXORSignature, "compressXORAVX2 is compressXOR for AVX2. It compresses n/2 bytes of blocks.")
	f.Attributes(0) // large frames need the stack check that NOSPLIT would omit
	k.cipher.Begin(f.Context, avx2Size)
	k.left = f.AllocLocal(8)
	k.mac = blake2b.NewScalar(f.Context, c, k.at(messageAt), k.at(wordsAt))
	k.cipher.Initial = func(i int) Mem { return k.at(initialAt + 4*i) }
	k.cipher.Counter = func() Mem { return k.counter }
	k.cipher.Loop = k.loop
	k.begin()

	f.Label("group")
	k.cipher.Wide("rounds", 1, func(block, half int, v VecVirtual) {
		at := 64*block + 32*half
		f.VPXOR(Mem{Base: RAX, Disp: at}, v, v)
		f.VMOVDQU(v, Mem{Base: RBX, Disp: at})
	})
	k.cipher.Count(8)
	f.ADDQ(U32(eight), k.src)
	f.ADDQ(U32(eight), k.dst)
	f.SUBQ(U32(eight), k.n)
	f.JNZ(LabelRef("group"))
	f.Comment("Clear the key and the message on the stack.")
	zero := k.cipher.WipeRows(1)
	for at := messageAt; at < avx2Size; at += 32 {
		f.VMOVDQA(zero, k.at(at))
	}
	f.VZEROUPPER()
	f.RET()
}

func (k *avx2) argument(name string) Mem { return amd64.Argument(k.Context, name) }
func (k *avx2) at(i int) Mem             { return Mem{Base: k.cipher.Memory, Disp: i} }

func (k *avx2) begin() {
	for _, x := range []struct {
		name  string
		local *Mem
	}{{"blocks", &k.blocks}, {"t", &k.t}, {"dst", &k.dst}, {"src", &k.src}, {"n", &k.n}, {"counter", &k.counter}} {
		*x.local = k.AllocLocal(8)
		k.MOVQ(k.argument(x.name), RAX)
		k.MOVQ(RAX, *x.local)
	}
	v := k.YMM()
	k.VMOVDQU(k.cipher.Sigma, v.AsX())
	k.VMOVDQA(v.AsX(), k.at(initialAt))
	k.MOVQ(k.argument("key"), RAX)
	k.VMOVDQU(Mem{Base: RAX}, v)
	k.VMOVDQU(v, k.at(initialAt+16))
	k.MOVQ(k.argument("nonce"), RAX)
	k.MOVQ(Mem{Base: RAX}, RAX)
	k.MOVQ(RAX, k.at(initialAt+56))
}

// loop emits a loop that hashes two blocks during ten double rounds.
func (k *avx2) loop(label string, doubleRound func() amd64.Code) {
	k.MOVQ(U32(2), k.left)
	k.Label(label)
	k.Comment("Copy the block to the frame, because BLAKE2b has no register for a pointer to it.")
	k.MOVQ(k.blocks, RAX)
	for i := 0; i < block; i += 32 {
		v := k.YMM()
		k.VMOVDQU(Mem{Base: RAX, Disp: i}, v)
		k.VMOVDQA(v, k.at(messageAt+i))
	}
	k.ADDQ(U32(block), k.blocks)
	k.mac.Begin(k.argument("h"), k.t)
	var vectors, scalars amd64.Code
	for range 5 {
		vectors = append(vectors, doubleRound()...)
	}
	for i := range blake2b.Rounds {
		scalars = append(scalars, k.mac.Round(i)...)
	}
	vectors.Spread(scalars).Write()
	k.mac.Finish(k.argument("h"))
	k.DECQ(k.left)
	k.JNZ(LabelRef(label))
	// The code after the loop expects src and dst in these registers.
	k.MOVQ(k.src, RAX)
	k.MOVQ(k.dst, RBX)
}
