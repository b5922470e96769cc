// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"math/big"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20poly1305"
	"github.com/unimac/unimac/internal/proof/kernels/poly1305"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// kernel returns a copy of the statement about a kernel, given the kernel's function name
// or its full name.
func kernel(t *testing.T, name string) *engine.Kernel {
	t.Helper()
	for _, k := range Kernels {
		if k.Func == name || k.Name() == name {
			return k.Own()
		}
	}
	t.Fatalf("no kernel %s", name)
	return nil
}

// object returns the object that Setup declared under a name, or nil.
func object(c *engine.Case, name string) *machine.Object {
	for _, o := range c.Objects() {
		if o.Name == name {
			return o
		}
	}
	return nil
}

// A wrongStatement is a case in which the specification or the statement about a kernel is
// changed so that the kernel does not satisfy it.
type wrongStatement struct {
	name, kernel, err string
	slow              bool // skipped in short mode
	change            func(k *engine.Kernel) (undo func())
}

const quick, slow = false, true

// checkRefused checks that each proof fails with the expected error. TestKernels checks
// that the unchanged statements are proven.
func checkRefused(t *testing.T, tests []wrongStatement) {
	for _, test := range tests {
		t.Run(test.name+"/"+test.kernel, func(t *testing.T) {
			if testing.Short() && test.slow {
				t.Skip("skipping a slow proof in short mode")
			}
			k := kernel(t, test.kernel)
			undo := test.change(k)
			f, fn := read(t, k)
			_, err := k.ProveFunc(f, fn, engine.Some)
			undo()
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Fatalf("proof: got error %v, want %q", err, test.err)
			}
			t.Log(err)
		})
	}
}

// set returns a change that replaces the value of p.
func set[T any](p *T, wrong T) func(*engine.Kernel) func() {
	return func(*engine.Kernel) func() {
		right := *p
		*p = wrong
		return func() { *p = right }
	}
}

// add returns a change that adds n to a prime.
func add(prime *big.Int, n int64) func(*engine.Kernel) func() {
	return func(*engine.Kernel) func() {
		prime.Add(prime, big.NewInt(n))
		return func() { prime.Sub(prime, big.NewInt(n)) }
	}
}

// swap returns a change that exchanges two values.
func swap[T any](p, q *T) func(*engine.Kernel) func() {
	return func(*engine.Kernel) func() {
		*p, *q = *q, *p
		return func() { *p, *q = *q, *p }
	}
}

// edit returns a change of the kernel's own copy of the statement, which needs no undo.
func edit(change func(k *engine.Kernel)) func(*engine.Kernel) func() {
	return func(k *engine.Kernel) func() {
		change(k)
		return func() {}
	}
}

// TestWrongChaCha20 checks that kernels are not proven for wrong ChaCha20 parameters.
func TestWrongChaCha20(t *testing.T) {
	checkRefused(t, []wrongStatement{
		{"rotation by 15 bits", "xorAVX512", "want", slow, set(&spec.ChaCha20Rotations[0], 15)},
		{"constant", "hChaCha20AVX2", "want", quick, set(&spec.ChaCha20Constants[3], spec.ChaCha20Constants[3]^1)},
		{"missing double round", "hChaCha20AVX512", "want", quick, set(&spec.ChaCha20DoubleRounds, spec.ChaCha20DoubleRounds-1)},
		{"missing double round", "xorLanesAVX512IFMA", "key stream is", slow, set(&spec.ChaCha20DoubleRounds, spec.ChaCha20DoubleRounds-1)},
	})
}

// TestWrongPoly1305 checks that kernels are not proven for wrong Poly1305 parameters, wrong
// tables of powers or limb bounds that the kernels do not keep.
func TestWrongPoly1305(t *testing.T) {
	avx2, neon, ifma := poly1305.Avx2Table.Rows, poly1305.NeonTable.Rows, poly1305.IfmaLanes.Powers
	checkRefused(t, []wrongStatement{
		{"prime", "blocksAMD64", "modulo", quick, add(spec.Poly1305Prime, -2)},
		{"prime", "blocksAVX2", "modulo", quick, add(spec.Poly1305Prime, 2)},
		{"position of the bit above the block", "blocksAMD64", "modulo", quick, set(&spec.Poly1305Marker, 129)},
		{"position of the bit above the block", "blocksAVX512IFMA", "modulo", quick, set(&spec.Poly1305Marker, 129)},
		{"bit above the block at position 0", "blocksAVX2", "modulo", quick, set(&spec.Poly1305Marker, 0)},
		{"two powers swapped in the table", "blocksAVX2", "modulo", quick, swap(&avx2[0].Power, &avx2[1].Power)},
		{"two powers swapped in the table", "blocksNEON", "modulo", slow, swap(&neon[1].Power, &neon[2].Power)},
		{"two powers swapped between lanes", "blocksAVX512IFMA", "modulo", slow, swap(&ifma[2], &ifma[3])},
		{"next power of r", "morePowersAMD64", "r^25 is another number modulo", quick, set(&poly1305.LongList.Rows[10].Power, poly1305.LongList.Rows[10].Power+1)},
		{"limb bound of h too small by 1", "blocksAVX2", "more than", quick, set(&poly1305.Avx2Lanes.Limits[4], poly1305.Avx2Lanes.Limits[4]-1)},
		{"limb bound of h too small by 1", "blocksNEON", "more than", quick, set(&poly1305.NeonLanes.Limits[4], poly1305.NeonLanes.Limits[4]-1)},
		{"limb bound of h above 52 bits", "blocksAVX512IFMA", "modulo", slow, set(&poly1305.IfmaLanes.Limits[2], poly1305.IfmaLanes.Limits[2]+1)},
		{"limb bound of the table too large", "blocksAVX2", "modulo", slow, set(&poly1305.Limits26[2], 1<<32-1)},
		{"limb bound of the table too small by 1", "tableAVX512IFMA", "more than", quick, set(&poly1305.IfmaLimits[2][2], poly1305.IfmaLimits[2][2]-1)},
		{"word bound of a power too small by 1", "powersAMD64", "more than", quick, set(&poly1305.Limits64[2], poly1305.Limits64[2]-1)},
	})
}

