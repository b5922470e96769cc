// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20poly1305"
	"github.com/unimac/unimac/internal/proof/kernels/poly1305"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// kernel returns a copy of a kernel's statement, by its function or its whole name.
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

// object returns what Setup has declared by a name.
func object(c *engine.Case, name string) *machine.Object {
	for _, o := range c.Objects() {
		if o.Name == name {
			return o
		}
	}
	return nil
}

// slow are those of TestWrongSpecifications that short mode leaves out; others like them are quick.
var slow = []string{
	"a rotation by 15", "a counter not advanced", "a byte more", "a byte less", "a round less", "a round less in lanes",
	"a bit of the IV", "two words in the other order", "a power of r in another lane", "another power of r between groups",
	"a bit above the block at another place, in lanes", "a bit above the block at another place, in a message",
	"a tag that is not below the prime", "a ciphertext that is the plaintext",
	"additional data that is read too far", "a register that a section must keep",
	"a rotation by 62", "text that is encrypted while it is read", "a limb of more bits than multiplications see",
	"a bound of the table that is not kept", "two powers of NEON's in the other order",
}

// TestWrongSpecifications plants an error in a specification at a time: each must be
// refused, for the reason that it is. TestKernels shows that they hold without.
func TestWrongSpecifications(t *testing.T) {
	for _, test := range []struct {
		name, kernel, err string
		plant             func(k *engine.Kernel) (undo func())
	}{
		{"a rotation by 15", "xorAVX512", "want", func(k *engine.Kernel) func() {
			spec.ChaCha20Rotations[0] = 15
			return func() { spec.ChaCha20Rotations[0] = 16 }
		}},
		{"a constant", "hChaCha20AVX2", "want", func(k *engine.Kernel) func() {
			spec.ChaCha20Constants[3] ^= 1
			return func() { spec.ChaCha20Constants[3] ^= 1 }
		}},
		{"a double round less", "hChaCha20AVX512", "want", func(k *engine.Kernel) func() {
			spec.ChaCha20DoubleRounds--
			return func() { spec.ChaCha20DoubleRounds++ }
		}},
		{"a counter not advanced", "xorAVX2", "a turn leaves in dst[0]", func(k *engine.Kernel) func() {
			advance := k.Advance
			k.Advance = func(c *engine.Case) {
				advance(c)
				counter := c.Arguments.Load(40, 8)
				c.Become(counter, counter)
			}
			return func() {}
		}},
		{"a byte more", "xorAVX512", "dst", func(k *engine.Kernel) func() {
			spec := k.Spec
			k.Spec = func(c *engine.Case, n int64, last bool) {
				spec(c, n, last)
				if dst := object(c, "dst"); last {
					c.ExpectByte(dst, n, dst.Initial(n-1))
				}
			}
			return func() {}
		}},
		{"a byte less", "xorAVX2", "a turn leaves", func(k *engine.Kernel) func() {
			spec := k.Spec
			k.Spec = func(c *engine.Case, n int64, last bool) {
				spec(c, n-1, last)
			}
			return func() {}
		}},
		{"another prime", "blocksAMD64", "modulo", func(k *engine.Kernel) func() {
			spec.Poly1305Prime.Sub(spec.Poly1305Prime, big.NewInt(2))
			return func() { spec.Poly1305Prime.Add(spec.Poly1305Prime, big.NewInt(2)) }
		}},
		{"a bit above the block at another place", "blocksAMD64", "modulo", func(k *engine.Kernel) func() {
			spec.Poly1305Marker++
			return func() { spec.Poly1305Marker-- }
		}},
		{"another prime", "blocksAVX2", "modulo", func(k *engine.Kernel) func() {
			spec.Poly1305Prime.Add(spec.Poly1305Prime, big.NewInt(2))
			return func() { spec.Poly1305Prime.Sub(spec.Poly1305Prime, big.NewInt(2)) }
		}},
		{"a bit above the block that is left out", "blocksAVX2", "modulo", func(k *engine.Kernel) func() {
			spec.Poly1305Marker = 0
			return func() { spec.Poly1305Marker = 128 }
		}},
		{"two powers in the other order", "blocksAVX2", "modulo", func(k *engine.Kernel) func() {
			r := poly1305.Avx2Table.Rows
			r[0].Power, r[1].Power = r[1].Power, r[0].Power
			return func() { r[0].Power, r[1].Power = r[1].Power, r[0].Power }
		}},
		{"a bound of a lane that is one too small", "blocksAVX2", "more than", func(k *engine.Kernel) func() {
			poly1305.Avx2Lanes.Most[4]--
			return func() { poly1305.Avx2Lanes.Most[4]++ }
		}},
		{"a bound of the table that is not kept", "blocksAVX2", "modulo", func(k *engine.Kernel) func() {
			poly1305.Most26[2] = 1<<32 - 1
			return func() { poly1305.Most26[2] = 1<<26 - 1 }
		}},
		{"a power that is the next one", "morePowersAMD64", "r^25 is another number modulo", func(k *engine.Kernel) func() {
			poly1305.LongList.Rows[10].Power++
			return func() { poly1305.LongList.Rows[10].Power-- }
		}},
		{"a bound of a power that is one too small", "powersAMD64", "more than", func(k *engine.Kernel) func() {
			poly1305.Most64[2]--
			return func() { poly1305.Most64[2]++ }
		}},
		{"a bound of the table that is one too small", "tableAVX512IFMA", "more than", func(k *engine.Kernel) func() {
			poly1305.IfmaMost[2][2]--
			return func() { poly1305.IfmaMost[2][2]++ }
		}},
		{"a power of r in another lane", "blocksAVX512IFMA", "modulo", func(k *engine.Kernel) func() {
			p := poly1305.IfmaLanes.Powers
			p[2], p[3] = p[3], p[2]
			return func() { p[2], p[3] = p[3], p[2] }
		}},
		{"a limb of more bits than multiplications see", "blocksAVX512IFMA", "modulo", func(k *engine.Kernel) func() {
			poly1305.IfmaLanes.Most[2]++
			return func() { poly1305.IfmaLanes.Most[2]-- }
		}},
		{"a bit above the block at another place", "blocksAVX512IFMA", "modulo", func(k *engine.Kernel) func() {
			spec.Poly1305Marker++
			return func() { spec.Poly1305Marker-- }
		}},
		{"a bit above the block at another place, in lanes", "tagLanesAVX512IFMA", "modulo", func(k *engine.Kernel) func() {
			spec.Poly1305Marker++
			return func() { spec.Poly1305Marker-- }
		}},
		{"a tag that is not below the prime", "tagLanesAVX512IFMA", ".2 may be 0x4000000, more than", func(k *engine.Kernel) func() {
			chacha20poly1305.PacketFinal[2]--
			return func() { chacha20poly1305.PacketFinal[2]++ }
		}},
		{"text that is encrypted while it is read", "cryptAVX512IFMA", "before dst[0] is stored", func(k *engine.Kernel) func() {
			chacha20poly1305.Steps.Behind = 1
			return func() { chacha20poly1305.Steps.Behind = 1024 }
		}},
		{"text that a chain reads too early", "cryptHalvedAVX512IFMA", "before dst[0] is stored", func(k *engine.Kernel) func() {
			chacha20poly1305.HalvedSteps.Behind--
			return func() { chacha20poly1305.HalvedSteps.Behind++ }
		}},
		{"a chain of another number of blocks", "cryptHalvedAVX512IFMA", "a chain has 40 blocks, want 39", func(k *engine.Kernel) func() {
			chacha20poly1305.HalvedSteps.Group++
			return func() { chacha20poly1305.HalvedSteps.Group-- }
		}},
		{"a loop of which two steps are left", "cryptAVX512IFMA", "part 0 of a step comes after 4", func(k *engine.Kernel) func() {
			k.Reached = 2
			return func() {}
		}},
		{"another power of r between groups", "cryptAVX512IFMA", "modulo", func(k *engine.Kernel) func() {
			chacha20poly1305.Steps.Group = 31
			return func() { chacha20poly1305.Steps.Group = 32 }
		}},
		{"a round less in lanes", "xorLanesAVX512IFMA", "key stream is", func(k *engine.Kernel) func() {
			spec.ChaCha20DoubleRounds--
			return func() { spec.ChaCha20DoubleRounds++ }
		}},
		{"a key that is clamped otherwise", "cryptAVX2", "the upper word of r is", func(k *engine.Kernel) func() {
			spec.Poly1305Clamp[1] ^= 1 << 40
			return func() { spec.Poly1305Clamp[1] ^= 1 << 40 }
		}},
		{"a bit above the block at another place, in a message", "cryptAVX2", "modulo", func(k *engine.Kernel) func() {
			spec.Poly1305Marker++
			return func() { spec.Poly1305Marker-- }
		}},
		{"a key that is clamped otherwise, in a short message", "shortAVX512IFMA", "R8 is", func(k *engine.Kernel) func() {
			spec.Poly1305Clamp[0] ^= 1 << 30
			return func() { spec.Poly1305Clamp[0] ^= 1 << 30 }
		}},
		{"a length in nibbles", "nhAVX512", "want", func(k *engine.Kernel) func() {
			spec.NHBits = 4
			return func() { spec.NHBits = 8 }
		}},
		{"two terms in place of three", "sumAVX512", "sum 4 is", func(k *engine.Kernel) func() {
			spec.F128Terms = 2
			return func() { spec.F128Terms = 3 }
		}},
		{"POLY-64 with another prime", "nhPolyAVX2", "modulo", func(k *engine.Kernel) func() {
			spec.Poly64Prime.Add(spec.Poly64Prime, big.NewInt(2))
			return func() { spec.Poly64Prime.Sub(spec.Poly64Prime, big.NewInt(2)) }
		}},
		{"POLY-64 without a marker", "nhPolyNEON", "after a word from 0xffffffff00000000", func(k *engine.Kernel) func() {
			spec.Poly64Two = false
			return func() { spec.Poly64Two = true }
		}},
		{"a marker for more words", "nhPolyAVX512", "another number", func(k *engine.Kernel) func() {
			spec.Poly64Limit -= 1 << 32
			return func() { spec.Poly64Limit += 1 << 32 }
		}},
		{"another offset after a marker", "nhPolyAVX512", "after a word from 0xffffffff00000000", func(k *engine.Kernel) func() {
			spec.Poly64Offset--
			return func() { spec.Poly64Offset++ }
		}},
		{"AES with another rotation of rows", "sumNEONAES", "V28[0] is", func(k *engine.Kernel) func() {
			spec.AESRotations[1], spec.AESRotations[3] = 3, 1
			return func() { spec.AESRotations[1], spec.AESRotations[3] = 1, 3 }
		}},
		{"L3-HASH with another prime", "sumNEONAES", "modulo 2^36 - 5", func(k *engine.Kernel) func() {
			spec.L3Prime.Sub(spec.L3Prime, big.NewInt(2))
			return func() { spec.L3Prime.Add(spec.L3Prime, big.NewInt(2)) }
		}},
		{"L3-HASH with another prime, of four messages", "sumFourAVX2AES", "modulo 2^36 - 5", func(k *engine.Kernel) func() {
			spec.L3Prime.Sub(spec.L3Prime, big.NewInt(2))
			return func() { spec.L3Prime.Add(spec.L3Prime, big.NewInt(2)) }
		}},
		{"POLY-64 that begins with 0", "sumAVX2AES", "word 0 of the state is 0x1, want 0x0", func(k *engine.Kernel) func() {
			spec.Poly64Start = 0
			return func() { spec.Poly64Start = 1 }
		}},
		{"a key of POLY-64 that is not masked", "nhPolyAVX2", "after a word from 0xffffffff00000000", func(k *engine.Kernel) func() {
			mask := spec.Poly64Mask
			spec.Poly64Mask = ^uint64(0)
			return func() { spec.Poly64Mask = mask }
		}},
		{"a rotation by 62", "compressAVX2", "Z3 is forgotten at the head", func(k *engine.Kernel) func() {
			spec.BLAKE2bRotations[3] = 62
			return func() { spec.BLAKE2bRotations[3] = 63 }
		}},
		{"a bit of the IV", "lanes2NEON", "l[0] is forgotten at the head", func(k *engine.Kernel) func() {
			spec.BLAKE2bIV[4] ^= 1 << 40
			return func() { spec.BLAKE2bIV[4] ^= 1 << 40 }
		}},
		{"two words in the other order", "lanes8AVX512", "Z0 is forgotten at the head", func(k *engine.Kernel) func() {
			s := &spec.BLAKE2bSigma[7]
			s[3], s[4] = s[4], s[3]
			return func() { s[3], s[4] = s[4], s[3] }
		}},
		{"a round less", "compressXORAVX512", "512 bytes: h[", func(k *engine.Kernel) func() {
			spec.BLAKE2bRounds--
			return func() { spec.BLAKE2bRounds++ }
		}},
		{"a message that is read too far", "compressAVX512", "which may have only", func(k *engine.Kernel) func() {
			setup := k.Setup
			k.Setup = func(c *engine.Case) {
				setup(c)
				c.Resize(object(c, "blocks"), c.AddConst(c.N, ^uint64(0)))
			}
			return func() {}
		}},
		{"a length that is a secret", "xorAVX512", "branches on a secret", func(k *engine.Kernel) func() {
			k.Unit, k.Step = 0, 0
			setup, spec := k.Setup, k.Spec
			k.Setup = func(c *engine.Case) {
				c.N = c.NewLeaf(64, term.LeafInfo{Name: "n", Min: 1, Max: 64})
				setup(c)
			}
			k.Spec = func(c *engine.Case, _ int64, last bool) { spec(c, 64, last) }
			return func() {}
		}},
		{"a buffer that must not be changed", "hChaCha20AVX2", "stores to out", func(k *engine.Kernel) func() {
			setup := k.Setup
			k.Setup = func(c *engine.Case) {
				setup(c)
				for _, o := range c.Objects() {
					o.Writable = false
				}
			}
			return func() {}
		}},
		{"two powers of NEON's in the other order", "blocksNEON", "modulo", func(k *engine.Kernel) func() {
			r := poly1305.NeonTable.Rows
			r[1].Power, r[2].Power = r[2].Power, r[1].Power
			return func() { r[1].Power, r[2].Power = r[2].Power, r[1].Power }
		}},
		{"a bound of h that is not kept", "blocksNEON", "more than", func(k *engine.Kernel) func() {
			poly1305.NeonLanes.Most[4]--
			return func() { poly1305.NeonLanes.Most[4]++ }
		}},
		{"another bit of r", "sealNEON", "the upper word of r is", func(k *engine.Kernel) func() {
			spec.Poly1305Clamp[1] ^= 1 << 60
			return func() { spec.Poly1305Clamp[1] ^= 1 << 60 }
		}},
		{"another prime for the ciphertext", "openNEON", "modulo", func(k *engine.Kernel) func() {
			spec.Poly1305Prime.Add(spec.Poly1305Prime, big.NewInt(1))
			return func() { spec.Poly1305Prime.Sub(spec.Poly1305Prime, big.NewInt(1)) }
		}},
		{"a ciphertext that is the plaintext", "sealNEON", "Poly1305 has read", func(k *engine.Kernel) func() {
			name := k.Func
			for _, other := range Kernels {
				if other.Func == "openNEON" {
					*k = *other.Own()
				}
			}
			k.Func = name
			return func() {}
		}},
		{"additional data that is read too far", "sealNEON", "which may have only", func(k *engine.Kernel) func() {
			k.Variants = k.Variants[:1]
			ad := k.Segments[0].Own()
			setup := ad.Setup
			ad.Setup = func(c *engine.Case) {
				setup(c)
				c.Resize(object(c, "ad"), c.AddConst(c.SizeOf(object(c, "ad")), ^uint64(0)))
			}
			return func() { ad.Setup = setup }
		}},
		{"a frame that is wiped", "compressAMD64", "leaves a secret", func(k *engine.Kernel) func() {
			k.Unwiped = false
			return func() {}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if testing.Short() && slices.Contains(slow, test.name) {
				t.Skip("takes long")
			}
			k := kernel(t, test.kernel)
			undo := test.plant(k)
			f, fn := read(t, k)
			_, err := k.ProveFunc(f, fn, engine.Some)
			undo()
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Fatalf("%v, want %q", err, test.err)
			}
			t.Log(err)
		})
	}
}