// TestWrongChaCha20Poly1305 checks that AEAD kernels are not proven for wrong Poly1305
// parameters, wrong schedules or texts that they overwrite before they read them.
func TestWrongChaCha20Poly1305(t *testing.T) {
	steps, halved := &chacha20poly1305.Steps, &chacha20poly1305.HalvedSteps
	ifma := poly1305.IfmaLanes.Powers
	checkRefused(t, []wrongStatement{
		{"prime", "openNEON", "modulo", quick, add(spec.Poly1305Prime, 1)},
		{"Exit that states less in one case", "cryptAVX2", "the cases of a call end with different assertions", quick, edit(func(k *engine.Kernel) {
			exit := k.Segments[0].Own().Exit
			k.Segments[0].Exit = func(c *engine.Case) *engine.Assertion {
				a := exit(c)
				if c.Variant == "3" {
					a.Has = a.Has[:len(a.Has)-1]
				}
				return a
			}
		})},
		{"position of the bit above the block", "tagLanesAVX512IFMA", "modulo", slow, set(&spec.Poly1305Marker, 129)},
		{"position of the bit above the block", "cryptAVX2", "modulo", slow, set(&spec.Poly1305Marker, 129)},
		{"clamping of r", "cryptAVX2", "the upper word of r is", quick, set(&spec.Poly1305Clamp[1], spec.Poly1305Clamp[1]^1<<40)},
		{"clamping of r", "shortAVX512IFMA", "R8 is", quick, set(&spec.Poly1305Clamp[0], spec.Poly1305Clamp[0]^1<<30)},
		{"clamping of r", "sealNEON", "the upper word of r is", quick, set(&spec.Poly1305Clamp[1], spec.Poly1305Clamp[1]^1<<60)},
		{"bound of h before the final reduction too small by 1", "tagLanesAVX512IFMA", ".2 may be 0x4000000, more than", slow, set(&chacha20poly1305.PacketFinal[2], chacha20poly1305.PacketFinal[2]-1)},
		{"hashed text 1 byte before dst", "cryptAVX512IFMA", "before dst[0] is stored", slow, set(&steps.MinDistance, 1)},
		{"hashed text 1 byte too close to dst", "cryptHalvedAVX512IFMA", "before dst[0] is stored", quick, set(&halved.MinDistance, halved.MinDistance-1)},
		{"number of blocks in a chain", "cryptHalvedAVX512IFMA", "a chain has 40 blocks, want 39", quick, set(&halved.Group, halved.Group+1)},
		{"number of blocks in a group", "cryptAVX512IFMA", "a chain has 0 blocks, want 1", quick, set(&steps.Group, 31)},
		{"two powers swapped between lanes", "cryptAVX512IFMA", "modulo", slow, swap(&ifma[2], &ifma[3])},
		{"loop reached after 2 steps", "cryptAVX512IFMA", "part 0 of a step comes after 4", quick, edit(func(k *engine.Kernel) { k.Reached = 2 })},
		{"tag of the plaintext", "sealNEON", "Poly1305 has read", slow, edit(func(k *engine.Kernel) {
			name := k.Func
			for _, other := range Kernels {
				if other.Func == "openNEON" {
					*k = *other.Own()
				}
			}
			k.Func = name
		})},
	})
}

// TestWrongUMAC checks that kernels are not proven for wrong UMAC and multimixer
// parameters.
func TestWrongUMAC(t *testing.T) {
	mark := "after a word from 0xffffffff00000000"
	checkRefused(t, []wrongStatement{
		{"NH length in nibbles", "nhAVX512", "want", quick, set(&spec.NHBits, 4)},
		{"F128 with 2 terms instead of 3", "sumAVX512", "sum 4 is", quick, set(&spec.F128Terms, 2)},
		{"POLY-64 prime", "nhPolyAVX2", "modulo", quick, add(spec.Poly64Prime, -2)},
		{"POLY-64 without marker words", "nhPolyNEON", mark, quick, set(&spec.Poly64Two, false)},
		{"POLY-64 limit for marker words", "nhPolyAVX512", "another number", quick, set(&spec.Poly64Limit, spec.Poly64Limit-1<<32)},
		{"POLY-64 offset after a marker word", "nhPolyAVX512", mark, quick, set(&spec.Poly64Offset, spec.Poly64Offset-1)},
		{"POLY-64 initial state 0", "sumAVX2AES", "word 0 of the state is 0x1, want 0x0", quick, set(&spec.Poly64Start, 0)},
		{"POLY-64 key without a mask", "nhPolyAVX2", mark, quick, set(&spec.Poly64Mask, ^uint64(0))},
		{"AES row rotations swapped", "sumNEONAES", "word 0 of encrypted block 0 is", quick, swap(&spec.AESRotations[1], &spec.AESRotations[3])},
		{"L3-HASH prime", "sumNEONAES", "modulo 2^36 - 5", quick, add(spec.L3Prime, -2)},
		{"L3-HASH prime", "sumFourAVX2AES", "modulo 2^36 - 5", quick, add(spec.L3Prime, -2)},
	})
}

// TestWrongBLAKE2b checks that kernels are not proven for wrong BLAKE2b parameters.
func TestWrongBLAKE2b(t *testing.T) {
	checkRefused(t, []wrongStatement{
		{"rotation by 62 bits", "compressAVX2", "Z3 is unknown at the loop's head", slow, set(&spec.BLAKE2bRotations[3], 62)},
		{"bit of the IV", "lanes2NEON", "l[0] is unknown at the loop's head", slow, set(&spec.BLAKE2bIV[4], spec.BLAKE2bIV[4]^1<<40)},
		{"two message words swapped", "lanes8AVX512", "Z0 is unknown at the loop's head", slow, swap(&spec.BLAKE2bSigma[7][3], &spec.BLAKE2bSigma[7][4])},
		{"missing round", "compressXORAVX512", "512 bytes: h[", slow, set(&spec.BLAKE2bRounds, spec.BLAKE2bRounds-1)},
	})
}

// TestWrongOutput checks that kernels are not proven for statements that want other output
// bytes or another state.
func TestWrongOutput(t *testing.T) {
	checkRefused(t, []wrongStatement{
		{"counter not advanced", "xorAVX2", "after an iteration, dst[0]", slow, edit(func(k *engine.Kernel) {
			advance := k.Advance
			k.Advance = func(c *engine.Case) {
				advance(c)
				counter := c.Arguments.Load(40, 8)
				c.Become(counter, counter)
			}
		})},
		{"one byte too many", "xorAVX512", "dst", slow, edit(func(k *engine.Kernel) {
			spec := k.Spec
			k.Spec = func(c *engine.Case, n int64, last bool) {
				spec(c, n, last)
				if dst := object(c, "dst"); last {
					c.ExpectBytes(dst, n, dst.Initial(n-1))
				}
			}
		})},
		{"one byte too few", "xorAVX2", "Spec does not describe dst[1023] after an iteration", slow, edit(func(k *engine.Kernel) {
			spec := k.Spec
			k.Spec = func(c *engine.Case, n int64, last bool) { spec(c, n-1, last) }
		})},
	})
}

// TestWrongAccess checks that kernels are not proven if a buffer is shorter or read-only, a
// length is secret or the frame must be wiped.
func TestWrongAccess(t *testing.T) {
	checkRefused(t, []wrongStatement{
		{"message one byte shorter", "compressAVX512", "may have only", quick, edit(func(k *engine.Kernel) {
			setup := k.Setup
			k.Setup = func(c *engine.Case) {
				setup(c)
				c.Resize(object(c, "blocks"), c.AddConst(c.N, ^uint64(0)))
			}
		})},
		{"additional data one byte shorter", "sealNEON", "may have only", slow, func(k *engine.Kernel) func() {
			k.Variants = k.Variants[:1]
			ad := k.Segments[0].Own()
			setup := ad.Setup
			ad.Setup = func(c *engine.Case) {
				setup(c)
				c.Resize(object(c, "ad"), c.AddConst(c.SizeOf(object(c, "ad")), ^uint64(0)))
			}
			return func() { ad.Setup = setup }
		}},
		{"secret length", "xorAVX512", "branches on a secret", quick, edit(func(k *engine.Kernel) {
			k.Unit, k.Step = 0, 0
			setup, spec := k.Setup, k.Spec
			k.Setup = func(c *engine.Case) {
				c.N = c.NewLeaf(64, term.LeafInfo{Name: "n", Min: 1, Max: 64})
				setup(c)
			}
			k.Spec = func(c *engine.Case, _ int64, last bool) { spec(c, 64, last) }
		})},
		{"read-only output", "hChaCha20AVX2", "stores to out", quick, edit(func(k *engine.Kernel) {
			setup := k.Setup
			k.Setup = func(c *engine.Case) {
				setup(c)
				for _, o := range c.Objects() {
					o.Writable = false
				}
			}
		})},
		{"frame not wiped", "compressAMD64", "leaves a secret", quick, edit(func(k *engine.Kernel) { k.Unwiped = false })},
	})
}
